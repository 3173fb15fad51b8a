internal import SQLiteStorage

/// The tables and rows that a change log tells of.
struct LoggedTables: Sendable {
  private let names: [String]?
  private let only: Set<ExactText>?
  private let except: Set<ExactText>
  /// Which rows are told; nil for all.
  let condition: SQL?
  /// Throws if the first version lacks what its reader needs; nil if nothing else is needed.
  private let requirement: (@Sendable (Connection) throws -> Void)?

  init(
    _ names: [String]?, except: [String] = [], where condition: SQL? = nil,
    requirement: (@Sendable (Connection) throws -> Void)? = nil
  ) {
    self.names = names
    self.condition = condition
    self.requirement = requirement
    only = names.map { Set($0.map(\.sqliteFolded)) }
    self.except = Set(except.map(\.sqliteFolded))
  }

  func contains(_ name: String) -> Bool {
    let name = name.sqliteFolded
    return only?.contains(name) != false && !except.contains(name)
  }

  /// - Throws: `FetchError` with code `.noSuchTable` if a table that is named cannot be followed, and `.invalidCondition`
  ///   if the condition does not fit a table; what the reader of the rows requires.
  func check(_ schema: LoggedSchema, in connection: Connection) throws {
    for name in names ?? [] where schema.tables[name.sqliteFolded] == nil {
      guard let table = try connection.table(named: name, in: "main"), table.kind != .table else {
        throw try connection.noSuchTable(name)
      }
      throw FetchError(
        .noSuchTable, "\(name) is a \(table.kind) and not a table",
        nextStep: "Name the tables whose rows it shows")
    }
    try requirement?(connection)
    guard condition != nil else { return }
    for name in schema.tableNames {
      guard let table = schema.tables[name] else { continue }
      try LoggedTableReader(table, in: connection, where: condition).checkCondition()
    }
  }
}

/// What is in the schema of one version, as far as a change log tells of it.
///
/// Attached files and temporary tables are not part of a log.
struct LoggedSchema: Sendable {
  struct Object: Sendable {
    let type: SchemaChange.Object
    let name: String
    let table: String
    let sql: String
  }

  /// The tables, by their folded names.
  private(set) var tables: [ExactText: LoggedTable] = [:]
  /// The names of the tables, in order.
  private(set) var tableNames: [ExactText] = []
  /// The virtual tables, whose rows are not told.
  private(set) var virtualTables: [String] = []
  private(set) var objects: [Object] = []
  /// What the log tells of.
  let logged: LoggedTables

  /// The names of the tables as the schema spells them, in order.
  var namesOfTables: [String] { tableNames.compactMap { tables[$0]?.name } }

  /// - Parameter logged: the tables that the log tells of.
  init(_ logged: LoggedTables, in connection: Connection) throws {
    self.logged = logged
    var rootPages: [ExactText: Int64] = [:]
    let internals = try connection.listedTables(in: "main").filter { $0.kind == .shadow }
    let hidden = Set(internals.map { $0.name.sqliteFolded })
    try connection.query(
      "SELECT type, name, tbl_name, ifnull(sql, ''), ifnull(rootpage, 0) FROM main.sqlite_schema"
    ) { row in
      let (name, table) = (row.string(at: 1), row.string(at: 2))
      let isOwn = !name.sqliteFolded.hasPrefix("sqlite_") && !hidden.contains(table.sqliteFolded)
      guard isOwn, logged.contains(table),
        let type = SchemaChange.Object(rawValue: row.string(at: 0))
      else { return }
      objects.append(Object(type: type, name: name, table: table, sql: row.string(at: 3)))
      if type == .table { rootPages[name.sqliteFolded] = row.int64(at: 4) }
    }
    for table in try connection.tables()
    where table.schema == "main" && logged.contains(table.name) {
      if table.kind == .virtual { virtualTables.append(table.name) }
      let name = table.name.sqliteFolded
      guard table.kind == .table, !table.columns.isEmpty, let rootPage = rootPages[name] else {
        continue
      }
      let indexes = table.isWithoutRowID ? try connection.indexes(of: table) : []
      tables[name] = LoggedTable(
        table, rootPage: rootPage, keyIndex: indexes.first(where: \.isOfPrimaryKey))
      tableNames.append(name)
    }
  }
}

/// A table in two versions; in only one of them if it begins or ends.
struct LoggedTablePair: Sendable {
  let old: LoggedTable?
  let new: LoggedTable?

  var isAltered: Bool {
    guard let old, let new else { return true }
    return !old.hasSameColumns(as: new)
  }
}

extension LoggedSchema {
  /// The tables of two schemas, and what the second has changed.
  func compared(to newer: LoggedSchema) -> (tables: [LoggedTablePair], changes: [SchemaChange]) {
    var ended = tableNames.filter { newer.tables[$0] == nil }
    var pairs: [LoggedTablePair] = []
    var renamed: [ExactText: String] = [:]
    for name in newer.tableNames {
      guard let new = newer.tables[name] else { continue }
      if let old = tables[name] {
        if old.hasSameKey(as: new) {
          pairs.append(LoggedTablePair(old: old, new: new))
        } else {
          pairs.append(LoggedTablePair(old: old, new: nil))
          pairs.append(LoggedTablePair(old: nil, new: new))
        }
        continue
      }
      // A new table may take the place of one that was dropped. If it has the same definition too, it is told as that
      // one under another name, and the rows are compared.
      let former = ended.firstIndex { ended in
        tables[ended].map { $0.rootPage == new.rootPage && $0.hasSameColumns(as: new) } == true
          && definition(of: ended) == newer.definition(of: name)
      }
      let old = former.flatMap { tables[ended.remove(at: $0)] }
      if let old { renamed[name] = old.name }
      pairs.append(LoggedTablePair(old: old, new: new))
    }
    pairs += ended.map { LoggedTablePair(old: tables[$0], new: nil) }
    return (pairs, changes(to: newer, renamed))
  }

  /// What follows the name in the SQL of a table.
  private func definition(of table: ExactText) -> ExactText? {
    objects.first { $0.type == .table && $0.name.sqliteFolded == table }
      .map { String($0.sql.drop { $0 != "(" }).exact }
  }

  private func changes(
    to newer: LoggedSchema, _ renamed: [ExactText: String]
  ) -> [SchemaChange] {
    struct Name: Hashable {
      let type: SchemaChange.Object
      let name: ExactText
    }
    var old = Dictionary(
      objects.map { (Name(type: $0.type, name: $0.name.sqliteFolded), $0) }
    ) { first, _ in first }
    var changes: [SchemaChange] = []
    for object in newer.objects {
      let name = object.name.sqliteFolded
      let formerName = object.type == .table ? renamed[name] : nil
      let former = old.removeValue(
        forKey: Name(type: object.type, name: formerName?.sqliteFolded ?? name))
      if let former, former.sql.exact == object.sql.exact { continue }
      changes.append(
        SchemaChange(
          kind: former == nil ? .created : formerName == nil ? .altered : .renamed,
          object: object.type, name: object.name, oldName: formerName, table: object.table,
          oldSQL: former?.sql, newSQL: object.sql))
    }
    for object in objects where old[Name(type: object.type, name: object.name.sqliteFolded)] != nil
    {
      changes.append(
        SchemaChange(
          kind: .dropped, object: object.type, name: object.name, oldName: nil,
          table: object.table, oldSQL: object.sql, newSQL: nil))
    }
    return changes
  }
}
