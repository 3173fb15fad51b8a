import SQLiteStorage
import Testing

@testable import FetchedResults

/// How much is asked to find places, counted by SQLite.
@Suite struct RowSearchTests {
  @Test func aMoveAsksForNoRowOnceTheFirstRowsOfTheLeavesAreKnown() throws {
    let store = try Store(index: "section, name")
    try store.moveEachLeaf()
    let asked = try store.probesForAMove()
    #expect(asked == 0)
  }

  @Test func aSectionThatIsBornAsksForNoRowEither() throws {
    let store = try Store(index: "section, name")
    try store.moveEachLeaf()
    #expect(try store.move(to: "s1 and a half", "00000") == 0)
  }

  @Test func withoutAnIndexTheLastStepAsksForTheRowsOfOneLeaf() throws {
    let store = try Store(index: nil)
    try store.moveEachLeaf()
    let asked = try store.probesForAMove()
    #expect(1...9 ~= asked)
  }

  /// SQLite leaves out the terms behind a unique one, so the rows are read in order without sorting.
  @Test func aTermBehindAUniqueOneMayHaveANamedParameter() throws {
    let store = try Database.store(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, place INTEGER NOT NULL UNIQUE);
      INSERT INTO item VALUES (1, 10), (2, 20), (3, 30);
      """)
    let request = FetchRequest(table: "item")
      .sorted(.by(\Row["place"]), .expression("id = :selected", .descending))
      .with(parameters: ["selected": 2])
    let list = try LiveList(store, request)
    #expect(try list.commit("INSERT INTO item VALUES (4, 15)").description == "+[0,1]")
  }

  @Test func rowsThatTheRequestLeavesOutAreSteppedOver() throws {
    let store = try Store(index: "section, name", filter: "id % 3 = 0")
    try store.moveEachLeaf()
    #expect(try store.probesForAMove() == 0)
  }
}

/// A list of several leaves that is taken from version to version.
private final class Store {
  let database: Database
  var version: ResultsVersion

  init(index: String?, filter: SQLFragment<Row>? = nil) throws {
    let database = try Database.store(
      """
      CREATE TABLE item(
        id INTEGER PRIMARY KEY, section TEXT NOT NULL, name TEXT NOT NULL);
      WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 3000)
      INSERT INTO item SELECT i, 's' || (i % 3), printf('%05d', i * 7919 % 3001) FROM number;
      """)
    if let index { try database.run("CREATE INDEX item_order ON item(\(index))") }
    self.database = database
    var request = FetchRequest(table: "item").sorted(by: \Row["section"]).sorted(by: \Row["name"])
    if let filter { request = request.filter(filter) }
    version = try ResultLoader(database: database, request: request)
      .version(of: try database.snapshot())
  }

  /// Moves a row to each part of the list, so that all first rows of leaves have been asked for.
  func moveEachLeaf() throws {
    for place in 0..<45 {
      try move(to: "s\(place / 15)", String(format: place % 15 * 200))
    }
  }

  /// How many rows are asked for, in both versions, to move one.
  func probesForAMove() throws -> Int { try move(to: "s1", "01501x") }

  /// - Returns: how many rows were asked for.
  @discardableResult
  func move(to section: String, _ name: String) throws -> Int {
    try database.write {
      try $0.execute(
        "UPDATE item SET section = ?, name = ? WHERE id = 1500", [.text(section), .text(name)])
    }
    let snapshot = try database.snapshot()
    let old = version.snapshot
    (version, _) = try DeltaEngine(from: version, to: snapshot)
      .advance(touching: [1500])
    return try takeRuns(in: old) + takeRuns(in: snapshot)
  }

  private func takeRuns(in snapshot: Snapshot) throws -> Int {
    try snapshot.read {
      try $0.cachedStatement(version.plan.statements.probe.text).counter(.runs, reset: true)
    }
  }
}

extension String {
  fileprivate init(format number: Int) {
    let digits = String(number)
    self = String(repeating: "0", count: 5 - digits.count) + digits
  }
}

@Suite struct SortKeyCacheTests {
  private let sortKeys = SortKeyCache()
  /// Beyond this many keys the young ones become the old ones.
  private let generation = 8_192

  /// The sort key of a row; -1 where it is not known.
  private func known(_ key: Int64) -> Int64? {
    let sortKey = sortKeys.value(of: .integer(key)) { KeyTuple([-1]) }
    guard case .integer(let number)? = sortKey?.values.first else { return nil }
    sortKeys[.integer(key)] = nil
    return number
  }

  @Test func whatIsForgottenIsAskedForAgain() {
    for key in 0..<Int64(generation + 1) {
      sortKeys[.integer(key)] = KeyTuple([.integer(key)])
    }
    // The one of the older generation, the other of the younger.
    for key in [5, Int64(generation)] {
      sortKeys[.integer(key)] = nil
      #expect(known(key) == -1)
    }
  }

  @Test func whatWasAskedForStaysKnownForAGeneration() {
    for key in 0..<Int64(generation + 1) {
      sortKeys[.integer(key)] = KeyTuple([.integer(key)])
    }
    #expect(known(5) == 5)
    #expect(known(Int64(generation)) == Int64(generation))
    for key in 0..<Int64(2 * generation) {
      sortKeys[.integer(key + 10_000)] = KeyTuple([0])
    }
    #expect(known(6) == -1)
  }
}
