import NIOHTTP1
import SQLiteStorage

/// The page of the schema: for each table its columns, keys, indexes and triggers, and the SQL as the file has it. It
/// needs no JavaScript.
struct SchemaPage {
  let databaseName: String
  let schema: SchemaDescription

  var html: HTMLPage {
    let title = "Schema · \(databaseName)"
    let links = schema.tables.map {
      "<li><a href=\"\(link(to: $0.name))\"><span class=\"name\">\(escaped($0.name))</span></a></li>\n"
    }
    return HTMLPage(
      title: title, styles: ["page.css", "schema.css"], bodyClass: "schema",
      body: """
        <a class="skip" href="#schema">Skip to the schema</a>
        <nav id="sources" aria-label="Tables and views">
        <p class="database"><a href="./">\(escaped(databaseName))</a></p>
        <ul>
        \(links.joined())</ul>
        </nav>
        <main id="schema" tabindex="-1">
        <header><h1>Schema</h1> <a href="./">All rows</a>
        \(HTMLPage.themeButton)</header>
        \(schema.tables.map(section).joined(separator: "\n"))
        </main>
        """)
  }

  private func escaped(_ text: String) -> String { HTML.escaped(text) }

  private func link(to table: String) -> String { "#t-\(QueryItems.encoded(table))" }

  private func section(_ table: SchemaDescription.Table) -> String {
    let rows = "./?source=\(QueryItems.encoded(table.name))"
    var parts = [
      """
      <section id="t-\(escaped(table.name))">
      <h2>\(escaped(table.name)) <span class="count">\(table.kind)</span> <a href="\(rows)">Rows</a></h2>
      """
    ]
    if !table.columns.isEmpty { parts.append(columns(of: table)) }
    let keys = table.foreignKeys.filter { $0.columns.count > 1 }.map {
      "\(escaped($0.columns.joined(separator: ", "))) → \(reference($0))"
    }
    parts += list("Keys of several columns", keys)
    let referring = schema.tables.filter { other in
      other.foreignKeys.contains { $0.table.sqliteFolded == table.name.sqliteFolded }
    }
    parts += list(
      "Referred to by",
      referring.map { "<a href=\"\(link(to: $0.name))\">\(escaped($0.name))</a>" })
    parts += list("Indexes", table.indexes.map(described))
    parts += list(
      "Triggers", table.triggers.map { "\(escaped($0.name))\n<pre>\(escaped($0.sql))</pre>" })
    if let sql = table.sql { parts.append("<h3>SQL</h3>\n<pre>\(escaped(sql))</pre>") }
    return (parts + ["</section>"]).joined(separator: "\n")
  }

  private func list(_ title: String, _ items: [String]) -> [String] {
    guard !items.isEmpty else { return [] }
    return ["<h3>\(title)</h3>\n<ul>\(items.map { "<li>\($0)</li>" }.joined(separator: "\n"))</ul>"]
  }

  private func columns(of table: SchemaDescription.Table) -> String {
    let rows = table.columns.map { column in
      let keys = table.foreignKeys.filter {
        $0.columns.count == 1 && $0.columns[0].sqliteFolded == column.name.sqliteFolded
      }
      let isOnlyKey = table.columns.count { $0.keyPosition > 0 } == 1
      let key = column.keyPosition == 0 ? "" : isOnlyKey ? "key" : "key, \(column.keyPosition)"
      let notes = [
        column.isNotNull ? "NOT NULL" : "", column.isGenerated ? "generated" : "",
        column.defaultSQL.map { "DEFAULT \($0)" } ?? "",
      ].filter { !$0.isEmpty }
      let cells = [
        "<th scope=\"row\">\(escaped(column.name))</th>", "<td>\(escaped(column.type))</td>",
        "<td>\(key)</td>", "<td>\(escaped(notes.joined(separator: ", ")))</td>",
        "<td>\(keys.map(reference).joined(separator: "<br>"))</td>",
      ]
      return "<tr>\(cells.joined())</tr>"
    }
    return """
      <div class="columns" tabindex="0" role="region" aria-label="Columns of \(escaped(table.name))"><table class="plain">
      <thead><tr><th scope="col">Column</th><th scope="col">Type</th><th scope="col">Key</th>\
      <th scope="col">Rules</th><th scope="col">Refers to</th></tr></thead>
      <tbody>
      \(rows.joined(separator: "\n"))
      </tbody></table></div>
      """
  }

  private func reference(_ key: SchemaDescription.ForeignKey) -> String {
    let columns = key.referred.isEmpty ? "" : " (\(key.referred.joined(separator: ", ")))"
    let rest = ([columns] + key.actions).joined(separator: " ")
    // A key may refer to a table that does not exist.
    let target = schema.tables.first { $0.name.sqliteFolded == key.table.sqliteFolded }
    let name = escaped(target?.name ?? key.table)
    return (target.map { "<a href=\"\(link(to: $0.name))\">\(name)</a>" } ?? name) + escaped(rest)
  }

  private func described(_ index: SchemaDescription.Index) -> String {
    let kind = index.isUnique ? ", unique" : ""
    let sql =
      index.sql.map { "\n<pre>\(escaped($0))</pre>" }
      ?? " <span class=\"count\">by a constraint</span>"
    return "\(escaped(index.name)) (\(escaped(index.columns.joined(separator: ", "))))\(kind)\(sql)"
  }
}

extension SectionsServer {
  /// The page of the schema.
  func schemaPage(_ request: HTTPRequestHead) async throws -> Answer {
    let schema = try await sources.reading { try SchemaDescription($0) }
    let page = SchemaPage(databaseName: options.databaseName, schema: schema).html
    return await .tagged(Answer.tag(of: page.bytes), request) { page.answer() }
  }
}
