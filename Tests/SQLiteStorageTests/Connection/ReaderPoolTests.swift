import Dispatch
import Foundation
import Synchronization
import Testing

@testable import SQLiteStorage

@Suite struct ReaderPoolTests {
  private let folder: TestFolder
  private let pool: ReaderPool

  init() throws {
    folder = try TestFolder()
    let path = try folder.makeStore()
    pool = ReaderPool { try Connection(path: path, access: .readOnly) }
  }

  @Test func aPoolThatWasClosedKeepsNoConnection() throws {
    #expect(pool.keepsIdle)
    pool.closeIdle()
    #expect(!pool.keepsIdle)
  }

  @Test func aConnectionGivenBackIsTakenAgain() throws {
    let connection = try pool.take()
    pool.checkIn(connection)
    #expect(try pool.take() === connection)
  }

  @Test func whatIsInUseIsNotGivenToAnother() throws {
    let first = try pool.take()
    #expect(try pool.take() !== first)
  }

  @Test func aPooledConnectionHasNoTransactionOrRunningStatement() throws {
    let connection = try pool.take()
    try connection.execute("BEGIN")
    let statement = try connection.cachedStatement("SELECT * FROM item")
    #expect(try statement.step())
    pool.checkIn(connection)
    #expect(!connection.isInTransaction)
    #expect(!statement.isBusy)
  }

  @Test func onlySomeIdleConnectionsAreKept() throws {
    let taken = try (0..<10).map { _ in try pool.take() }
    for connection in taken { pool.checkIn(connection) }
    let again = try (0..<10).map { _ in try pool.take() }
    #expect(again.count { connection in taken.contains { $0 === connection } } == 4)
  }

  @Test func aFailureToOpenIsReported() {
    let pool = ReaderPool { throw DatabaseError(.sqlite, "no connection") }
    #expect(databaseError { _ = try pool.take() }?.message == "no connection")
  }
}

@Suite(.timeLimit(.minutes(5))) struct ReadQueueTests {
  @Test func noMoreThanTheLimitRunAtOnceAndAllRun() async {
    let queue = ReadQueue(limit: 3)
    let (running, most, count) = (Locked(0), Locked(0), 200)
    let done = AsyncStream<Void>.makeStream()
    for _ in 0..<count {
      queue.async {
        let now = running.withLock { running in
          running += 1
          return running
        }
        most.withLock { $0 = max($0, now) }
        running.withLock { $0 -= 1 }
        #expect(throws: Never.self) { try queue.checkInvariants() }
        done.continuation.yield()
      }
    }
    var finished = 0
    for await _ in done.stream {
      finished += 1
      if finished == count { break }
    }
    #expect((1...3).contains(most.withLock { $0 }))
  }

  @Test func waitingWorkBeginsInItsOrder() async {
    let queue = ReadQueue(limit: 1)
    let mayBegin = DispatchSemaphore(value: 0)
    let order = Locked<[Int]>([])
    let done = OneShotGate()
    queue.async { mayBegin.wait() }
    for number in 0..<20 { queue.async { order.withLock { $0.append(number) } } }
    queue.async { done.open() }
    mayBegin.signal()
    await done.wait()
    #expect(order.withLock { $0 } == Array(0..<20))
  }

  @Test func aQueueThatIsFilledAsFastAsItIsEmptiedSharesItsThread() async {
    let threads = ReadQueue(limit: 1)
    let (busy, other) = (ReadQueue(limit: 1, on: threads), ReadQueue(limit: 1, on: threads))
    let order = Locked<[Int]>([])
    let done = OneShotGate()
    @Sendable func work(_ number: Int) {
      order.withLock { $0.append(number) }
      if number == 0 { other.async { order.withLock { $0.append(-1) } } }
      if number < 5 { busy.async { work(number + 1) } } else { done.open() }
      for queue in [threads, busy, other] {
        #expect(throws: Never.self) { try queue.checkInvariants() }
      }
    }
    busy.async { work(0) }
    await done.wait()
    #expect(order.withLock { $0 } == [0, -1, 1, 2, 3, 4, 5])
  }

  @Test func longReadsDoNotKeepTasksFromRunning() async throws {
    // As many as there are of Swift's threads, and more: each could keep one busy for ever.
    let count = ProcessInfo.processInfo.activeProcessorCount + 3
    var configuration = Database.Configuration()
    let begun = AsyncStream<Void>.makeStream()
    configuration.functions = [
      ScalarFunction("opening", argumentCount: 1) { values in
        begun.continuation.yield()
        return values[0]
      }
    ]
    let database = try Database.inMemory(configuration: configuration)
    let reads = (0..<count).map { _ in
      Task { try await database.read { try $0.execute(OneShotGate.endlessQuery) } }
    }
    for await _ in begun.stream { break }
    for read in reads { read.cancel() }
    for read in reads {
      await #expect(throws: CancellationError.self) { try await read.value }
    }
  }
}
