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
    for table in tables {
      // The latest clause first.
      for clause in try SchemaDescription.foreignKeys(of: table, connection).reversed() {
        guard let target = named[[table.schema.exact, clause.table.sqliteFolded]],
          let key = foreignKey(of: table, to: target, clause)
        else { continue }
        keys[table, default: []].append(key)
      }
    }
    return keys
  }

  private func foreignKey(
    of table: TableDescription, to target: TableDescription, _ clause: SchemaDescription.ForeignKey
  ) -> ForeignKey? {
    // A clause may spell the name of a column in another case.
    func known(_ names: [String], of table: TableDescription) -> [String] {
      names.compactMap { name in
        table.columns.first { $0.name.sqliteFolded == name.sqliteFolded }?.name
      }
    }
    let columns = known(clause.columns, of: table)
    // Without names, they are the primary key.
    let referred = clause.referred.isEmpty ? target.key : known(clause.referred, of: target)
    guard columns.count == clause.columns.count, referred.count == columns.count else { return nil }
    return ForeignKey(columns: columns, source: target.name, referred: referred)
  }
}
