import FetchedResults
import RowQueries
import SQLiteStorage

/// The sources as `/api/sources` lists them.
extension SourceCatalog {
  /// A column as `/api/sources` lists it.
  struct Column: Sendable {
    let name: String
    var type = ""
    var isKey = false
    /// What the column refers to by a foreign key of its own.
    var reference: (source: String, column: String)?
  }

  /// A source as `/api/sources` lists it, without its count.
  struct Entry: Sendable {
    let name: String
    let kind: String
    let columns: [Column]
    /// The foreign keys of several columns.
    var keys: [ForeignKey] = []
    /// The SQL that counts its rows; nil if its parameters have values.
    let countSQL: SQL?
    /// Whether it has a full-text index.
    var isIndexed = false
    /// The names of the columns that are shown if a URL names none; nil for all.
    var shown: [String]?
    /// The sections and the order with which it is opened, if it is given.
    var given: GivenSource?

    /// The parameters of its page.
    var page: QueryItems { Entry.page(of: name, given) }

    static func page(of name: String, _ given: GivenSource?) -> QueryItems {
      var items = QueryItems("source=\(QueryItems.encoded(name))")
      if let by = given?.rows.by { items.set("by", to: by) }
      for term in given?.rows.sort ?? [] { items.append("sort", term) }
      return items
    }
  }

  /// All sources, those of the command line or the configuration first. A list of a configuration takes the
  /// place of a table of its name.
  func entries(in connection: Connection) throws -> [Entry] {
    let tables = try connection.tables().filter { $0.kind != .shadow }
    let facts = SchemaFacts(
      foreignKeys: try foreignKeys(between: tables, in: connection),
      indexed: try indexed(tables, in: connection))
    let first = given.map { entry(of: $0, tables, facts, in: connection) }
    return first + tables.filter { given($0.name) == nil }.map { entry(of: $0, facts) }
  }

  /// What the schema says of tables beside their columns.
  private struct SchemaFacts {
    let foreignKeys: [TableDescription: [ForeignKey]]
    /// Those with a full-text index.
    let indexed: Set<TableDescription>
  }

  private func indexed(
    _ tables: [TableDescription], in connection: Connection
  ) throws -> Set<TableDescription> {
    var indexes: [ExactText: [FullTextIndex]] = [:]
    for schema in Set(tables.map(\.schema).exact) {
      indexes[schema] = try connection.fullTextIndexes(in: schema.text)
    }
    return Set(
      tables.filter { table in
        indexes[table.schema.exact, default: []].contains { $0.indexes(table) }
      })
  }

  private func entry(of table: TableDescription, _ facts: SchemaFacts) -> Entry {
    var entry = entry(of: table, facts.foreignKeys[table] ?? [])
    entry.isIndexed = facts.indexed.contains(table)
    return entry
  }

  /// - Parameter keys: the foreign keys of the table.
  func entry(of table: TableDescription, _ keys: [ForeignKey]) -> Entry {
    Entry(
      name: table.name, kind: table.kind == .view ? "view" : "table",
      columns: table.columns.map { column in
        let reference = keys.last { $0.columns.exact == [column.name.exact] }
        return Column(
          name: column.name, type: column.declaredType,
          isKey: table.key.exact.contains(column.name.exact),
          reference: reference.map { ($0.source, $0.referred[0]) })
      },
      keys: keys.filter { $0.columns.count > 1 },
      countSQL: "SELECT count(*) FROM \(identifier: table.schema).\(identifier: table.name)")
  }

  private func entry(
    of given: GivenSource, _ tables: [TableDescription], _ facts: SchemaFacts,
    in connection: Connection
  ) -> Entry {
    let condition = SQL(verbatim: given.rows.condition.map { " WHERE (\($0)\n)" } ?? "")
    // A source that can no longer be read has no columns. Its error is shown when it is opened.
    let source = try? given.rows.rowSource(in: connection)
    let entry: Entry
    if let table = tables.first(where: { $0.name.exact == given.table?.exact }) {
      entry = self.entry(of: table, facts)
    } else {
      entry = Entry(
        name: given.name, kind: "select",
        columns: (source?.columns ?? []).map { Column(name: $0) },
        countSQL: given.rows.select.map {
          SQL(verbatim: "SELECT count(*) FROM (\($0.trimmingTerminator)\n)")
        })
    }
    let shown = (try? source?.columns(in: given.rows.columns)) ?? []
    return Entry(
      name: given.name, kind: given.list == nil ? entry.kind : "list", columns: entry.columns,
      keys: entry.keys,
      countSQL: given.rows.parameters.isEmpty ? entry.countSQL.map { "\($0)\(condition)" } : nil,
      isIndexed: entry.isIndexed, shown: shown.isEmpty ? nil : shown,
      given: given)
  }
}
