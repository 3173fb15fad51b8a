internal import FetchedResults
internal import LiveQueries
internal import SQLiteStorage

/// How the rows of each table lead to the keys of a result, even if that costs too much.
struct ExplainedDerivations {
  struct TableReference {
    let table: String
    let schema: String
    /// The table with the touched rows, which for a full-text index is another one.
    let touched: TableDescription
    let effect: MaintenanceExplanation.Derivation.Effect
    let summary: String
    /// Why there is no derivation; nil if there is one, whatever it costs.
    var reason: String?
    var queries: [String] = []
    var finds: [String] = []
  }

  private(set) var references: [TableReference] = []
  /// The queries for one row of the result. One of them that only looks rows up is enough.
  private(set) var rowQueries: [String]

  init(of plan: QueryPlan, in connection: Connection) throws {
    let maintenance = plan.maintenance
    rowQueries = [plan.parts.observation.text]
    if let table = maintenance.directFinder?.table {
      references = [
        TableReference(
          table: table.name, schema: table.schema, touched: table, effect: .key,
          summary: "its key is the key of the result")
      ]
      return
    }
    if let held = maintenance.held {
      references = maintenance.finders.compactMap { TableReference($0, held) }
      return
    }
    guard let live = maintenance.live else { return }
    rowQueries += live.restricted
    let found: [LivePlan.TableReference]
    do throws(SelectRefusal) {
      found = try live.references
    } catch {
      // The reason why versions are compared is another one, which was found first.
      return
    }
    for reference in found {
      guard let table = try connection.table(named: reference.table, in: reference.schema) else {
        continue
      }
      let touched = try connection.fullTextContent(of: table) ?? table
      references.append(TableReference(reference, touched, maintenance.storedKey))
    }
  }
}

extension ExplainedDerivations.TableReference {
  /// The reference to a table in a SELECT whose aggregates are held.
  fileprivate init?(_ finder: RowFinder, _ held: HeldQueries) {
    guard let query = finder.contribution else { return nil }
    let names = held.terms.isEmpty ? "its rows" : held.terms.map(\.name).joined(separator: ", ")
    self.init(
      table: finder.table.name, schema: finder.table.schema, touched: finder.table, effect: .held,
      summary: "updates the aggregates of its group: \(names)", queries: [query.named],
      finds: ["what it adds to its group"])
  }

  fileprivate init(
    _ reference: LivePlan.TableReference, _ touched: TableDescription, _ storedKey: PlanQuery?
  ) {
    (table, schema, self.touched) = (reference.table, reference.schema, touched)
    var all: [PlanQuery] = []
    switch reference.derivation {
    case .queries(let queries):
      (effect, summary) = (.rows, queries.words.joined(separator: "; then "))
      all = queries + [storedKey].compactMap(\.self)
    case .value(let query):
      effect = .value
      summary = "one value for all rows; if it differs, the versions are compared"
      all = [query]
    case .invalidation(let queries):
      effect = .invalidation
      summary = "whether there is a NULL in a list; if there is, the versions are compared"
      all = queries
    case .none(let reason):
      (effect, summary, self.reason) = (.comparison, "the versions are compared", reason)
    }
    (queries, finds) = (all.map(\.sql), all.words)
  }
}

extension [PlanQuery] {
  /// What each of several queries finds. Each is asked with the rows of the one before.
  fileprivate var words: [String] {
    indices.map { self[$0].words(after: $0 > 0 ? self[$0 - 1].role : nil) }
  }
}

extension PlanQuery {
  /// - Parameter previous: the role of the query before it; nil for the first query.
  fileprivate func words(after previous: Role?) -> String {
    switch role {
    case .null: return "whether there is a NULL"
    case .value: return "the only row"
    case .storedKey: return "the key as it is stored"
    case .rows, .groups, .partitions: break
    }
    let items = values.reduce(into: Set<Int>()) { $0.formUnion($1.items) }
    let names = items.count == 1 ? [:] : tables
    let shown = values.map { $0.text(names) }.joined(separator: ", ")
    switch previous {
    case .groups?: return "what is made of these groups: \(shown)"
    case .partitions?: return "the rows in these partitions: \(shown)"
    case .some: return "what is made of these rows: \(shown)"
    case nil: break
    }
    if items.isEmpty { return "the only row" }
    if role == .rows {
      let owners = Set(items.compactMap { tables[$0] }).sorted().joined(separator: " and ")
      let rows = owners.isEmpty ? "the rows" : "the rows of \(owners)"
      return isOfBoundRow ? "its \(shown)" : "\(rows) that it matches: \(shown)"
    }
    let kind = role == .groups ? "group" : "partition"
    return isOfBoundRow
      ? "the \(kind) of the row: \(shown)" : "the \(kind)s of the rows that it matches: \(shown)"
  }
}
