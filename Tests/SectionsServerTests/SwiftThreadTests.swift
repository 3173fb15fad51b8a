import Dispatch
import FetchedResults
import Foundation
import SQLiteStorage
import Testing

@testable import SectionsServer

/// What waits for a disk or a lock leaves Swift's threads, of which there are few, to others.
@Suite(.timeLimit(.minutes(5))) struct SwiftThreadTests {
  private static let schema = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, x);
    INSERT INTO t VALUES (1, zeroblob(100000)), (2, 'text');
    """

  /// Lets nobody pass before it is opened.
  private final class Gate: Sendable {
    private let opening = DispatchSemaphore(value: 0)
    /// The number of those that wait, or will at once.
    private let count = Locked(0)

    func expectWaiter() { count.withLock { $0 += 1 } }

    func wait() {
      opening.wait()
      opening.signal()
    }

    /// Waits until there are as many as Swift has threads, and opens the gate.
    ///
    /// - Returns: whether other tasks could run before.
    func openWhenFull() async -> Bool {
      await withCheckedContinuation { continuation in
        Thread.detachNewThread { [opening, count] in
          while count.withLock({ $0 }) < Self.width { usleep(1_000) }
          usleep(100_000)
          let ran = DispatchSemaphore(value: 0)
          Task.detached { ran.signal() }
          let isFree = ran.wait(timeout: .now() + 10) == .success
          opening.signal()
          continuation.resume(returning: isFree)
        }
      }
    }

    static let width = ProcessInfo.processInfo.activeProcessorCount
  }

  private func context(_ open: @escaping DatabaseOpener.Opening) -> ServedList.Context {
    let options = ServerOptions(databaseName: "test.db", toolVersion: "1.2.3")
    return ServedList.Context(
      catalog: SourceCatalog(given: [], namesFiles: true),
      opener: DatabaseOpener(limits: options.limits, open: open), run: RunName(),
      limits: options.limits, terms: options.terms)
  }

  @Test func openingAFileForTheFeedDoes() async throws {
    let gate = Gate()
    let context = context { _ in
      gate.expectWaiter()
      gate.wait()
      throw DatabaseError(.sqlite, "locked", resultCode: .busy)
    }
    let feeds = (0..<Gate.width).map { _ in ChangeFeed(context) }
    async let isFree = gate.openWhenFull()
    for feed in feeds { feed.touch() }
    #expect(await isFree)
    for feed in feeds { feed.end() }
  }

  /// Runs `work` as often as Swift has threads, while another thread reads a version.
  ///
  /// - Returns: whether other tasks could run meanwhile.
  private func leavesThreads(
    reading version: Snapshot, _ work: @escaping @Sendable () async throws -> Void
  ) async throws -> Bool {
    let gate = Gate()
    let reads = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      // All reads of a version wait for this one.
      try? version.read { _ in
        reads.signal()
        gate.wait()
      }
    }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        reads.wait()
        continuation.resume()
      }
    }
    async let isFree = gate.openWhenFull()
    try await withThrowingTaskGroup { group in
      for _ in 0..<Gate.width {
        group.addTask {
          gate.expectWaiter()
          try await work()
        }
      }
      try await group.waitForAll()
    }
    return await isFree
  }

  @Test func readingALongValueDoes() async throws {
    let server = try await TestServer(Self.schema)
    let version = try server.database.snapshot()
    let value = try version.read { connection in
      let table = try #require(try connection.table(named: "t"))
      return try #require(try connection.storedValue(ofColumn: "x", rowID: 1, in: table))
    }
    let isFree = try await leavesThreads(reading: version) {
      let export = ValueExport(value: value, version: version, time: .seconds(600))
      try await export.write(0..<value.count) { _ in }
    }
    #expect(isFree)
  }

  @Test func readingTheRowsOfAnExportDoes() async throws {
    let server = try await TestServer(Self.schema)
    let context = context { _ in server.database }
    let list = ServedList(try ListParameters(QueryItems("source=t")), context)
    await list.start()
    let version = try await list.read { $0 }
    let isFree = try await leavesThreads(reading: version.snapshot.databaseSnapshot) {
      let export = ListExport(format: .csv, version: version, time: .seconds(600))
      try await export.write { _ in }
    }
    #expect(isFree)
    await list.end()
  }
}
