/// The rows of the main database that refer to rows that do not exist.
///
/// A migration is not to blame for those from before. They are recognized by their values, since a table that is
/// rebuilt gives its rows new rowids.
struct ForeignKeyViolations {
  private struct Kind: Hashable {
    /// The names are folded. Empty if the table is not in both versions: it may have been renamed.
    var table: ExactText
    var parent: ExactText
    /// What refers to the missing row; empty if the row has no rowid by which it is found.
    let values: [Value]
  }

  private let tables: Set<ExactText>
  private var violations: [(kind: Kind, description: String)] = []
  /// The errors of tables whose foreign keys cannot be checked, by folded names.
  private var errors: [ExactText: DatabaseError] = [:]

  /// Complexity: O(n log n) for n rows with foreign keys.
  init(in connection: Connection) throws {
    let names = try connection.values(
      String.self, "SELECT name FROM main.sqlite_schema WHERE type = 'table'")
    tables = Set(names.map(\.sqliteFolded))
    for name in names {
      do {
        try add(table: name, in: connection)
      } catch let error as DatabaseError where .error ~= error.resultCode {
        errors[name.sqliteFolded] = error
      }
    }
  }

  private mutating func add(table: String, in connection: Connection) throws {
    var found: [(rowID: Int64?, parent: String, key: Int64)] = []
    let check = "PRAGMA main.foreign_key_check(\(table.quotedIdentifier))"
    try connection.query(SQL(verbatim: check)) { row in
      found.append(
        (row.isNull(at: 1) ? nil : row.int64(at: 1), row.string(at: 2), row.int64(at: 3)))
    }
    if found.isEmpty { return }
    // A row without a rowid, or whose rowid columns hide, is recognized by its table and parent alone.
    let rowIDName = try connection.table(named: table, in: "main")?.rowIDName
    for (rowID, parent, key) in found {
      var values: [Value] = []
      if let rowID, let rowIDName {
        let columns = try connection.values(
          String.self,
          "SELECT \"from\" FROM pragma_foreign_key_list(?, 'main') WHERE id = ? ORDER BY seq",
          [.text(table), .integer(key)])
        let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
        let query = "SELECT \(list) FROM main.\(table.quotedIdentifier) WHERE \(rowIDName) = ?"
        try connection.query(SQL(verbatim: query), [.integer(rowID)]) { row in
          values = columns.indices.map { row.value(at: $0) }
        }
      }
      let place = rowID.map { " (rowid \($0))" } ?? ""
      violations.append(
        (
          Kind(table: table.sqliteFolded, parent: parent.sqliteFolded, values: values),
          "\(table)\(place) refers to a row of \(parent) that does not exist"
        ))
    }
  }

  /// The error of a migration that made violations; nil if all of them were there before.
  func failure(of work: any MigrationWork, since before: ForeignKeyViolations) -> DatabaseError? {
    let common = tables.intersection(before.tables)
    func inBoth(_ kind: Kind) -> Kind {
      var kind = kind
      if !common.contains(kind.table) { kind.table = "" }
      if !common.contains(kind.parent) { kind.parent = "" }
      return kind
    }
    if let (_, error) = errors.sorted(by: { $0.key < $1.key }).first(where: {
      before.errors[$0.key] == nil
    }) {
      return work.failure("\(work.fileName): \(error.message)", error)
    }
    var known: [Kind: Int] = [:]
    for violation in before.violations { known[inBoth(violation.kind), default: 0] += 1 }
    var added: [String] = []
    // What could not be checked before may have been there.
    for violation in violations where before.errors[violation.kind.table] == nil {
      let kind = inBoth(violation.kind)
      if let count = known[kind], count > 0 {
        known[kind] = count - 1
      } else {
        added.append(violation.description)
      }
    }
    guard let first = added.first else { return nil }
    return work.failure(
      "\(work.fileName) breaks foreign keys in \(added.count) row\(added.count == 1 ? "" : "s"): "
        + first)
  }
}
