import FetchedResultsExplaining
import SQLiteStorage
import TableDataTesting
import Testing

@testable import FetchedResults
@testable import LiveQueries

/// The explanation of every kind of SELECT says what its plan does.
@Suite struct LiveExplanationTests {
  private static let withoutIndexes = TwoVersions.creation.split(separator: "\n")
    .filter { !$0.hasPrefix("CREATE INDEX") }.joined(separator: "\n")

  /// Databases for tests that only read.
  private static let indexed = Result { try store(TwoVersions.creation) }
  private static let unindexed = Result { try store(withoutIndexes) }

  private static func store(_ script: String) throws -> Database {
    let database = try Database.inMemory()
    try database.write { try $0.execute(script: script) }
    return database
  }

  private func explanation(
    of shape: LiveShape, in database: Database
  ) throws -> MaintenanceExplanation {
    try FetchRequest<Row>(select: SQL(verbatim: shape.sql), key: shape.keys).explained(in: database)
  }

  @Test(arguments: LiveShape.all, [true, false])
  func waysAreThoseOfThePlan(_ shape: LiveShape, hasIndexes: Bool) throws {
    let database = try (hasIndexes ? Self.indexed : Self.unindexed).get()
    let explanation = try explanation(of: shape, in: database)
    let plan = try plan(of: shape, in: database)
    #expect(explanation.maintenance == Maintenance(plan.maintenance))
    let finders = plan.maintenance.finders
    guard plan.maintenance.reason == nil else {
      #expect(explanation.row != nil)
      return
    }
    try #require(explanation.derivations.count == finders.count)
    #expect(explanation.row?.obstacle == nil)
    for (derivation, finder) in zip(explanation.derivations, finders) {
      #expect(derivation.queries.allSatisfy { $0.steps.isEmpty == false })
      switch finder.method {
      case .rowID, .key: #expect(derivation.effect == .key)
      case .live where finder.contribution != nil:
        #expect(derivation.effect == .held && derivation.queries.count == 1)
      case .live(.none): #expect(derivation.effect == .comparison && derivation.reason != nil)
      case .live(.queries(let queries)):
        #expect(derivation.effect == .rows && derivation.queries.count == queries.count)
      case .live(.invalidation(let queries)):
        #expect(derivation.effect == .invalidation && derivation.queries.count == queries.count)
      case .live(.value): #expect(derivation.effect == .value && derivation.queries.count == 1)
      }
      #expect(
        derivation.summary.contains("t9999") == false
          && derivation.summary.contains("SELECT") == false)
    }
  }

  /// What is suggested can be created, does not exist yet, and leads to what is promised.
  @Test(arguments: LiveShape.all)
  func suggestedIndexesKeepTheirPromise(_ shape: LiveShape) throws {
    let schema = Self.withoutIndexes
    let database = try Self.store(schema)
    let explanation = try explanation(of: shape, in: database)
    #expect(explanation.indexes.isEmpty == (explanation.maintenanceWithIndexes == nil))
    guard let promised = explanation.maintenanceWithIndexes else { return }
    #expect(promised != explanation.maintenance)
    for (number, index) in explanation.indexes.enumerated() {
      // None is superfluous.
      let others = explanation.indexes.enumerated().filter { $0.offset != number }.map(
        \.element.sql)
      let copy = try Self.store(([schema] + others).joined(separator: ";\n"))
      #expect(Maintenance(try plan(of: shape, in: copy).maintenance) != promised, "\(index.sql)")
    }
    try database.write { connection in
      for index in explanation.indexes { try connection.execute(index.sql) }
    }
    #expect(Maintenance(try plan(of: shape, in: database).maintenance) == promised)
    #expect(try self.explanation(of: shape, in: database).indexes.isEmpty)
  }

  @Test func manyShapesOnlyLackAnIndex() throws {
    let database = try Self.unindexed.get()
    let some = stride(from: 0, to: LiveShape.all.count, by: 4).map { LiveShape.all[$0] }
    let improved = try some.count { shape in
      try explanation(of: shape, in: database).maintenanceWithIndexes == .touchedRows
    }
    #expect(improved >= 4)
  }

  @Test func randomSelectsAreExplained() throws {
    let seed = fuzzSeed()
    var numbers = SeededGenerator(seed: seed)
    var random = RandomLiveSelect()
    let database = try Self.unindexed.get()
    var counts = (explained: 0, improved: 0)
    for number in 0..<SeededGenerator.scaled(20) {
      let sql = random.next(&numbers)
      let shape = LiveShape(sql, "k")
      let place: Comment = "seed \(seed), SELECT \(number): \(sql)"
      do {
        let explanation = try explanation(of: shape, in: database)
        let maintenance = Maintenance(try plan(of: shape, in: database).maintenance)
        #expect(explanation.maintenance == maintenance, place)
        counts.explained += 1
        guard let promised = explanation.maintenanceWithIndexes else { continue }
        counts.improved += 1
        let copy = try Self.store(
          ([Self.withoutIndexes] + explanation.indexes.map(\.sql)).joined(separator: ";\n"))
        #expect(Maintenance(try plan(of: shape, in: copy).maintenance) == promised, place)
      } catch is DatabaseError {
        // A few are too deep for SQLite's parser.
        continue
      }
    }
    log("explanation: seed \(seed), \(counts)")
    #expect(counts.explained > 10, "seed \(seed): \(counts)")
  }

  private func plan(of shape: LiveShape, in database: Database) throws -> QueryPlan {
    let loader = ResultLoader(
      database: database,
      request: FetchRequest<Row>(select: SQL(verbatim: shape.sql), key: shape.keys))
    return try database.read { try loader.plan(in: $0) }
  }
}
