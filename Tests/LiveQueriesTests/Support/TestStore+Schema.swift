import SQLiteStorage

@testable import FetchedResults
@testable import LiveQueries

extension SelectSchema {
  /// Makes a schema with SQLite's own aggregates.
  init(tables: [Table]) {
    self.init(
      tables: tables,
      aggregates: [
        "avg", "count", "group_concat", "json_group_array", "json_group_object", "max", "min",
        "string_agg", "sum", "total",
      ])
  }

  /// The schema of a store.
  init(_ store: TestStore) throws {
    var tables: [Table] = []
    for row in try store.rows(
      "SELECT l.name, l.type, l.wr, s.sql FROM pragma_table_list l LEFT JOIN sqlite_schema s USING (name)"
    ) {
      guard case .text(let name) = row[0], case .text(let type) = row[1], !name.hasPrefix("sqlite_")
      else { continue }
      let quoted = name.quotedIdentifier
      var columns: [Column] = []
      var key: [(Int64, String)] = []
      var rowIDName = "rowid"
      for column in try store.rows("PRAGMA table_xinfo(\(quoted))") {
        guard case .text(let column_) = column[1], case .integer(let position) = column[5] else {
          continue
        }
        if position > 0 {
          key.append((position, column_))
          if column[2] == .text("INTEGER") { rowIDName = column_ }
        }
        let isHidden = column[6] == .integer(1)
        columns.append(
          Column(
            column_, type: column[2].text, collation: try store.collation(of: column_, in: name),
            isNotNull: column[3] == .integer(1) || (position > 0 && row[2] == .integer(1))
              || (position > 0 && column[2] == .text("INTEGER")),
            isHidden: isHidden))
      }
      let isWithoutRowID = row[2] == .integer(1)
      var kind = Kind.table
      if type == "view", case .text(let sql) = row[3] { kind = .view(sql: sql) }
      if type == "virtual" { kind = .fullText }
      let primaryKey = key.sorted { $0.0 < $1.0 }.map(\.1)
      let tableKey = isWithoutRowID ? primaryKey : [rowIDName]
      let isUnique = columns.allSatisfy { $0.isNotNull || !primaryKey.contains($0.name) }
      let others = primaryKey.isEmpty || primaryKey == tableKey ? [] : [primaryKey]
      tables.append(
        Table(
          name: name, kind: kind, columns: columns, key: tableKey,
          uniqueKeys: isUnique ? others : [], sharedKeys: isUnique ? [] : others,
          hasRowID: !isWithoutRowID && type != "view"))
    }
    self.init(tables: tables)
  }
}

extension TestStore {
  fileprivate func collation(of column: String, in table: String) throws -> String {
    guard
      case .text(let sql)? = try rows(
        "SELECT sql FROM sqlite_schema WHERE name = '\(table)'"
      ).first?.first
    else { return "BINARY" }
    let words = sql.split { " ,()".contains($0) }.map(String.init)
    for (index, word) in words.enumerated() where word == column {
      for next in words[(index + 1)...].prefix(4) where next == "NOCASE" { return next }
    }
    return "BINARY"
  }
}

extension TestStore.Value {
  fileprivate var text: String { if case .text(let text) = self { text } else { "" } }
}
