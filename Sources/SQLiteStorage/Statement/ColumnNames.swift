/// The names of a result's columns, shared by all of its rows.
public final class ColumnNames: Sendable {
  /// The names, in order.
  public let names: [String]
  private let positions: [String: Int]
  private let onLookUp: (@Sendable (String) -> Void)?

  /// Makes the list; where a name comes twice, the first column is the one found by it.
  public convenience init(_ names: [String]) { self.init(names, onLookUp: nil) }

  /// Makes a list that tells which names it is asked for.
  package init(_ names: [String], onLookUp: (@Sendable (String) -> Void)?) {
    self.names = names
    self.onLookUp = onLookUp
    positions = Dictionary(
      names.enumerated().map { ($1.sqliteFolded, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The number of columns.
  public var count: Int { names.count }

  /// The position of the column of that name, compared as SQLite does: ASCII letters fold.
  public func position(of name: String) -> Int? {
    onLookUp?(name)
    return positions[name.sqliteFolded]
  }
}

extension String {
  /// The string with ASCII capitals folded: what SQLite compares identifiers by.
  package var sqliteFolded: String {
    // Only ASCII bytes change, and to ASCII, so the result is valid UTF-8 again.
    String(
      decoding: utf8.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 },
      as: UTF8.self)
  }
}
