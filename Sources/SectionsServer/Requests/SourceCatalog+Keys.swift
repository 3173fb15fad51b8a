import RowQueries
import SQLiteStorage

extension SourceCatalog {
  /// A foreign key: its columns, and those that they refer to, in the same order.
  struct ForeignKey: Sendable {
    let columns: [String]
    let source: String
    let referred: [String]
  }

  /// The foreign keys to tables that exist.
  func foreignKeys(
    between tables: [TableDescription], in connection: Connection
  ) throws -> [TableDescription: [ForeignKey]] {
    let named = Dictionary(
      tables.map { ([$0.schema.exact, $0.name.sqliteFolded], $0) }, uniquingKeysWith: { $1 })
    var keys: [TableDescription: [ForeignKey]] = [:]
    for table in tables where table.kind == .table {
      let rows = try connection.rows(
        """
        SELECT id, "from", "table" AS target, "to" FROM pragma_foreign_key_list(?, ?) ORDER BY id, seq
        """, [.text(table.name), .text(table.schema)])
      for parts in rows.parts(by: "id") {
        guard case .text(let name) = parts[0]["target"],
          let target = named[[table.schema.exact, name.sqliteFolded]]
        else { continue }
        if let key = foreignKey(of: table, to: target, parts) {
          keys[table, default: []].append(key)
        }
      }
    }
    return keys
  }

  /// - Parameter parts: what the schema says of each column.
  private func foreignKey(
    of table: TableDescription, to target: TableDescription, _ parts: [Row]
  ) -> ForeignKey? {
    // A clause may spell the name of a column in another case.
    func column(_ value: Value, of table: TableDescription) -> String? {
      guard case .text(let name) = value else { return nil }
      return table.columns.first { $0.name.sqliteFolded == name.sqliteFolded }?.name
    }
    let columns = parts.compactMap { column($0["from"], of: table) }
    let named = parts.compactMap { column($0["to"], of: target) }
    // Without names, they are the primary key.
    let referred = parts.allSatisfy { $0["to"] == .null } ? target.key : named
    guard columns.count == parts.count, referred.count == parts.count else { return nil }
    return ForeignKey(columns: columns, source: target.name, referred: referred)
  }
}
