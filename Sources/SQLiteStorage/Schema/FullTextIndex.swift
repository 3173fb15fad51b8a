/// An FTS5 table, as its definition describes it.
///
/// Source: [FTS5](https://www.sqlite.org/fts5.html#external_content_and_contentless_tables).
package struct FullTextIndex: Hashable, Sendable {
  package let name: String
  /// The table or view that has the texts; nil if the index has them itself, empty if nothing has them.
  package private(set) var content: String?
  /// The column of `content` whose values are the rowids of the index.
  package private(set) var contentRowID = "rowid"

  /// - Parameter definition: the SQL in `sqlite_schema`.
  /// - Returns: nil if it is not that of an FTS5 table.
  package init?(_ name: String, definition: String) {
    self.name = name
    let lexer = SQLLexer(definition)
    let tokens = lexer.filter { ![.space, .comment].contains($0.kind) }
    let using = tokens.firstIndex {
      $0.kind == .word && lexer.text($0).sqliteFolded == "using"
    }
    guard let using else { return nil }
    let words = tokens[(using + 1)...].map { lexer.text($0).unquotedName }
    guard words.first?.sqliteFolded == "fts5" else { return nil }
    for (option, (sign, value)) in zip(words, zip(words.dropFirst(), words.dropFirst(2)))
    where sign == "=" {
      switch option.sqliteFolded {
      case "content": content = value
      case "content_rowid": contentRowID = value
      default: continue
      }
    }
  }
}

extension FullTextIndex {
  /// Whether the index finds rows of a table or view of its schema.
  package func indexes(_ table: TableDescription) -> Bool {
    guard content?.sqliteFolded == table.name.sqliteFolded else { return false }
    let name = contentRowID.sqliteFolded
    return table.columns.contains { $0.name.sqliteFolded == name }
      || table.rowIDName != nil && TableDescription.rowIDNames.exact.contains(name)
  }
}

extension Connection {
  /// The FTS5 tables of a schema, by name.
  package func fullTextIndexes(in schema: String) throws -> [FullTextIndex] {
    var indexes: [FullTextIndex] = []
    try query(
      SQL(
        verbatim: """
          SELECT name, sql FROM \(schema.quotedIdentifier).sqlite_schema
          WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%' ORDER BY name
          """)
    ) { row in
      if let index = FullTextIndex(row.string(at: 0), definition: row.string(at: 1)) {
        indexes.append(index)
      }
    }
    return indexes
  }

  /// The table with the texts of a full-text index, whose touched rows are those of the index; nil
  /// if the index has no such table. Its other tables do not show each change of a text.
  ///
  /// Source: [FTS5](https://www.sqlite.org/fts5.html#fts5_data_structures).
  package func fullTextContent(of table: TableDescription) throws -> TableDescription? {
    guard FullTextIndex(table.name, definition: try definition(of: table)) != nil else {
      return nil
    }
    return try self.table(named: table.name + "_content", in: table.schema)
  }
}
