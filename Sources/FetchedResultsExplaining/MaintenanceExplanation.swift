public import FetchedResults
internal import SQLiteStorage

/// How a result is kept up to date, in detail: which queries lead from a changed row to rows of the
/// result, how SQLite runs them, and which index would help.
///
/// ```swift
/// let explanation = try request.explained(in: database)
/// print(explanation)
/// for index in explanation.indexes { print(index.sql) }
/// ```
///
/// The texts are for people. SQLite writes the steps of its plans, and other versions of SQLite may
/// write them differently.
///
/// Sendable: a plain value.
public struct MaintenanceExplanation: Hashable, Codable, Sendable {
  /// How the result is kept up to date, and why.
  public let maintenance: Maintenance
  /// The table or view that is read; nil for a SELECT.
  public let source: String?
  /// The columns that identify a row; empty if nothing does.
  public let key: [String]
  /// Whether the rows are packed in memory, since SQLite would read many of them to find one again.
  public let isPacked: Bool
  /// How a changed row affects the result, for each reference to a table. A table that is read
  /// twice has two. Empty if nothing is known but the reason in ``maintenance``.
  public let derivations: [Derivation]
  /// The query for one row of the result, which is asked in both versions for each key that the derivations
  /// lead to. Its last parameters are the values of the key. Nil if rows have no key.
  public let row: Query?
  /// The aggregates that have a counter for each group, such as `sum(milliseconds)`: a changed row adjusts
  /// the counter, and the rest of its group is not read. ``row`` is then the query for the counters of a
  /// group that was not changed lately. Empty if there are none.
  public let held: [String]
  /// The indexes with which ``maintenance`` would be better. They were tried on an empty copy of the
  /// schema. Empty if none helps, or if other files are attached.
  public let indexes: [Index]
  /// How the result would be kept up to date with ``indexes``; nil if there are none.
  public let maintenanceWithIndexes: Maintenance?

  /// How a changed row of a table affects the result.
  public struct Derivation: Hashable, Codable, Sendable {
    /// What a changed row leads to.
    public enum Effect: String, Hashable, Codable, Sendable {
      /// The key of the row is the key of the result.
      case key
      /// The last query returns keys of the result.
      case rows
      /// The query has one value for all rows: if it differs between the versions, they are
      /// compared.
      case value
      /// If the last query returns a row, the versions are compared.
      case invalidation
      /// The query returns what the row adds to the counters of its group:
      /// ``MaintenanceExplanation/held``.
      case held
      /// The versions are compared.
      case comparison
    }

    /// The name of the table.
    public let table: String
    /// The schema of the table: `main`, or the name of an attached database.
    public let schema: String
    /// What the row leads to.
    public let effect: Effect
    /// The same in words.
    public let summary: String
    /// Why the versions are compared; nil if they need not be.
    public let reason: String?
    /// The queries. Each is asked in both versions, with every row of the one before it. The parameters of
    /// the first are the key of the changed row.
    public let queries: [Query]
    /// What one row costs; nil if it was not measured.
    public let cost: Cost?
  }

  /// A query, and how SQLite runs it.
  public struct Query: Hashable, Codable, Sendable {
    /// What the query finds, in words.
    public let finds: String
    /// The query, on one line and without comments.
    public let sql: String
    /// The steps of SQLite's plan. Empty if SQLite cannot run the query.
    public let steps: [Step]
    /// Why the query costs too much; nil if it only looks rows up.
    public let obstacle: String?
  }

  /// A step of SQLite's plan.
  public struct Step: Hashable, Codable, Sendable {
    /// The step, as SQLite writes it.
    public let detail: String
    /// Whether it reads more rows than the query returns.
    public let isObstacle: Bool
    /// The steps that are a part of this one.
    public let parts: [Step]
  }

  /// What one changed row costs. It was measured with a row from the middle of the table, in one
  /// version and with the pages in memory: a commit asks in both versions.
  public struct Cost: Hashable, Codable, Sendable {
    /// The key of the row.
    public let row: String
    /// The number of keys of the result that the row leads to.
    public let keyCount: Int
    /// Whether there are more keys than were counted.
    public let hasMore: Bool
    /// The median time in seconds of all queries: those of the derivation, and that for the row of each
    /// key.
    public let seconds: Double
  }

  /// An index that would help.
  public struct Index: Hashable, Codable, Sendable {
    /// The name of the table.
    public let table: String
    /// The indexed columns and expressions, as in SQL.
    public let columns: [String]
    /// The statement that creates the index.
    public let sql: String
  }
}

extension MaintenanceExplanation {
  /// How the result is kept up to date, in a sentence or two.
  public var verdict: String {
    switch maintenance {
    case .touchedRows: lookUps
    case .partlyTouchedRows:
      "\(lookUps) \(compared(derivations.filter { $0.effect == .comparison }))"
    case .comparison(let reason): "The versions are compared after each commit: \(reason)."
    }
  }

  private var lookUps: String {
    let found = derivations.filter { $0.effect != .comparison }
    if found.contains(where: { $0.effect == .held }) {
      let counters = held.count > 1 ? "have counters" : "has a counter"
      return "A changed row of \(tables(of: found)) costs look-ups only"
        + (held.isEmpty ? ": the groups are counted." : ": \(held.list("and")) \(counters).")
    }
    let values = found.filter { $0.effect == .value }
    guard !found.isEmpty else { return "A changed row costs look-ups only." }
    guard values.isEmpty else {
      return
        "A changed row of \(tables(of: found)) costs look-ups. If rows of \(tables(of: values)) "
        + "change, a value for all rows is computed too."
    }
    return "A changed row of \(tables(of: found)) costs look-ups only."
  }

  private func compared(_ derivations: [Derivation]) -> String {
    let reasons = derivations.compactMap(\.reason).distinct.joined(separator: "; ")
    return "If rows of \(tables(of: derivations)) change, the versions are compared: \(reasons)."
  }

  private func tables(of derivations: [Derivation]) -> String {
    derivations.map(\.table).distinct.list("or")
  }
}

extension [String] {
  /// The strings without those that are equal to an earlier one.
  fileprivate var distinct: [String] {
    var seen: Set<ExactText> = []
    return filter { seen.insert($0.exact).inserted }
  }

  /// The strings as a list in a sentence.
  ///
  /// - Parameter word: what is before the last.
  fileprivate func list(_ word: String) -> String {
    guard let last, count > 1 else { return joined() }
    return dropLast().joined(separator: ", ") + " \(word) \(last)"
  }
}
