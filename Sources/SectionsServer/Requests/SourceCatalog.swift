import FetchedResults
import RowQueries
import SQLiteStorage

/// The sources that a URL can name: the tables and views of the schema, and the source of the command
/// line.
struct SourceCatalog: Sendable {
  let given: GivenSource?

  /// The request for a list.
  ///
  /// - Throws: `RequestError` of status 404 for a source that does not exist, of 400 for a column.
  func query(_ list: ListParameters, in connection: Connection) throws -> RowQuery {
    let name = try list.source ?? firstName(in: connection)
    let isGiven = given.map { $0.name == name } ?? false
    let base = isGiven ? given : nil
    let table = base?.select == nil ? try table(named: name, in: connection) : nil
    let source = try RowSource(
      base?.select, or: table?.name ?? name, where: base?.condition, in: connection)
    let types = Dictionary(
      (table?.columns ?? []).map { ($0.name, $0.declaredType) }, uniquingKeysWith: { $1 })
    func column(_ name: String) throws -> String {
      guard let column = source.column(named: name) else {
        throw RequestError(
          400, "there is no column \(name.prefix(80)) in \(source.name)",
          nextStep: "The columns are: \(source.columns.listed)")
      }
      return column
    }
    if let by = list.by, by != base?.by { _ = try column(by) }
    let given = base?.sort ?? []
    for term in list.sort where !given.contains(term) {
      // Only columns: an expression would be SQL.
      _ = try source.order(by: [term], sections: nil)
    }
    var query = try RowQuery(
      source, by: list.by, sort: list.sort,
      columns: list.columns.isEmpty
        ? try base?.columns.map(source.columns(in:)) : try list.columns.map(column),
      totals: base?.totals ?? [], parameters: base?.parameters ?? [:],
      callersSQL: base?.callersSQL ?? [])
    for condition in list.conditions {
      let name = try column(condition.column)
      query.request = query.request.filter(
        condition.fragment(column: name, declaredType: types[name] ?? ""))
    }
    return query
  }

  /// The table or view that a URL names.
  private func table(named name: String, in connection: Connection) throws -> TableDescription {
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
    if let given { return given.name }
    guard let first = try connection.tables().first(where: { $0.kind != .shadow }) else {
      throw RequestError(404, "the database has no tables", nextStep: "Create one")
    }
    return first.name
  }

  /// The parameters of the page that is shown first.
  func firstPage(in connection: Connection) throws -> QueryItems {
    var items = QueryItems("source=\(QueryItems.encoded(try firstName(in: connection)))")
    if let by = given?.by { items.set("by", to: by) }
    for term in given?.sort ?? [] { items.append("sort", term) }
    return items
  }
}

extension SourceCatalog {
  /// A source as `/api/sources` lists it, without its count.
  struct Entry: Sendable {
    let name: String
    let kind: String
    let columns: [(name: String, type: String, isKey: Bool)]
    /// The SQL that counts its rows; nil if its parameters have values.
    let countSQL: String?
  }

  /// All sources, that of the command line first.
  func entries(in connection: Connection) throws -> [Entry] {
    var entries: [Entry] = []
    for table in try connection.tables() where table.kind != .shadow {
      let from =
        "SELECT count(*) FROM \(table.schema.quotedIdentifier).\(table.name.quotedIdentifier)"
      let isGiven = given?.table.map { $0 == table.name } ?? false
      let condition = isGiven ? given?.condition.map { " WHERE (\($0)\n)" } : nil
      let entry = Entry(
        name: table.name, kind: table.kind == .view ? "view" : "table",
        columns: table.columns.map { ($0.name, $0.declaredType, table.key.contains($0.name)) },
        countSQL: isGiven && given?.parameters.isEmpty == false ? nil : from + (condition ?? ""))
      if isGiven { entries.insert(entry, at: 0) } else { entries.append(entry) }
    }
    if let given, let select = given.select {
      let source = try RowSource(select, or: "", where: given.condition, in: connection)
      let condition = given.condition.map { " WHERE (\($0)\n)" } ?? ""
      let entry = Entry(
        name: given.name, kind: "select", columns: source.columns.map { ($0, "", false) },
        countSQL: given.parameters.isEmpty
          ? "SELECT count(*) FROM (\(select)\n)\(condition)" : nil)
      entries.insert(entry, at: 0)
    }
    return entries
  }
}
