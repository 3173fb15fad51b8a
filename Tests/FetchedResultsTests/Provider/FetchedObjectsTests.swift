import FetchedResults
import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

struct FetchedObjectsTests {
  private func objects(_ count: Int, batchSize: Int) throws -> FetchedObjects<Row> {
    let store = try Database.store(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, v);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(count))
      INSERT INTO t SELECT i, -i FROM n WHERE \(count) > 0;
      """)
    var request = FetchRequest(table: "t").sorted(by: \Row["v"])
    request.fetchBatchSize = batchSize
    let provider = try FetchedResultsProvider(database: store, request: request)
    try provider.performFetch()
    return try #require(provider.fetchedObjects)
  }

  private func expected(_ count: Int) -> [Value] {
    (0..<count).map { .integer(Int64(count - $0)) }
  }

  @Test(arguments: [0, 1, 63, 64, 65, 200], [-1, 0, 1, 7, 64, 1_000, Int.max])
  func itHoldsAllRecordsInOrderWhateverTheSizeOfABatch(count: Int, batchSize: Int) throws {
    let objects = try objects(count, batchSize: batchSize)
    #expect(objects.count == count)
    #expect(objects.map { $0["id"] } == expected(count))
    #expect(objects.reversed().map { $0["id"] } == expected(count).reversed())
  }

  @Test(arguments: [1, 3, 64])
  func itIsReadInAnyOrder(batchSize: Int) throws {
    let count = 3_000
    let objects = try objects(count, batchSize: batchSize)
    var generator = SeededGenerator(seed: UInt64(batchSize))
    for _ in 0..<500 {
      let position = Int.random(in: 0..<count, using: &generator)
      #expect(objects[position]["id"] == .integer(Int64(count - position)))
    }
  }

  @Test func itIsARandomAccessCollection() throws {
    let objects = try objects(10, batchSize: 4)
    #expect(objects.startIndex == 0 && objects.endIndex == 10)
    #expect(objects.first?["id"] == 10)
    #expect(objects.last?["id"] == 1)
    #expect(objects[3..<6].map { $0["id"] } == [7, 6, 5])
    #expect(objects.suffix(2).map { $0["id"] } == [2, 1])
    #expect(objects.firstIndex { $0["id"] == 4 } == 6)
    #expect(objects.index(objects.startIndex, offsetBy: 7) == 7)
    #expect(objects.distance(from: 2, to: 9) == 7)
    #expect(objects.isEmpty == false)
    #expect(Array(objects).count == 10)
  }

  // MARK: Rule 30

  /// The positions of 100 records in the order they are asked for.
  private static let walks: [[Int]] = [
    Array(0..<100), Array(0..<100).reversed(), Array(5..<15) + Array(0..<64).reversed(),
    [10, 9, 11, 10, 0, 1, 2, 63, 64, 65], (0..<100).map { $0 * 37 % 100 },
  ]

  /// A hundred tracks, of which the one at position 10 has no name.
  private func store() throws -> Database {
    try .store(
      """
      CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT, genre TEXT, milliseconds INTEGER);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100)
      INSERT INTO track SELECT i, iif(i = 11, NULL, 'name'), NULL, i FROM n;
      """)
  }

  private func expectOneBadRow(
    _ walk: [Int], sourceLocation: SourceLocation = #_sourceLocation,
    _ read: (Int) throws -> Track
  ) {
    for position in walk {
      if position == 10 {
        let error = #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) {
          try read(position)
        }
        #expect(error?.code == .typeMismatch, sourceLocation: sourceLocation)
        #expect(
          error?.message
            == "the row at [0, 10] with the key 11 cannot be read: column name holds null, not text",
          sourceLocation: sourceLocation)
      } else {
        #expect(throws: Never.self, sourceLocation: sourceLocation) { _ = try read(position) }
      }
    }
  }

  @Test(arguments: walks)
  func aRecordThatCannotBeDecodedIsAnErrorOfItsRowAlone(walk: [Int]) async throws {
    let store = try store()
    for batchSize in [1, 7, 64, 1_000] {
      var request = Track.all
      request.fetchBatchSize = batchSize
      let provider = try FetchedResultsProvider(database: store, request: request)
      try await provider.performFetch()
      expectOneBadRow(walk) { try provider.object(at: [0, $0]) }
      let objects = try #require(provider.fetchedObjects)
      expectOneBadRow(walk) { try objects.object(at: $0) }
      var updates = FetchedUpdates(database: store, request: request).makeAsyncIterator()
      let snapshot = try #require(try await updates.next()).new
      expectOneBadRow(walk) { try snapshot.object(at: $0) }
      expectOneBadRow(walk.reversed()) { try snapshot.object(at: [0, $0]) }
    }
  }

  @Test func anInitialiserThatRefusesARecordIsAnErrorOfItsRow() throws {
    struct Refusal: Error {}
    let description = RecordDescription<Int64>(
      table: "track", key: \.self,
      making: { (id: Int64) in if id == 11 { throw Refusal() } else { id } }, Column("id", \.self))
    let provider = try FetchedResultsProvider(
      database: try store(), request: FetchRequest(description))
    try provider.performFetch()
    #expect(try provider.object(at: [0, 9]) == 10)
    let error = #expect(throws: DatabaseError.self) { try provider.object(at: [0, 10]) }
    #expect(error?.message.hasPrefix("the row at [0, 10] with the key 11 cannot be read") == true)
    #expect(error?.cause is Refusal)
    #expect(try provider.object(at: [0, 11]) == 12)
  }

  @Test func aPlaceOfASnapshotThatIsNotThereIsAnError() async throws {
    var updates = FetchedUpdates(database: try store(), request: Track.all).makeAsyncIterator()
    let snapshot = try #require(try await updates.next()).new
    for position in [-1, 100, Int.max, Int.min] {
      let error = #expect(throws: TableDataError.self) { try snapshot.object(at: position) }
      #expect(error?.message == "there is no row \(position): the result has 100 rows")
    }
    for (path, code): (IndexPath, TableDataError.Code) in [
      ([0, 100], .rowOutOfRange), ([1, 0], .sectionOutOfRange), ([0], .malformedIndexPath),
      ([-1, 0], .sectionOutOfRange),
    ] {
      let error = #expect(throws: TableDataError.self) { try snapshot.object(at: path) }
      #expect(error?.code == code)
    }
  }

  @Test func aSnapshotIsReadInBatchesByAnyTask() async throws {
    var updates = FetchedUpdates(database: try store(), request: Track.all).makeAsyncIterator()
    let snapshot = try #require(try await updates.next()).new
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          (0..<100).reduce(0) { sum, row in
            sum + ((try? snapshot.object(at: row))?.milliseconds ?? 0)
          }
        }
      }
      for await sum in group { #expect(sum == 5_050 - 11) }
    }
  }

  #if os(macOS) || os(Linux)
    @Test func aPositionOutOfRangeTrapsAndNamesTheCount() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let provider = try FetchedResultsProvider(database: try Track.store(), request: Track.all)
        try provider.performFetch()
        _ = provider.fetchedObjects?[5]
      }
      let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(message.contains("there is no record 5: the result has 5"))
    }

    @Test func aRecordThatCannotBeDecodedTrapsAndNamesTheReason() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let store = try Track.store("UPDATE track SET milliseconds = 'long' WHERE id = 4;")
        let provider = try FetchedResultsProvider(database: store, request: Track.all)
        try provider.performFetch()
        _ = provider.fetchedObjects?[3]
      }
      let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(message.contains("milliseconds"))
    }
  #endif
}
