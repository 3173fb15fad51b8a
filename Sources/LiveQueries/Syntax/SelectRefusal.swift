/// Why a SELECT is not understood, or has no derivation from touched rows to its rows.
package struct SelectRefusal: Error, Hashable, Sendable {
  package let reason: String

  init(_ reason: String) { self.reason = reason }
}
