/// The names of the columns of a result, shared by all of its rows.
public final class ColumnNames: Sendable {
  /// The names, in order.
  public let names: [String]
  private let positions: [String: Int]
  private let onLookUp: (@Sendable (String) -> Void)?

  /// Makes a list. If a name occurs twice, ``position(of:)`` returns the first column.
  public convenience init(_ names: [String]) { self.init(names, onLookUp: nil) }

  /// Makes a list that reports which names are looked up.
  package init(_ names: [String], onLookUp: (@Sendable (String) -> Void)?) {
    self.names = names
    self.onLookUp = onLookUp
    positions = Dictionary(
      names.enumerated().map { ($1.sqliteFolded, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The number of columns.
  public var count: Int { names.count }

  /// The position of the column with this name; nil if there is none. The case of ASCII letters is
  /// ignored, as SQLite does.
  public func position(of name: String) -> Int? {
    onLookUp?(name)
    return positions[name.sqliteFolded]
  }
}

extension String {
  /// The string with ASCII letters in lower case, as SQLite compares identifiers.
  package var sqliteFolded: String {
    // Only ASCII bytes change, and to ASCII, so the result is valid UTF-8.
    String(
      decoding: utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 },
      as: UTF8.self)
  }
}
