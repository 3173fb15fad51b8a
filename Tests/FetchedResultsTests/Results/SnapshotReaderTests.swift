import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// How many rows are read for the records asked for.
struct SnapshotReaderTests {
  private let version: ResultsVersion

  init() throws {
    let store = try Database.store(
      Track.schema + """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000)
        INSERT INTO track SELECT i, 'name ' || i, NULL, i FROM n;
        """)
    var request = Track.all.sorted(by: \.milliseconds, .descending)
    request.fetchBatchSize = 10
    version = try ResultLoader(database: store, request: request)
      .version(of: try store.snapshot(), isTracked: false)
    try version.checkInvariants()
  }

  private func readCount(
    _ content: SnapshotReader<Track>, _ positions: some Sequence<Int>
  ) throws -> Int {
    func runs() throws -> Int {
      try version.snapshot.read {
        try $0.cachedStatement(version.plan.statements.fetch.text).counter(.runs, reset: true)
      }
    }
    _ = try runs()
    for position in positions {
      #expect(try content.record(at: position).id == Int64(1_000 - position))
    }
    return try runs()
  }

  private func content() -> SnapshotReader<Track> {
    SnapshotReader(version, Track.recordDescription)
  }

  @Test func walkingThroughReadsEachRecordOnce() throws {
    #expect(try readCount(content(), 0..<1_000) <= 1_010)
    #expect(try readCount(content(), (0..<1_000).reversed()) <= 1_020)
  }

  @Test func askingAgainReadsNothing() throws {
    let content = content()
    #expect(try readCount(content, 500..<560) <= 70)
    #expect(try readCount(content, 510..<560) == 0)
    #expect(try readCount(content, (510..<560).reversed()) == 0)
    #expect(try readCount(content, Array(repeating: 555, count: 9)) == 0)
  }

  @Test func aRecordOutOfTheBlueIsReadInAtMostABatch() throws {
    let content = content()
    for position in [999, 3, 500, 17] {
      #expect(try readCount(content, [position]) <= 10)
      #expect(try readCount(content, [position]) == 0)
    }
  }

  @Test func whatWasUsedLongAgoIsForgotten() throws {
    let content = content()
    _ = try readCount(content, 0..<20)
    _ = try readCount(content, 300..<700)
    #expect(try readCount(content, 680..<700) == 0)
    #expect(try readCount(content, 0..<20) >= 20)
  }
}

struct LeastRecentlyUsedTests {
  /// Asks for `keys` in order and returns those that had to be made.
  private func made(_ keys: [Int], capacity: Int) -> [Int] {
    var cache = LeastRecentlyUsed<Int, String>(capacity: capacity)
    var made: [Int] = []
    for key in keys {
      let value = cache.value(for: key) {
        made.append(key)
        return "\(key)"
      }
      #expect(value == "\(key)")
    }
    return made
  }

  @Test func aValueIsMadeOnce() {
    #expect(made([1, 1, 2, 1, 2, 2], capacity: 2) == [1, 2])
  }

  @Test func theOneUsedLongestAgoMakesRoom() {
    #expect(made([1, 2, 1, 3, 1, 2], capacity: 2) == [1, 2, 3, 2])
    #expect(made([1, 2, 3, 1, 2, 3], capacity: 2) == [1, 2, 3, 1, 2, 3])
    #expect(made([1, 2, 3, 2, 1, 4, 1, 2, 3], capacity: 3) == [1, 2, 3, 4, 3])
  }

  @Test func aCapacityOfOneKeepsTheLast() {
    #expect(made([1, 1, 2, 1], capacity: 1) == [1, 2, 1])
  }

  @Test func aFailureLeavesTheCacheAsItWas() {
    struct Failure: Error {}
    var cache = LeastRecentlyUsed<Int, Int>(capacity: 1)
    #expect(cache.value(for: 1) { 10 } == 10)
    #expect(throws: Failure.self) { try cache.value(for: 2) { throw Failure() } }
    #expect(cache.value(for: 1) { 99 } == 10)
  }
}
