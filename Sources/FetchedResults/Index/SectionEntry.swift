internal import SQLiteStorage
internal import TableData

/// A section as the index holds it.
struct SectionEntry: CountedElement, Hashable {
  /// The section key that the rows have in common, packed, so that text that is not valid UTF-8 is
  /// preserved; nil for an undivided result.
  let key: KeyTuple?
  /// The number of rows.
  var rowCount: Int

  var weight: Int { rowCount }

  /// The value of the key.
  var value: Value? { key?.values.first }

  /// The section's name: the key as text. `NULL` has the empty name, as in Core Data.
  var name: String? {
    switch value {
    case nil: nil
    case .null: ""
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .text(let value): value
    case .blob(let bytes): bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }
}
