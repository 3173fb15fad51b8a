internal import SQLiteStorage

/// The tables and views that names in a SELECT can mean, as the caller knows them.
package struct SelectSchema: Sendable {
  struct Column: Sendable {
    let name: String
    /// The declared type; empty if there is none.
    var type = ""
    var collation = "BINARY"
    var isNotNull = false
    /// Whether `*` does not include it, as the hidden columns of a virtual table.
    var isHidden = false

    init(
      _ name: String, type: String = "", collation: String = "BINARY", isNotNull: Bool = false,
      isHidden: Bool = false
    ) {
      self.name = name
      self.type = type
      self.collation = collation
      self.isNotNull = isNotNull
      self.isHidden = isHidden
    }
  }

  enum Kind: Sendable {
    case table
    /// - Parameter sql: its `CREATE VIEW`.
    case view(sql: String)
    /// A full-text index, whose touched rowids another table shows.
    case fullText
  }

  struct Table: Sendable {
    var schema = "main"
    let name: String
    var kind = Kind.table
    let columns: [Column]
    /// The columns that identify a touched row: the rowid, or the primary key of a table WITHOUT
    /// ROWID. They are never NULL.
    let key: [String]
    /// Other columns that identify a row: those of a UNIQUE constraint or index, if none of them can
    /// be NULL.
    var uniqueKeys: [[String]] = []
    /// The columns of UNIQUE constraints and indexes of which some can be NULL: two rows that have the
    /// same values there have a NULL among them.
    var sharedKeys: [[String]] = []
    var hasRowID = true

    var isFullText: Bool { if case .fullText = kind { true } else { false } }
  }

  private let tables: [ExactText: [Table]]
  /// The names in lower case of functions that make one value of several rows.
  let aggregates: Set<ExactText>

  /// - Parameter tables: in the order in which SQLite searches their schemas.
  init(tables: [Table], aggregates: Set<ExactText>) {
    self.tables = Dictionary(grouping: tables) { $0.name.sqliteFolded }
    self.aggregates = aggregates
  }

  func table(_ name: String, in schema: String?) -> Table? {
    tables[name.sqliteFolded]?.first { table in
      schema.map { $0.sqliteFolded == table.schema.sqliteFolded } ?? true
    }
  }

  /// The columns of a table-valued function whose rows depend on its arguments alone; nil if it is
  /// not known.
  static func columns(ofFunction name: String) -> [Column]? {
    switch name.sqliteFolded {
    case "json_each", "json_tree":
      ["key", "value", "type", "atom", "id", "parent", "fullkey", "path"].map { Column($0) }
        + ["json", "root"].map { Column($0, isHidden: true) }
    case "generate_series":
      [Column("value")] + ["start", "stop", "step"].map { Column($0, isHidden: true) }
    default: nil
    }
  }
}
