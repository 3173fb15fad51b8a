internal import FetchedResults
internal import LiveQueries
internal import SQLiteStorage

/// Measures what a changed row costs, with rows that exist.
struct DerivationMeter {
  private let plan: QueryPlan
  private let connection: Connection
  private let clock = ContinuousClock()

  /// The maximum number of keys that are followed.
  private static let keyLimit = 1_000
  private static let repetitions = 9
  /// No repetition begins after this time.
  private static let timeLimit = Duration.milliseconds(200)

  init(_ plan: QueryPlan, _ connection: Connection) {
    self.plan = plan
    self.connection = connection
  }

  /// What one row of a reference costs; nil if the table is empty.
  func cost(of reference: ExplainedDerivations.TableReference) throws -> MaintenanceExplanation
    .Cost?
  {
    guard let row = try sample(of: reference.touched) else { return nil }
    var times: [Duration] = []
    var keys: Set<KeyTuple> = []
    let start = clock.now
    repeat {
      let begin = clock.now
      keys = try follow(reference, from: row)
      times.append(clock.now - begin)
    } while times.count < DerivationMeter.repetitions
      && clock.now - start < DerivationMeter.timeLimit
    times.sort()
    let median = times[times.count / 2] / .seconds(1)
    return MaintenanceExplanation.Cost(
      row: RowIdentity(row.values).description, keyCount: min(keys.count, DerivationMeter.keyLimit),
      hasMore: keys.count > DerivationMeter.keyLimit, seconds: median)
  }

  /// The key of a row from the middle of a table with a rowid, and of the first row of another.
  private func sample(of table: TableDescription) throws -> KeyTuple? {
    let source = "\(table.schema.quotedIdentifier).\(table.name.quotedIdentifier)"
    let query: String
    if let rowID = table.isKeyRowID ? table.key.first?.quotedIdentifier : table.rowIDName {
      query = """
        SELECT \(rowID) FROM \(source) WHERE \(rowID) >= (
          SELECT min(\(rowID)) + ((SELECT max(\(rowID)) FROM \(source)) - min(\(rowID))) / 2
          FROM \(source))
        ORDER BY \(rowID) LIMIT 1
        """
    } else {
      let key = table.key.map(\.quotedIdentifier).joined(separator: ", ")
      query = "SELECT \(key) FROM \(source) LIMIT 1"
    }
    var sample: KeyTuple?
    try connection.query(SQL(verbatim: query)) {
      sample = KeyTuple(packing: $0, columns: 0..<$0.count)
    }
    return sample
  }

  // MARK: - Following a derivation

  /// Runs the queries of a reference, and looks each key up that they lead to.
  private func follow(_ reference: ExplainedDerivations.TableReference, from row: KeyTuple) throws
    -> Set<KeyTuple>
  {
    var bound: Set<KeyTuple> = [row]
    for query in reference.queries {
      bound = try ask(query, bound)
      if bound.count > DerivationMeter.keyLimit { break }
    }
    guard reference.effect == .key || reference.effect == .rows else { return bound }
    try lookUp(bound.prefix(DerivationMeter.keyLimit))
    return bound
  }

  private func ask(_ query: String, _ bound: Set<KeyTuple>) throws -> Set<KeyTuple> {
    var found: Set<KeyTuple> = []
    let parameters = plan.maintenance.parameters
    _ = try connection.forEachRow(of: query, with: bound, parameters) { row in
      found.insert(KeyTuple(packing: row, columns: 0..<row.count))
      return found.count <= DerivationMeter.keyLimit
    }
    return found
  }

  private func lookUp(_ keys: some Sequence<KeyTuple>) throws {
    let (statement, firstUnbound) = try plan.statement(
      ofRow: plan.statements.observation, in: connection)
    defer { statement.reset() }
    for key in keys {
      statement.reset()
      try key.bind(to: statement, from: firstUnbound)
      while try statement.step() {}
    }
  }
}
