import FetchedResults
import SQLiteStorage
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
