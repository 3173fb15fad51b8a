package import LiveQueries
package import SQLiteStorage

/// How a result is kept up to date when the database changes.
package struct MaintenancePlan: Sendable {
  /// How to find the rows that touched rows of each table may have changed; empty for a comparison.
  package var finders: [RowFinder] = []
  /// Why both versions are read and compared; nil if touched rows lead to those of the result.
  package var reason: String?
  /// The terms of the order whose values may depend on the order in which rows are read. A position cannot be searched
  /// by such a value. A sum is exact if it is an integer.
  var inexactTerms: [(term: Int, isSum: Bool)] = []
  /// The queries for one row, if those of the request would read many rows for it.
  var rowQueries: RowQueries?
  /// The columns of the key that `PARTITION BY` has, by their positions in it, and the query for the observed
  /// columns of all rows with the same values there. A window function of one row is computed from all of them.
  /// Nil if finding one row does not read the others.
  var partition: (key: [Int], rows: NumberedQuery)?
  /// How the aggregates of groups are held; nil if groups are evaluated again.
  package var held: HeldQueries?
  /// What is known of the SELECT, whatever it costs; nil if no query was needed, or nothing is known.
  package var live: LivePlan?
  /// The query that follows those of ``live`` if equal keys may be spelled in different ways.
  package var storedKey: PlanQuery?
  /// The values of the named parameters in the queries of ``live``, except for the key.
  package var parameters: [ExactText: Value] = [:]

  /// By comparing both versions.
  static func comparison(reason: String) -> MaintenancePlan { MaintenancePlan(reason: reason) }

  /// By comparing both versions, although something is known of the SELECT.
  func compared(because reason: String) -> MaintenancePlan {
    MaintenancePlan(reason: reason, live: live, storedKey: storedKey, parameters: parameters)
  }

  /// The only finder, if the key of the result follows from a touched row without a query; else nil.
  package var directFinder: RowFinder? {
    guard finders.count == 1, finders[0].isDirect else { return nil }
    return finders[0]
  }
}

/// How to find the rows of a result that a touched row of one table may have changed.
///
/// A class, because it has many parts and is passed along at every commit.
package final class RowFinder: Sendable {
  /// A table that the result reads. A table that is in `FROM` twice has two finders.
  package let table: TableDescription
  /// Its name among touched rows: each commit is looked up by it.
  let touchedTable: TouchedRows.Table
  let method: Method
  /// The values of the named parameters in the queries of ``method``, except for the key.
  let parameters: [ExactText: Value]
  /// The query of ``HeldAggregates/Contribution`` for what a touched row adds to its groups; nil if
  /// nothing is held of them.
  package let contribution: NumberedQuery?

  init(
    table: TableDescription, method: Method, parameters: [ExactText: Value] = [:],
    contribution: NumberedQuery? = nil
  ) {
    self.table = table
    touchedTable = TouchedRows.Table(table.name, in: table.schema)
    self.method = method
    self.parameters = parameters
    self.contribution = contribution
  }

  enum Method: Sendable {
    /// The rowid of the table is the key of the result.
    case rowID
    /// The primary key of the table is the key of the result.
    case key
    case live(LivePlan.Derivation)
  }

  /// Why touched rows of the table do not lead to rows of the result; nil if they do.
  var reason: String? { if case .live(.none(let reason)) = method { reason } else { nil } }

  /// Whether the key of the result follows from the touched row, without a query.
  var isDirect: Bool {
    switch method {
    case .rowID, .key: true
    case .live: false
    }
  }
}

/// How a result is kept up to date when the database changes, and the cost.
///
/// It says what is possible for a request. ``ChangeSource`` says what was used for one batch.
public enum Maintenance: Hashable, Codable, Sendable {
  /// From the touched rows of all tables that the request reads: O(k log n) for k rows of the result that depend on
  /// them.
  case touchedRows
  /// From the touched rows, but by comparison if rows of certain tables were touched. The reason
  /// names the tables and says why.
  case partlyTouchedRows(reason: String)
  /// By comparison: both versions are read in order, O(n). The reason says why.
  case comparison(reason: String)

  package init(_ plan: MaintenancePlan) {
    let reasons = plan.reason.map { [$0] } ?? plan.finders.compactMap(\.reason)
    let reason = reasons.joined(separator: "; ")
    self =
      reasons.isEmpty
      ? .touchedRows
      : reasons.count < plan.finders.count
        ? .partlyTouchedRows(reason: reason) : .comparison(reason: reason)
  }
}

/// Queries for one row of a result, in which the key is restricted where SQLite would not do it: in
/// each SELECT of a compound, in the list of an `IN`, in a SELECT that is joined.
struct RowQueries: Sendable {
  /// The columns of ``RequestParts/observation``. The last parameters are the values of the key.
  let observation: BoundSQL
  /// The columns of ``RequestParts/fetch``, with the same parameters.
  let fetch: BoundSQL
  /// The values of the other parameters, by their numbers.
  let parameters: [ExactText: Value]

  /// - Parameters:
  ///   - sql: a SELECT of ``LivePlan/restricted``.
  ///   - values: the values of its named parameters, except for the key.
  init(_ sql: String, _ parts: RequestParts, _ values: [ExactText: Value]) {
    let query = NumberedQuery(sql, values)
    observation = query.sql
    fetch = BoundSQL(parts.fetch(from: query.sql.text))
    parameters = query.parameters
  }
}

/// A query of a ``LivePlan`` with numbers in place of the names of its parameters: first those with
/// constant values, then those of ``KeyParameter``, which the caller binds.
package struct NumberedQuery: Sendable {
  package let named: String
  let sql: BoundSQL
  /// The values of the first parameters, by their numbers.
  let parameters: [ExactText: Value]

  /// - Parameter values: the values of the named parameters.
  init(_ sql: String, _ values: [ExactText: Value]) {
    named = sql
    let lexer = SQLLexer(sql)
    let names = lexer.lazy.filter { $0.kind == .parameter }.map {
      String(lexer.text($0).dropFirst()).exact
    }
    var numbers: [ExactText: Int] = [:]
    for name in names
    where KeyParameter.position(ofParameter: name.text) == nil && numbers[name] == nil {
      numbers[name] = numbers.count + 1
    }
    let text = lexer.map { token in
      let text = lexer.text(token)
      guard token.kind == .parameter else { return text }
      let name = String(text.dropFirst())
      let column = KeyParameter.position(ofParameter: name)
      return "?\(column.map { numbers.count + 1 + $0 } ?? numbers[name.exact] ?? 0)"
    }.joined()
    self.sql = BoundSQL(text).runOften
    parameters = Dictionary(
      uniqueKeysWithValues: numbers.map { ("\($0.value)".exact, values[$0.key] ?? .null) })
  }

  /// The statement, and the number of the first parameter that the caller binds.
  func statement(
    in connection: Connection, unboundCount: Int
  ) throws -> (Statement, firstUnbound: Int) {
    try connection.statement(for: sql, parameters: parameters, unboundCount: unboundCount)
  }
}
