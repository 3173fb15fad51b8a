import FetchedResults
import SQLiteStorage

/// What in the schema of a copy has an effect on the rows that a batch changes, beside their tables.
struct CopySchema {
  /// A trigger with the SQL that makes it.
  struct Trigger {
    let name: String
    let table: ExactText
    let sql: String
  }

  /// The unique keys of the changed tables, beside the primary keys; nil for a table that has none.
  private(set) var uniqueKeys: [ExactText: [UniqueKey]] = [:]
  /// Whether a changed table has foreign keys, or another one refers to it.
  private(set) var hasForeignKeys = false
  /// The triggers that must not be there while rows are changed.
  private(set) var silenced: [Trigger] = []

  /// - Parameters:
  ///   - isLogged: whether a log has the rows of a table of this name.
  ///   - connection: sees the newer version. What differs in the older one is part of the batch.
  init(
    _ changes: DatabaseChanges, isLogged: (String) -> Bool, in connection: Connection
  ) throws {
    let changed = Set(changes.tableNames.map(\.sqliteFolded))
    for name in changes.tableNames {
      guard let table = try connection.table(named: name, in: "main") else { continue }
      let keys = try connection.indexes(of: table).filter { $0.isUnique && !$0.isOfPrimaryKey }
      if !keys.isEmpty { uniqueKeys[name.sqliteFolded] = keys.map(UniqueKey.init) }
    }
    guard !changed.isEmpty || !changes.schemaChanges.isEmpty else { return }
    try connection.query(
      """
      SELECT child.name, parent."table" FROM main.sqlite_schema AS child
      JOIN pragma_foreign_key_list(child.name, 'main') AS parent WHERE child.type = 'table'
      """
    ) { row in
      let names = [row.string(at: 0), row.string(at: 1)].map(\.sqliteFolded)
      if names.contains(where: changed.contains) { hasForeignKeys = true }
    }
    let altered = changes.schemaChanges.filter { $0.object == .view && $0.newSQL != nil }
    silenced = try triggers(
      changed, of: Set(altered.map(\.name.sqliteFolded)),
      besides: Set(
        changes.schemaChanges.filter { $0.object == .trigger }.map(\.name.sqliteFolded)),
      isLogged, in: connection)
  }

  /// The triggers that would write rows of the log, or can only refuse a change; and those of some views, which are made again.
  ///
  /// A trigger that only writes what the log leaves out, such as a full-text index, must fire.
  ///
  /// - Parameters:
  ///   - changed: the tables with changed rows.
  ///   - views: the views that are made again.
  ///   - told: triggers that are made or dropped anyway.
  private func triggers(
    _ changed: Set<ExactText>, of views: Set<ExactText>, besides told: Set<ExactText>,
    _ isLogged: (String) -> Bool, in connection: Connection
  ) throws -> [Trigger] {
    var triggers: [Trigger] = []
    try connection.query(
      "SELECT name, tbl_name, sql FROM main.sqlite_schema WHERE type = 'trigger' ORDER BY rowid"
    ) { row in
      let name = row.string(at: 0)
      guard !told.contains(name.sqliteFolded) else { return }
      triggers.append(
        Trigger(name: name, table: row.string(at: 1).sqliteFolded, sql: row.string(at: 2)))
    }
    guard !triggers.isEmpty else { return [] }
    let tables = try connection.listedTables(in: "main")
      .filter { $0.kind == .table && isLogged($0.name) }
    let logged = Set(tables.map(\.name.sqliteFolded))
    var silenced = Set<Int>()
    // What is written at the end, also by triggers that fire.
    var written = changed
    var unread = Set(triggers.indices)
    while let position = unread.first(where: { written.contains(triggers[$0].table) }) {
      unread.remove(position)
      let targets = triggers[position].targets
      if targets.isEmpty || !targets.isDisjoint(with: logged) {
        silenced.insert(position)
      } else {
        written.formUnion(targets)
      }
    }
    return triggers.indices
      .filter { silenced.contains($0) || views.contains(triggers[$0].table) }
      .map { triggers[$0] }
  }
}

extension CopySchema.Trigger {
  /// The tables and views that its statements write.
  fileprivate var targets: Set<ExactText> {
    let lexer = SQLLexer(sql)
    let tokens = lexer.filter { !$0.isBlank }
    func word(_ position: Int) -> String {
      guard tokens.indices.contains(position), tokens[position].kind == .word else { return "" }
      return lexer.text(tokens[position]).sqliteFolded.text
    }
    var targets: Set<ExactText> = []
    for position in tokens.indices {
      let target: Int
      switch word(position) {
      case "into": target = position + 1
      case "delete" where word(position + 1) == "from": target = position + 2
      case "update": target = word(position + 1) == "or" ? position + 3 : position + 1
      default: continue
      }
      // An upsert has no table of its own, and the head of a trigger names what it waits for.
      guard tokens.indices.contains(target), !["set", "of", "on"].contains(word(target)) else {
        continue
      }
      targets.insert(lexer.text(tokens[target]).unquotedName.sqliteFolded)
    }
    return targets
  }
}
