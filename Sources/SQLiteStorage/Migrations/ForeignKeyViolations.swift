/// The rows of the main database that refer to rows that do not exist.
///
/// Nobody is to blame for those from before. They are recognized by their values, since a table that is rebuilt gives its
/// rows new rowids.
package struct ForeignKeyViolations {
  /// A row that refers to one that does not exist.
  package struct Violation {
    package let table: String
    package let parent: String
    fileprivate let kind: Kind
    fileprivate let rowID: Int64?

    fileprivate var description: String {
      let place = rowID.map { " (rowid \($0))" } ?? ""
      return "\(table)\(place) refers to a row of \(parent) that does not exist"
    }
  }

  fileprivate struct Kind: Hashable {
    /// The names are folded. Empty if the table is not in both versions: it may have been renamed.
    var table: ExactText
    var parent: ExactText
    /// What refers to the missing row; empty if the row has no rowid by which it is found.
    let values: [Value]
  }

  private let tables: Set<ExactText>
  private var violations: [Violation] = []
  /// The errors of tables whose foreign keys cannot be checked, by folded names.
  private var errors: [ExactText: DatabaseError] = [:]

  /// Complexity: O(n log n) for n rows with foreign keys.
  ///
  /// - Parameter only: the tables whose foreign keys are checked; nil for all.
  package init(in connection: Connection, tables only: [String]? = nil) throws {
    let names = try connection.values(
      String.self, "SELECT name FROM main.sqlite_schema WHERE type = 'table'")
    tables = Set(names.map(\.sqliteFolded))
    for name in only ?? names {
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
      violations.append(
        Violation(
          table: table, parent: parent,
          kind: Kind(table: table.sqliteFolded, parent: parent.sqliteFolded, values: values),
          rowID: rowID))
    }
  }

  /// The error of a table whose foreign keys could be checked before; nil if there is none.
  package func newError(since before: ForeignKeyViolations) -> DatabaseError? {
    errors.sorted { $0.key < $1.key }.first { before.errors[$0.key] == nil }?.value
  }

  /// The violations that were not there before.
  package func added(since before: ForeignKeyViolations) -> [Violation] {
    let common = tables.intersection(before.tables)
    func inBoth(_ kind: Kind) -> Kind {
      var kind = kind
      if !common.contains(kind.table) { kind.table = "" }
      if !common.contains(kind.parent) { kind.parent = "" }
      return kind
    }
    var known: [Kind: Int] = [:]
    for violation in before.violations { known[inBoth(violation.kind), default: 0] += 1 }
    // What could not be checked before may have been there.
    return violations.filter { violation in
      guard before.errors[violation.kind.table] == nil else { return false }
      let kind = inBoth(violation.kind)
      guard let count = known[kind], count > 0 else { return true }
      known[kind] = count - 1
      return false
    }
  }

  /// The error of a migration that made violations; nil if all of them were there before.
  func failure(of work: any MigrationWork, since before: ForeignKeyViolations) -> DatabaseError? {
    if let error = newError(since: before) {
      return work.failure("\(work.fileName): \(error.message)", error)
    }
    let added = added(since: before)
    guard let first = added.first else { return nil }
    return work.failure(
      "\(work.fileName) breaks foreign keys in \(added.count) row\(added.count == 1 ? "" : "s"): "
        + first.description)
  }
}
