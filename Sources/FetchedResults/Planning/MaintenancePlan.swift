internal import SQLiteStorage

/// How a result is kept up to date when the database changes.
enum MaintenancePlan: Sendable {
  /// From the touched rows of the tables that the result reads.
  ///
  /// - Parameters:
  ///   - inexactTerms: the terms of the order whose values may depend on the order in which rows are
  ///     read, if they are REAL.
  ///   - rowQueries: the queries for one row, if those of the request would read many rows for it.
  ///   - partition: the query for the rows of one partition, if finding one row reads all of them.
  ///   - held: how the aggregates of groups are held; nil if groups are evaluated again.
  case touchedRows(
    [RowFinder], inexactTerms: [Int] = [], rowQueries: RowQueries? = nil,
    partition: PartitionQuery? = nil, held: HeldQueries? = nil)
  /// By reading both versions and comparing them.
  case comparison(reason: String)

  /// The finders; nil for a comparison.
  var finders: [RowFinder]? {
    if case .touchedRows(let finders, _, _, _, _) = self { finders } else { nil }
  }

  /// The only finder, if the key of the result follows from a touched row without a query; else nil.
  var directFinder: RowFinder? {
    guard let finders, finders.count == 1, finders[0].isDirect else { return nil }
    return finders[0]
  }

  /// Why both versions are compared; nil if they need not be.
  var reason: String? {
    if case .comparison(let reason) = self { reason } else { nil }
  }
}

/// How to find the rows of a result that a touched row of one table may have changed.
///
/// A class, because it has many parts and is passed along at every commit.
final class RowFinder: Sendable {
  /// A table that the result reads. A table that is in `FROM` twice has two finders.
  let table: TableDescription
  let way: Way
  /// The values of the named parameters in the queries of ``way``, but for the key.
  let parameters: [String: Value]
  /// The query of ``HeldAggregates/Contribution`` for what a touched row adds to its groups; nil if
  /// nothing is held of them.
  let contribution: NumberedQuery?

  init(
    table: TableDescription, way: Way, parameters: [String: Value] = [:],
    contribution: NumberedQuery? = nil
  ) {
    self.table = table
    self.way = way
    self.parameters = parameters
    self.contribution = contribution
  }

  enum Way: Sendable {
    /// The rowid of the table is the key of the result.
    case rowID
    /// The primary key of the table is the key of the result.
    case key
    /// As found by ``LivePlan``.
    case live(LivePlan.Way)
  }

  /// Whether the key of the result follows from the touched row, without a query.
  var isDirect: Bool {
    switch way {
    case .rowID, .key: true
    case .live: false
    }
  }
}

/// How a result is kept up to date when the database changes, and the cost.
///
/// It says what is possible for a request. ``ChangeSource`` says what was used for one batch, and
/// ``/SQLiteStorage/Touched`` which rows of a database may differ between two snapshots.
public enum Maintenance: Hashable, Codable, Sendable {
  /// From the touched rows of all tables that the request reads: O(k log n) for k rows of the
  /// result that contain them.
  case touchedRows
  /// From the touched rows, but by comparison if rows of certain tables were touched. The reason
  /// names the tables and says why.
  case partlyTouchedRows(reason: String)
  /// By comparison: both versions are read in order, O(n). The reason says why.
  case comparison(reason: String)

  init(_ plan: MaintenancePlan) {
    switch plan {
    case .touchedRows(let finders, _, _, _, _):
      let reasons = finders.compactMap { finder in
        if case .live(.none(let reason)) = finder.way { reason } else { nil }
      }
      self =
        switch reasons.count {
        case 0: .touchedRows
        case finders.count: .comparison(reason: reasons.joined(separator: "; "))
        default: .partlyTouchedRows(reason: reasons.joined(separator: "; "))
        }
    case .comparison(let reason): self = .comparison(reason: reason)
    }
  }
}

/// The query for all rows of the result that have the same values in some columns of the key: those of
/// `PARTITION BY`. A window function of one row is computed from all of them.
struct PartitionQuery: Sendable {
  /// The columns of the key, by their positions in it.
  let key: [Int]
  /// The columns of ``RequestParts/observation``. The last parameters are the values of ``key``.
  let observation: BoundSQL
  /// The values of the other parameters, by their numbers.
  let parameters: [String: Value]
}

/// Queries for one row of a result, in which the key is restricted where SQLite would not do it: in
/// each SELECT of a compound, in the list of an `IN`, in a SELECT that is joined.
struct RowQueries: Sendable {
  /// The columns of ``RequestParts/observation``. The last parameters are the values of the key.
  let observation: BoundSQL
  /// The columns of ``RequestParts/fetch``, with the same parameters.
  let fetch: BoundSQL
  /// The values of the other parameters, by their numbers.
  let parameters: [String: Value]

  /// - Parameters:
  ///   - sql: a SELECT of ``LivePlan/restricted``.
  ///   - values: the values of its named parameters, but for the key.
  init(_ sql: String, _ parts: RequestParts, _ values: [String: Value]) {
    let query = NumberedQuery(sql, values)
    observation = query.sql
    fetch = BoundSQL(parts.fetch(from: query.sql.text))
    parameters = query.parameters
  }
}

/// A query of a ``LivePlan`` with numbers in place of the names of its parameters: first those with
/// constant values, then those of ``LivePlan/parameter(_:)``, which the caller binds.
struct NumberedQuery: Sendable {
  /// The query with names.
  let named: String
  let sql: BoundSQL
  /// The values of the first parameters, by their numbers.
  let parameters: [String: Value]

  /// - Parameter values: the values of the named parameters.
  init(_ sql: String, _ values: [String: Value]) {
    named = sql
    let lexer = SQLLexer(sql)
    let names = lexer.lazy.filter { $0.kind == .parameter }.map {
      String(lexer.text($0).dropFirst())
    }
    var numbers: [String: Int] = [:]
    for name in names where LivePlan.keyColumn(ofParameter: name) == nil && numbers[name] == nil {
      numbers[name] = numbers.count + 1
    }
    let text = lexer.map { token in
      let text = lexer.text(token)
      guard token.kind == .parameter else { return text }
      let name = String(text.dropFirst())
      let column = LivePlan.keyColumn(ofParameter: name)
      return "?\(column.map { numbers.count + 1 + $0 } ?? numbers[name] ?? 0)"
    }.joined()
    self.sql = BoundSQL(text)
    parameters = Dictionary(
      uniqueKeysWithValues: numbers.map { ("\($0.value)", values[$0.key] ?? .null) })
  }

  /// The statement, and the number of the first parameter that the caller binds.
  func statement(
    in connection: Connection, unboundCount: Int
  ) throws -> (Statement, firstUnbound: Int) {
    try connection.statement(for: sql, parameters: parameters, unboundCount: unboundCount)
  }
}
