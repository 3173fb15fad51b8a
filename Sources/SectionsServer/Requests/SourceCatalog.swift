import FetchedResults
import RowQueries
import SQLiteStorage

/// The sources that a URL can name: the tables and views of the schema, and those of the command line or of a
/// configuration.
struct SourceCatalog: Sendable {
  let given: [GivenSource]
  /// Whether who asks may know where the file is.
  let namesFiles: Bool

  func given(_ name: String) -> GivenSource? { given.first { $0.name.exact == name.exact } }

  /// The request for a list.
  ///
  /// - Throws: `RequestError` of status 404 for a source that does not exist, of 400 for a column.
  func query(_ list: ListParameters, in connection: Connection) throws -> RowQuery {
    if let sql = list.sql { try check(sql, in: connection) }
    let (base, table) = try origin(of: list, in: connection)
    let source = try rows(of: base, table, in: connection)
    func column(_ name: String) throws -> String {
      try known(source.column(named: name), name, of: source.name, source.columns)
    }
    if let by = list.by, by.exact != base.rows.by?.exact { _ = try column(by) }
    let totals = try list.totals.compactMap { total in
      // As the source spells it: another text would be an expression, which is SQL.
      TotalOption(total[0], ofColumn: try column(total[1]))
    }.filter { total in !base.rows.totals.contains { $0.name.exact == total.name.exact } }
    var rows = base.rows
    (rows.by, rows.sort) = (list.by, try sort(of: list, base, source))
    if !list.columns.isEmpty { rows.columns = try list.columns.map(column) }
    rows.totals += totals
    var query = try RowQuery(source, rows)
    for alternatives in try conditions(list, source, table, connection) {
      query.request = query.request.filter("\(alternatives.joined(separator: " OR "))")
    }
    return query
  }

  /// The sort terms of a list. A given one that does not fit other sections is left out.
  ///
  /// - Throws: `FetchError` or `ArgumentError` for another one that does not sort by a column.
  func sort(of list: ListParameters, _ base: GivenSource, _ source: RowSource) throws -> [String] {
    let given = Set(base.rows.sort.exact)
    return try list.sort.filter { term in
      guard given.contains(term.exact) else {
        // Only columns: an expression would be SQL.
        _ = try source.order(by: [term], sections: nil)
        return true
      }
      // It may sort by the expression of the given sections, and says nothing of other ones.
      return list.by?.exact == base.rows.by?.exact
        || (try? source.order(by: [term], sections: nil)) != nil
    }
  }

  /// What a list has its rows from, and the table or view that this is; nil for a SELECT.
  func origin(
    of list: ListParameters, in connection: Connection
  ) throws -> (source: GivenSource, table: TableDescription?) {
    if let sql = list.sql { return (GivenSource(RowArguments(select: sql)), nil) }
    let name = try list.source ?? firstName(in: connection)
    let source = given(name) ?? GivenSource(RowArguments(name))
    guard source.table != nil else { return (source, nil) }
    return (source, try table(named: source.table ?? name, in: connection))
  }

  /// The rows of what ``origin(of:in:)`` returns.
  func rows(
    of base: GivenSource, _ table: TableDescription?, in connection: Connection
  ) throws -> RowSource {
    var rows = base.rows
    if let table { rows.source = table.name }
    return try rows.rowSource(in: connection)
  }

  /// The conditions of a list with their alternatives: one of each must be true.
  func conditions(
    _ list: ListParameters, _ source: RowSource, _ table: TableDescription?,
    _ connection: Connection
  ) throws -> [[SQL]] {
    let types = Dictionary(
      (table?.columns ?? []).map { ($0.name.exact, $0.declaredType) }, uniquingKeysWith: { $1 })
    // Both read the schema, once for all conditions, and only if one of them needs that.
    lazy var index = Result {
      try table.flatMap { table in
        try connection.fullTextIndexes(in: table.schema).first { $0.indexes(table) }
      }
    }
    lazy var references = Result {
      try table.map { table in
        try labelledReferences(of: table, in: connection).map { (table: table, reference: $0) }
      } ?? []
    }
    func labels(containing text: String) throws -> [SQL] {
      try references.get().map { $0.reference.condition(text, in: $0.table) }
    }
    func sql(_ condition: ListParameters.Condition) throws -> SQL {
      guard !condition.column.isEmpty else {
        return try condition.sql(
          anyOf: source.columns, orAny: labels(containing: condition.value), index: index.get())
      }
      let column = source.column(named: condition.column)
      let name = try known(column, condition.column, of: source.name, source.columns)
      return try condition.sql(
        column: name, declaredType: types[name.exact] ?? "", index: index.get())
    }
    return try list.conditions.map { try $0.map(sql) }
  }

