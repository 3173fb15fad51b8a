import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// Loops over equal requests.
@Suite(.timeLimit(.minutes(5))) struct SharedResultTests {
  /// A store whose SQL function `seen` counts its calls, and a request that calls it for each row
  /// that is looked at.
  private struct Counted {
    let database: Database
    private let count = Locked(0)

    init() throws {
      let count = count
      let function = ScalarFunction("seen", argumentCount: 1) { values in
        count.withLock { $0 += 1 }
        return values[0]
      }
      database = try Database.store(Track.sample) { $0.functions = [function] }
    }

    var request: FetchRequest<Track> { Track.all.filter("seen(id) = id").sorted(by: \.name) }

    func callCount(_ body: () async throws -> Void) async rethrows -> Int {
      count.withLock { $0 = 0 }
      try await body()
      return count.withLock { $0 }
    }
  }

  private func iterators(
    _ count: Int, _ database: Database, _ request: FetchRequest<Track>
  ) -> [FetchedUpdates<Track>.AsyncIterator] {
    (0..<count).map { _ in
      // Requests of their own, which are only equal.
      FetchedUpdates(database: database, request: request, sectionedBy: .property(\.genre))
        .makeAsyncIterator()
    }
  }

  /// The next element of each iterator.
  private func next(
    _ iterators: inout [FetchedUpdates<Track>.AsyncIterator]
  ) async throws -> [FetchedUpdates<Track>.Element] {
    var elements: [FetchedUpdates<Track>.Element] = []
    for index in iterators.indices {
      elements.append(try #require(try await iterators[index].next()))
    }
    return elements
  }

  @Test func requestsOfOtherBytesShareNothing() async throws {
    let database = try Database.store(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO item VALUES (1, 'caf\u{E9}'), (2, 'cafe\u{301}');
      """)
    // For Swift, both texts are equal.
    var iterators = ["caf\u{E9}", "cafe\u{301}"].map { name in
      FetchedUpdates(
        database: database,
        request: FetchRequest(table: "item").filter(
          SQLFragment(verbatim: "name = '\(name)'"))
      ).makeAsyncIterator()
    }
    for round in 0..<3 {
      for index in iterators.indices {
        let update = try #require(try await iterators[index].next())
        // The rows of the first have odd numbers, those of the second even ones.
        let ids = try update.new.objects.map { try $0.decode(Int.self, "id") }
        #expect(ids == (0...round).map { 2 * $0 + 1 + index })
      }
      try database.run("INSERT INTO item(name) SELECT name FROM item WHERE id < 3 ORDER BY id")
    }
  }

  @Test func aStepOfAThousandLoopsIsComputedOnce() async throws {
    var counts: [Int] = []
    for loopCount in [1, 1_000] {
      let counted = try Counted()
      var iterators = iterators(loopCount, counted.database, counted.request)
      counts.append(try await counted.callCount { _ = try await next(&iterators) })
      counts.append(
        try await counted.callCount {
          try counted.database.run("UPDATE track SET genre = 'Pop' WHERE id = 2")
          let elements = try await next(&iterators)
          #expect(Set(elements.map(\.changes.description)) == ["+[2] -[2,0] +[2,0]"])
          // One version for all.
          #expect(Set(elements.map { ObjectIdentifier($0.new.version) }).count == 1)
          #expect(
            Set(elements.compactMap(\.old).map { ObjectIdentifier($0.version) }).count == 1)
        })
    }
    #expect(counts[0] > 0 && counts[1] > 0)
    // To validate the request, each loop's statements are prepared, but no row is looked at.
    #expect(counts[2] == counts[0])
    #expect(counts[3] == counts[1])
  }

  @Test func aLateLoopGetsOneStepToTheVersionOfTheOthers() async throws {
    let database = try Track.store()
    var iterators = iterators(3, database, Track.all.sorted(by: \.name))
    _ = try await next(&iterators)
    for id in [3, 4] {
      try database.run("DELETE FROM track WHERE id = \(id)")
      _ = try await iterators[0].next()
    }
    let new = try #require(try await iterators[1].next())
    #expect(new.changes.description == "-[0] -[2,1] -[0,0]")
    #expect(try new.old?.identities == [[4], [5, 1], [2, 3]])
    let late = try #require(try await iterators[2].next())
    #expect(late.changes == new.changes)
    #expect(late.new.version === new.new.version)
    // From here on they are together again.
    try database.run("DELETE FROM track WHERE id = 2")
    let elements = try await next(&iterators)
    #expect(Set(elements.map(\.changes.description)) == ["-[1] -[1,0]"])
    #expect(Set(elements.map { ObjectIdentifier($0.new.version) }).count == 1)
  }

  @Test func aLoopThatBeginsLaterSharesTheVersion() async throws {
    let database = try Track.store()
    var first = iterators(1, database, Track.all)
    _ = try await next(&first)
    try database.run("DELETE FROM track WHERE id = 3")
    let element = try await next(&first)
    var second = iterators(1, database, Track.all)
    let other = try await next(&second)
    #expect(other[0].new.version === element[0].new.version)
    #expect(other[0].old == nil && other[0].changes.isEmpty)
  }

  /// Loops number rows without a key by the way they came, so a number means one row for one loop.
  @Test func rowsWithoutAKeyAreNotShared() async throws {
    let database = try Database.store(
      """
      CREATE TABLE item(name TEXT PRIMARY KEY, place TEXT);
      INSERT INTO item VALUES (NULL, 'a'), (NULL, 'b'), (NULL, 'c');
      """)
    func loop() -> FetchedUpdates<Row>.AsyncIterator {
      FetchedUpdates(database: database, request: FetchRequest(table: "item")).makeAsyncIterator()
    }
    func places(_ snapshot: FetchedSnapshot<Row>) throws -> [RowIdentity: String] {
      let rows = try snapshot.objects.map { try $0.decode(String.self, "place") }
      return Dictionary(uniqueKeysWithValues: zip(try snapshot.identities[0], rows))
    }
    var first = loop()
    let before = try places(try #require(try await first.next()).new)
    try database.run("DELETE FROM item WHERE place = 'a'")
    var second = loop()
    _ = try await second.next()
    let update = try #require(try await first.next())
    #expect(update.changes.description == "-[0,0]")
    #expect(try places(update.new) == before.filter { $0.value != "a" })
  }

  @Test func requestsThatDifferShareNothing() async throws {
    let database = try Track.store()
    let requests = [
      Track.all, Track.all.filter("id < \(3)"), Track.all.filter("id < \(4)"),
      Track.all.filter("id < :n").with(parameters: ["n": 4]),
      Track.all.filter("id < :n").with(parameters: ["n": 3]), Track.all.sorted(by: \.name),
      Track.all.sorted(by: \.name, .descending), Track.all.limited(to: 2),
      Track.all.limited(to: 2, offset: 1), Track.all.totals(.count),
      Track.all.totals(.sum(\.milliseconds)),
    ]
    var all = requests.flatMap { iterators(1, database, $0) }
    all.append(FetchedUpdates(database: database, request: Track.all).makeAsyncIterator())
    let elements = try await next(&all)
    #expect(Set(elements.map { ObjectIdentifier($0.new.version) }).count == all.count)
  }

  @Test func sectionsOfAFunctionAreNotShared() async throws {
    let database = try Track.store()
    var names: Set<[String?]> = []
    for suffix in ["a", "b"] {
      let key = SectionKey<Track>.property(\.genre).titled { (genre: String?) in
        (genre ?? "") + suffix
      }
      var iterator = FetchedUpdates(database: database, request: Track.all, sectionedBy: key)
        .makeAsyncIterator()
      names.insert(try #require(try await iterator.next()).new.sections.map(\.name))
    }
    #expect(names.count == 2)
  }

  @Test func aChangeOfTheSchemaIsSharedToo() async throws {
    let counted = try Counted()
    var iterators = iterators(50, counted.database, counted.request)
    _ = try await next(&iterators)
    let rowCount = 5
    let count = try await counted.callCount {
      try counted.database.run(
        "ALTER TABLE track ADD COLUMN more; DELETE FROM track WHERE id = 3")
      let elements = try await next(&iterators)
      #expect(Set(elements.map(\.changes.description)) == ["-[2,1]"])
      #expect(Set(elements.map { ObjectIdentifier($0.new.version) }).count == 1)
    }
    // Not for each of the fifty.
    #expect(count < 10 * rowCount)
  }

  @Test func anErrorIsThrownByEachLoopAndEndsForEach() async throws {
    let database = try Track.store()
    var iterators = iterators(3, database, Track.all)
    _ = try await next(&iterators)
    try database.run("DROP TABLE track")
    for index in iterators.indices {
      _ = await #expect(throws: FetchError.self) { _ = try await iterators[index].next() }
    }
    try database.run(Track.sample)
    try database.run("DELETE FROM track WHERE id = 3")
    let elements = try await next(&iterators)
    #expect(Set(elements.map(\.changes.description)) == ["-[2,1]"])
  }

  @Test func aResultThatNoLoopFollowsIsReleased() async throws {
    let database = try Track.store()
    var ended: FetchedUpdates<Track>.AsyncIterator? = iterators(1, database, Track.all)[0]
    weak let held = try await ended?.next()?.new.version.snapshot
    #expect(held != nil)
    ended = nil
    // The work of the engine may not have been released yet.
    try await wait { held == nil }
  }

  #if os(Linux)
    /// The number of threads of this process.
    private static func threadCount() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
    }

    /// - Parameter isEqual: whether all loops have one request.
    @Test(arguments: [true, false]) func threadsDoNotGrowWithLoops(isEqual: Bool) async throws {
      // A process of its own: other tests run in this one.
      await #expect(processExitsWith: .success) { [isEqual = isEqual as Bool] in
        let database = try Track.store()
        let loopCount = 500
        let most = Locked(0)
        let (reports, report) = AsyncStream.makeStream(of: Void.self)
        let loops = (0..<loopCount).map { number in
          Task {
            let request = Track.all.filter("id <> \(isEqual ? -1 : -number)")
            for try await _ in FetchedUpdates(database: database, request: request) {
              let count = try SharedResultTests.threadCount()
              most.withLock { $0 = max($0, count) }
              report.yield()
            }
          }
        }
        var iterator = reports.makeAsyncIterator()
        for round in 0..<5 {
          if round > 0 { try database.run("UPDATE track SET name = 'n\(round)' WHERE id = 2") }
          for _ in 0..<loopCount { await iterator.next() }
        }
        for loop in loops { loop.cancel() }
        let threadCount = most.withLock { $0 }
        #expect(threadCount > 0 && threadCount < 64, "\(threadCount) threads")
      }
    }
  #endif
}
