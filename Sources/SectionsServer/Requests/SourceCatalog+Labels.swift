import RowQueries
import SQLiteStorage

/// The names of the rows that foreign keys refer to.
extension SourceCatalog {
  /// A column that refers to another table, and the label of that.
  struct LabelledReference: Sendable {
    let column: String
    let target: TableDescription
    let label: String

    /// The condition that a text is in the label of the row that a row of `table` refers to.
    ///
    /// It is EXISTS and not IN: so a row of `table` costs one look-up, and not all of the target.
    func condition(_ text: String, in table: TableDescription) -> SQL {
      // Differs from the name of the table, which may refer to itself.
      let alias: SQL = "\(identifier: "\(table.name) refers to")"
      // The column of the target comes first, so its collation counts, as for the foreign key.
      return """
        EXISTS (SELECT 1 FROM \(identifier: target.schema).\(identifier: target.name) AS \(alias) \
        WHERE \(alias).\(identifier: target.key[0]) = \(identifier: table.name).\(identifier: column) \
        AND \(alias).\(identifier: label) LIKE \(contains: text))
        """
    }
  }

  /// The columns of a table that refer to the primary key of one with a label.
  func labelledReferences(
    of table: TableDescription, in connection: Connection
  ) throws -> [LabelledReference] {
    let tables = try connection.tables().filter { $0.schema.exact == table.schema.exact }
    let foreignKeys = try foreignKeys(between: tables, in: connection)
    func described(_ table: TableDescription) -> Entry {
      entry(of: table, foreignKeys[table] ?? [])
    }
    return described(table).columns.compactMap { column in
      guard let reference = column.reference,
        let target = tables.first(where: { $0.name.exact == reference.source.exact }),
        target.key.exact == [reference.column.exact], let label = described(target).label
      else { return nil }
      return LabelledReference(column: column.name, target: target, label: label)
    }
  }
}

extension SourceCatalog.Entry {
  /// The column by which people know the rows; nil if there is none. It has a likely name, or else is the first text that
  /// is neither key nor reference.
  var label: String? {
    let likely = Self.likelyLabels.lazy.compactMap { name in
      columns.first { $0.name.lowercased().filter { $0 != "_" } == name }
    }.first
    let column =
      likely ?? columns.first { $0.type.isTextType && !$0.isKey && $0.reference == nil }
    return column?.name
  }

  /// The most likely first, in small letters and without underscores, so that `LastName` and `last_name` are found alike.
  /// `title` comes after the names of people, who may have a title too.
  private static let likelyLabels = [
    "name", "displayname", "fullname", "lastname", "surname", "familyname", "title", "label",
    "subject", "email",
  ]
}

extension String {
  /// Whether a column of this declared type holds text.
  var isTextType: Bool {
    let type = uppercased()
    return ["CHAR", "CLOB", "TEXT"].contains { type.contains($0) }
  }
}
