/// A rule of a data structure that is broken. A `checkInvariants()` throws it, for tests; no use of the structure
/// makes it do so.
package struct BrokenInvariant: Error, CustomStringConvertible {
  /// The rule, and what was found instead.
  package let description: String

  /// Throws unless a rule is kept.
  package static func check(
    _ isKept: Bool, _ description: @autoclosure () -> String
  ) throws {
    guard isKept else { throw BrokenInvariant(description: description()) }
  }
}
