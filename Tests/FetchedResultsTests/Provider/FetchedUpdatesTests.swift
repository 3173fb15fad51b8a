import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

@Suite(.timeLimit(.minutes(5))) struct FetchedUpdatesTests {
  private let database: Database

  init() throws { database = try Track.store() }

  private func updates(
    _ request: FetchRequest<Track> = Track.all.sorted(by: \.name)
  ) -> FetchedUpdates<Track> {
    FetchedUpdates(database: database, request: request, sectionedBy: .property(\.genre))
  }

  @Test func theFirstElementIsTheResultAsItIs() async throws {
    var iterator = updates().makeAsyncIterator()
    let first = try #require(try await iterator.next())
    #expect(first.old == nil)
    #expect(first.changes.isEmpty)
    #expect(first.new.objects.map(\.name) == ["Cello", "Ahead", "Blue", "Anthem", "Zoo"])
    #expect(first.new.sections.map(\.name) == ["", "Jazz", "Rock"])
    #expect(first.new.sectionKey(at: 0) == Value.null)
    #expect(try first.new.identities == [[4], [5, 1], [2, 3]])
  }

  @Test func whatIsCommittedBeforeTheFirstElementIsInIt() async throws {
    var iterator = updates().makeAsyncIterator()
    try database.run("DELETE FROM track WHERE id > 1")
    #expect(try await iterator.next()?.new.identities == [[1]])
  }

  @Test func eachElementLeadsFromTheOneBefore() async throws {
    var iterator = updates().makeAsyncIterator()
    _ = try await iterator.next()
    try database.run("UPDATE track SET genre = 'Pop' WHERE id = 2")
    let second = try #require(try await iterator.next())
    #expect(second.changes.description == "+[2] -[2,0] +[2,0]")
    #expect(try second.old?.identities == [[4], [5, 1], [2, 3]])
    #expect(try second.new.identities == [[4], [5, 1], [2], [3]])
    try Database(path: database.path).run("DELETE FROM track WHERE id = 4")
    let third = try #require(try await iterator.next())
    #expect(third.changes.description == "-[0] -[0,0]")
    #expect(try third.old?.identities == second.new.identities)
    // The old ones can still be read.
    #expect(second.old?.objects.map(\.genre) == [nil, "Jazz", "Jazz", "Rock", "Rock"])
  }

  @Test func transactionsOfASlowConsumerAreOneElement() async throws {
    var iterator = updates().makeAsyncIterator()
    _ = try await iterator.next()
    for id in 10..<30 { try database.run("INSERT INTO track VALUES (\(id), 'z', 'Jazz', 1)") }
    #expect(try await iterator.next()?.changes.insertedRows.count == 20)
    try database.run("DELETE FROM track WHERE id = 4")
    #expect(try await iterator.next()?.changes.description == "-[0] -[0,0]")
  }

  @Test func transactionsThatChangeNothingGiveNoElement() async throws {
    var iterator = updates().makeAsyncIterator()
    _ = try await iterator.next()
    let other = database
    let writing = Task.detached {
      for _ in 0..<50 {
        try other.run("UPDATE track SET name = name; CREATE TABLE x(y); DROP TABLE x")
      }
      try other.run("DELETE FROM track WHERE id = 3")
    }
    #expect(try await iterator.next()?.changes.description == "-[2,1]")
    try await writing.value
  }

  @Test func aVersionInWhichNothingDiffersIsNoElement() async throws {
    let isAwaited = Locked(false)
    let (looks, look) = AsyncStream.makeStream(of: Void.self)
    let function = ScalarFunction("seen", argumentCount: 1) { values in
      if isAwaited.withLock({ $0 }) { look.finish() }
      return values[0]
    }
    let database = try Database.store(Track.sample) { $0.functions = [function] }
    let updates = FetchedUpdates(database: database, request: Track.all.filter("seen(id) = id"))
    let (first, fetched) = AsyncStream.makeStream(of: Void.self)
    let (goes, goOn) = AsyncStream.makeStream(of: Void.self)
    let consumer = Task {
      var iterator = updates.makeAsyncIterator()
      _ = try await iterator.next()
      fetched.finish()
      for await _ in goes {}
      return try await iterator.next()?.changes.description
    }
    for await _ in first {}
    // All rows are compared, and the function is called for each.
    try database.run("CREATE TABLE other(x)")
    isAwaited.withLock { $0 = true }
    goOn.finish()
    for await _ in looks {}
    try database.run("DELETE FROM track WHERE id = 3")
    #expect(try await consumer.value == "-[0,2]")
  }

  @Test func aCancelledTaskEndsTheSequence() async throws {
    let updates = updates()
    let (started, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      var count = 0
      for try await _ in updates {
        count += 1
        continuation.yield()
      }
      return count
    }
    for await _ in started { break }
    task.cancel()
    #expect(try await task.value == 1)
    try database.run("DELETE FROM track WHERE id = 3")
  }

  @Test func anErrorEndsAnIterationButNotTheSequence() async throws {
    var iterator = updates().makeAsyncIterator()
    _ = try await iterator.next()
    try database.run("DROP TABLE track")
    let error = await #expect(throws: FetchError.self) { _ = try await iterator.next() }
    #expect(error?.code == .noSuchTable)
    try database.run(Track.sample)
    try database.run("DELETE FROM track WHERE id = 3")
    #expect(try await iterator.next()?.changes.description == "-[2,1]")
  }

  @Test func anErrorOfTheFirstElementIsThrownToo() async throws {
    var iterator = updates().makeAsyncIterator()
    try database.run("ALTER TABLE track RENAME TO gone")
    _ = await #expect(throws: FetchError.self) { _ = try await iterator.next() }
    try database.run("ALTER TABLE gone RENAME TO track")
    #expect(try await iterator.next()?.new.identities == [[4], [5, 1], [2, 3]])
  }

  @Test func afterAnErrorItTriesAgainWithTheNextCommitAndNotBefore() async throws {
    let updates = updates()
    let (events, event) = AsyncStream.makeStream(of: Void.self)
    let consumer = Task {
      var iterator = updates.makeAsyncIterator()
      var errorCount = 0
      _ = try await iterator.next()
      while true {
        event.yield()
        do {
          return (changes: try await iterator.next()?.changes.description, errorCount)
        } catch {
          errorCount += 1
        }
      }
    }
    var iterator = events.makeAsyncIterator()
    await iterator.next()
    try database.run("ALTER TABLE track RENAME TO gone")
    await iterator.next()
    // Time for hundreds of tries.
    for _ in 0..<1_000 { _ = try await database.read { try $0.rows("SELECT * FROM gone") } }
    try database.run("ALTER TABLE gone RENAME TO track; DELETE FROM track WHERE id = 3")
    let (changes, errorCount) = try await consumer.value
    #expect(changes == "-[2,1]")
    #expect(errorCount == 1)
  }

  @Test func theSameErrorIsThrownOnce() async throws {
    let (errors, onError) = AsyncStream.makeStream(of: String.self)
    let updates = updates()
    let consumer = Task {
      var iterator = updates.makeAsyncIterator()
      _ = try await iterator.next()
      onError.yield("first")
      while !Task.isCancelled {
        do {
          if let update = try await iterator.next() { onError.yield("\(update.changes)") }
        } catch {
          onError.yield((error as? FetchError)?.code.description ?? "other")
        }
      }
    }
    var told = errors.makeAsyncIterator()
    #expect(await told.next() == "first")
    try database.run("ALTER TABLE track RENAME TO gone")
    #expect(await told.next() == "noSuchTable")
    for number in 0..<5 { try database.run("CREATE TABLE other\(number)(a)") }
    try database.run("CREATE TABLE track(id INTEGER PRIMARY KEY)")
    #expect(await told.next() == "noSuchColumn")
    try database.run("DROP TABLE track")
    #expect(await told.next() == "noSuchTable")
    try database.run("ALTER TABLE gone RENAME TO track; DELETE FROM track WHERE id = 3")
    #expect(await told.next() == "-[2,1]")
    try database.run("ALTER TABLE track RENAME TO gone")
    #expect(await told.next() == "noSuchTable")
    consumer.cancel()
  }

  @Test func eachIteratorObservesOnItsOwn() async throws {
    let updates = updates(Track.all.limited(to: 2))
    var first = updates.makeAsyncIterator()
    _ = try await first.next()
    try database.run("DELETE FROM track WHERE id = 1")
    var second = updates.makeAsyncIterator()
    #expect(try await second.next()?.changes.isEmpty == true)
    #expect(try await first.next()?.changes.isEmpty == false)
  }
}