  /// A column that was looked for by its name.
  ///
  /// - Throws: `RequestError` of status 400 if there is none.
  func known<Column>(
    _ column: Column?, _ name: String, of source: String, _ columns: [String]
  ) throws -> Column {
    guard let column else {
      throw RequestError(
        400, "there is no column \(name.prefix(80)) in \(source)",
        nextStep: "The columns are: \(columns.listed)")
    }
    return column
  }

  /// Throws unless the SQL that a client has typed may be run: one statement that only reads. SQLite's authorizer
  /// decides, before anything runs.
  private func check(_ sql: String, in connection: Connection) throws {
    guard !sql.trimmed.isEmpty else {
      throw RequestError(400, "there is no SQL", nextStep: "Type a SELECT")
    }
    let names = try connection.readRegion(of: sql).foldedNames
    guard namesFiles || !names.contains("pragma_database_list".exact) else {
      throw RequestError(
        400, "pragma_database_list has the path of the file, which is not told to others",
        nextStep: "Read another table")
    }
  }

  /// The most frequent values of a column in a list, each with the number of its rows.
  func values(
    ofColumn name: String, in list: ListParameters, limit: Int, _ connection: Connection
  ) throws -> [ValueCount] {
    try column(name, of: list, connection) {
      try connection.fetchValueCounts(of: "\(identifier: $0)", in: $1, limit: limit)
    }
  }

  /// The values of a column in a list as ranges, each with the number of its rows.
  func ranges(
    ofColumn name: String, in list: ListParameters, _ connection: Connection
  ) throws -> ValueRanges {
    let table = try origin(of: list, in: connection).table
    return try column(name, of: list, connection) { column, rows in
      let described = table?.columns.first { $0.name.exact == column.exact }
      return try ValueRanges(
        ofColumn: column, type: described?.declaredType ?? "", in: rows, connection)
    }
  }

  /// Reads a column of a list.
  private func column<Result>(
    _ name: String, of list: ListParameters, _ connection: Connection,
    _ body: (_ column: String, _ rows: FetchRequest<Row>) throws -> Result
  ) throws -> Result {
    let query = try query(bare(list, columns: [name]), in: connection)
    return try query.reading { try body(query.columns[0], query.request) }
  }

  /// The columns that can be shown of a source.
  func columns(_ list: ListParameters, in connection: Connection) throws -> [String] {
    var list = bare(list, columns: [])
    list.conditions = []
    return try query(list, in: connection).columns
  }

  /// A list without its order, sections and totals, and with other columns.
  func bare(_ list: ListParameters, columns: [String]) -> ListParameters {
    var list = list
    (list.by, list.sort, list.columns, list.totals) = (nil, [], columns, [])
    return list
  }

  /// The table or view that a URL names.
  func table(named name: String, in connection: Connection) throws -> TableDescription {
    let isInternal = name.lowercased().hasPrefix("sqlite_")
    guard !isInternal, let table = try connection.table(named: name) else {
      throw RequestError(
        404, "there is no table or view \(name.prefix(80))",
        nextStep: "Open / for the list of tables and views")
    }
    return table
  }

  /// The name of the source that is shown first.
  func firstName(in connection: Connection) throws -> String {
    if let given = given.first { return given.name }
    let tables = try connection.tables().filter { $0.kind != .shadow }
    // A view that cannot be read has no columns.
    guard let first = tables.first(where: { !$0.columns.isEmpty }) ?? tables.first else {
      throw RequestError(
        404, "the database has no tables", nextStep: "Create one", retryAfter: 2)
    }
    return first.name
  }

  /// The parameters of the page that is shown first.
  func firstPage(in connection: Connection) throws -> QueryItems {
    let name = try firstName(in: connection)
    return Entry.page(of: name, given(name))
  }
}
