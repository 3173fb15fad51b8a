import FetchedResults
import Foundation
import SQLiteStorage
import Testing

struct RecordDescriptionTests {
  struct Pair: FetchableRecord, Hashable {
    let left: String
    let right: Double?
    let note: String

    static let recordDescription = RecordDescription(
      table: "pair", key: \.right, \.left, making: Pair.init,
      Column("LEFT", \.left), Column("right", \.right), Column("not null", \.note))
  }

  private let store: Database

  init() throws {
    store = try .store(
      """
      CREATE TABLE pair("left" TEXT, "right", "not null", PRIMARY KEY("left", "right"));
      INSERT INTO pair VALUES ('b', 1, 'one'), ('a', 1, 'two'), ('a', 0.5, 'three');
      """)
  }

  @Test func aKeyOfSeveralPropertiesIsInTheOrderGiven() throws {
    let provider = try FetchedResultsProvider(database: store, request: Pair.all)
    try provider.performFetch()
    #expect(provider.fetchedObjects?.map(\.note) == ["three", "two", "one"])
    #expect(try provider.identity(at: [0, 0]).values == [.real(0.5), "a"])
    for (row, record) in try #require(provider.fetchedObjects).enumerated() {
      #expect(try provider.indexPath(for: record) == [0, row])
    }
    #expect(try provider.indexPath(for: Pair(left: "a", right: nil, note: "")) == nil)
  }

  struct Summary: FetchableRecord, Hashable {
    let left: String
    let count: Int

    static let recordDescription = RecordDescription(
      select: """
        SELECT "left", count(*) AS "count" FROM pair GROUP BY "left" -- one row each
        """,
      key: \.left, making: Summary.init, Column("left", \.left), Column("count", \.count))
  }

  @Test func aRecordMayBeComputedByASelect() throws {
    let provider = try FetchedResultsProvider(
      database: store, request: Summary.all.filter("\(\.count) > \(0)").sorted(by: \.count),
      sectionedBy: \.count)
    try provider.performFetch()
    #expect(
      provider.fetchedObjects?.map(\.self)
        == [Summary(left: "b", count: 1), Summary(left: "a", count: 2)])
    #expect(try provider.indexPath(for: Summary(left: "a", count: 0)) == [1, 0])
  }

  struct Refusing: FetchableRecord {
    struct Refusal: Error {}

    let note: String

    static let recordDescription = RecordDescription(
      table: "pair",
      making: { (note: String) throws -> Refusing in
        guard note != "two" else { throw Refusal() }
        return Refusing(note: note)
      }, Column("not null", \.note))
  }

  @Test func whatMakingARecordThrowsIsThrownWhereItIsAskedFor() throws {
    var request = Refusing.all
    request.fetchBatchSize = 1
    let provider = try FetchedResultsProvider(database: store, request: request)
    try provider.performFetch()
    let refusal = #expect(throws: DatabaseError.self) { try provider.object(at: [0, 1]) }
    #expect(refusal?.cause is Refusing.Refusal)
    #expect(try provider.object(at: [0, 0]).note == "three")
    let error = #expect(throws: FetchError.self) {
      try provider.indexPath(for: Refusing(note: "three"))
    }
    #expect(error?.code == .missingKey)
    #expect(error?.message.contains("left") == true)
  }

  struct Nothing: FetchableRecord {
    static let recordDescription = RecordDescription(table: "pair", making: { Nothing() })
  }

  @Test func aRecordMayHaveNoColumnsAtAll() throws {
    let provider = try FetchedResultsProvider(database: store, request: Nothing.all)
    try provider.performFetch()
    #expect(provider.fetchedObjects?.map { _ in 1 } == [1, 1, 1])
  }

  struct Keyless: FetchableRecord {
    let note: String
    var initial: String { String(note.prefix(1)) }

    static let recordDescription = RecordDescription(
      table: "pair", key: \.initial, making: Keyless.init, Column("not null", \.note))
  }

  @Test func aKeyThatIsNoColumnIsAnErrorWhereTheRecordIsUsed() throws {
    let uses: [() throws -> Void] = [
      { try FetchedResultsProvider(database: store, request: Keyless.all).performFetch() },
      { _ = try store.read { try $0.fetchAll(Keyless.all) } },
      { _ = try store.read { try $0.find(Keyless.self, "one") } },
      { try store.write { _ = try $0.insert(Keyless(note: "four")) } },
    ]
    for use in uses {
      let error = try #require(throws: FetchError.self) { try use() }
      #expect(error.code == .missingKey)
      #expect(error.message.contains("a computed property of Keyless"))
      #expect(error.nextStep?.contains("The columns are: not null") == true)
    }
  }
}
