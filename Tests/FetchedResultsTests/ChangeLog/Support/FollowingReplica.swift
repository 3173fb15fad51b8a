import Basics
import SQLiteStorage
import Testing

@testable import FetchedResults

/// A copy that follows a file by its change log, until it is stopped.
final class FollowingReplica: Sendable {
  let database: Database
  private let replica: Locked<Replica>
  private let error = Locked<(any Error)?>(nil)
  private let count = Locked(0)
  private let task = Locked<Task<Void, Never>?>(nil)

  init(of database: Database, at path: String) throws {
    self.database = database
    let start = try database.snapshot()
    replica = Locked(try start.read { try Replica(copying: $0, at: path) })
    // A task keeps what it was made with. With the first version, it would keep the log from being copied.
    let changes = Locked<ChangeLog?>(database.changes(since: start))
    task.withLock { task in
      task = Task.detached { [weak self] in
        guard var log = changes.withLock({ $0.take() })?.makeAsyncIterator() else { return }
        do {
          while let batch = try await log.next() { try self?.apply(batch) }
        } catch {
          self?.error.withLock { $0 = error }
        }
      }
    }
  }

  private func apply(_ batch: DatabaseChanges) throws {
    #expect(batch.gap?.isBridged != false, "\(batch.gap?.reason ?? "")")
    try replica.withLock { try $0.apply(batch) }
    count.withLock { $0 += 1 }
  }

  /// The number of batches that were applied.
  var batchCount: Int { count.withLock { $0 } }

  /// Waits until the copy has what is in the file, which nobody writes.
  func check(_ path: String, _ comment: Comment) async throws {
    let expected = try Connection(path: path, access: .readOnly).contents()
    let end = ContinuousClock.now + .seconds(60)
    while try replica.withLock({ try $0.connection.contents() }) != expected {
      if let error = error.withLock({ $0 }) { throw error }
      try #require(ContinuousClock.now < end, "the copy of the change log is late: \(comment)")
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  func stop() { task.withLock { $0?.cancel() } }
}
