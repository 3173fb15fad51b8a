import Synchronization
import TableDataTesting
import Testing

@testable import SQLiteStorage

/// A version that is being read, and must leave the file so that a log can be reset.
@Suite(.timeLimit(.minutes(2))) struct SnapshotLeavingTests {
  private let folder: TestFolder
  private let database: Database

  init() throws {
    folder = try TestFolder()
    database = try Database(path: try folder.makeStore())
  }

  /// Counts to a number that takes hours, unless it is interrupted, or the connection reads a private copy.
  private static let long: SQL = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n
    """

  private func leave(_ snapshot: Snapshot) throws {
    try snapshot.leaveFile { try Database.Configuration().privateCopy(of: $0, at: snapshot.stamp) }
  }

  /// Reads until the version is a private copy.
  private static func read(
    _ connection: Connection, _ runs: borrowing Atomic<Int>
  ) throws -> Int? {
    runs.add(1, ordering: .sequentiallyConsistent)
    if !connection.isPrivateCopy { _ = try connection.value(Int.self, long) }
    return try connection.value(Int.self, "SELECT count(*) FROM item")
  }

  /// Reads when it may.
  ///
  /// - Returns: whether the version is a private copy.
  private static func read(
    _ connection: Connection, _ runs: Runs, until mayEnd: Runs
  ) throws -> Bool {
    runs.count.add(1, ordering: .sequentiallyConsistent)
    mayEnd.wait()
    _ = try connection.value(Int.self, "SELECT count(*) FROM item")
    return connection.isPrivateCopy
  }

  /// A plan, and what else is kept by the version of a schema, would be taken for those of another one.
  @Test func aPrivateCopyHasTheSchemaVersionOfItsSource() throws {
    for column in ["one", "two"] {
      try database.write {
        try $0.execute(SQL(verbatim: "ALTER TABLE item ADD COLUMN \(column)"))
      }
      let snapshot = try database.snapshot()
      let version = try snapshot.read { try $0.schemaVersion(of: "main") }
      try leave(snapshot)
      let (copied, columns) = try snapshot.read { connection in
        (
          try connection.schemaVersion(of: "main"),
          try connection.table(named: "item", in: "main")?.columns.map(\.name)
        )
      }
      #expect(copied == version)
      #expect(copied == snapshot.schemaVersion)
      #expect(columns?.last == column)
    }
  }

  @Test func aLongReadBeginsAnewFromThePrivateCopy() async throws {
    let snapshot = try database.snapshot()
    let runs = Runs()
    async let count = BlockingThread.run { try snapshot.readAll { try Self.read($0, runs.count) } }
    try await runs.begin()
    try await database.write { try $0.execute("DELETE FROM item") }
    try await BlockingThread.run { try leave(snapshot) }
    #expect(try await count == 3, "the old version is read to its end")
    #expect(runs.count.load(ordering: .sequentiallyConsistent) == 2)
    #expect(try snapshot.read { $0.isPrivateCopy })
  }

  /// Whichever of the two must leave first.
  @Test(arguments: [false, true]) func aComparisonBeginsAnew(isNewerFirst: Bool) async throws {
    let old = try database.snapshot()
    try await database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    let new = try database.snapshot()
    let runs = Runs()
    async let counts = BlockingThread.run {
      try old.readAll(with: new) { oldConnection, newConnection in
        let first = try Self.read(oldConnection, runs.count)
        return [first, try Self.read(newConnection, runs.count)]
      }
    }
    try await runs.begin()
    if isNewerFirst {
      // The read is busy with the older one, so the newer one waits.
      async let left: Void = BlockingThread.run { try leave(new) }
      try await BlockingThread.run { try leave(old) }
      try await left
    } else {
      try await BlockingThread.run {
        try leave(old)
        try leave(new)
      }
    }
    #expect(try await counts == [3, 2])
  }

  /// If one waited for the other, the log would grow for as long as it takes to make two copies.
  @Test func bothVersionsOfAComparisonLeaveAtOnce() async throws {
    let old = try database.snapshot()
    try await database.write { try $0.execute("DELETE FROM item WHERE id = 1") }
    let new = try database.snapshot()
    let (runs, copies) = (Runs(), Runs())
    async let counts = BlockingThread.run {
      try old.readAll(with: new) { oldConnection, newConnection in
        let first = try Self.read(newConnection, runs.count)
        return [first, try Self.read(oldConnection, runs.count)]
      }
    }
    try await runs.begin()
    let end = ContinuousClock.now + .seconds(20)
    /// Makes a copy when the other one is made too.
    @Sendable func leave(_ snapshot: Snapshot) throws -> Bool {
      var areTwo = false
      try snapshot.leaveFile { connection in
        copies.count.add(1, ordering: .sequentiallyConsistent)
        repeat {
          areTwo = copies.count.load(ordering: .sequentiallyConsistent) == 2
          SnapshotKeeper.wait(.milliseconds(1))
        } while !areTwo && ContinuousClock.now < end
        return try Database.Configuration().privateCopy(of: connection, at: snapshot.stamp)
      }
      return areTwo
    }
    async let newer = BlockingThread.run { try leave(new) }
    async let older = BlockingThread.run { try leave(old) }
    #expect(try await [newer, older] == [true, true])
    #expect(try await counts == [2, 3])
  }

  /// A copy keeps no log from being reset.
  @Test func aReadOfAPrivateCopyGoesOn() async throws {
    let snapshot = try database.snapshot()
    try leave(snapshot)
    let (runs, mayEnd) = (Runs(), Runs())
    async let isCopy = BlockingThread.run {
      try snapshot.readAll { try Self.read($0, runs, until: mayEnd) }
    }
    try await runs.begin()
    try await BlockingThread.run { try leave(snapshot) }
    mayEnd.count.add(1, ordering: .sequentiallyConsistent)
    #expect(try await isCopy)
    #expect(runs.count.load(ordering: .sequentiallyConsistent) == 1)
  }

  /// If the first to end let reads begin, the second would interrupt each of them, and none would end.
  @Test func aReadWaitsForAllWhoMakeRoom() async throws {
    struct NoSpace: Error {}
    let snapshot = try database.snapshot()
    let (first, runs) = (Runs(), Runs())
    async let left: Void = BlockingThread.run {
      first.wait()
      try leave(snapshot)
    }
    let count = try await BlockingThread.run {
      #expect(throws: NoSpace.self) {
        try snapshot.leaveFile { _ in
          first.count.add(1, ordering: .sequentiallyConsistent)
          while snapshot.state.withLock({ $0.leaverCount }) < 2 {
            SnapshotKeeper.wait(.milliseconds(1))
          }
          throw NoSpace()
        }
      }
      return try snapshot.readAll { try Self.read($0, runs.count) }
    }
    try await left
    #expect(count == 3)
    #expect(runs.count.load(ordering: .sequentiallyConsistent) == 1)
  }

  @Test func aReadThatHasEffectsIsWaitedFor() async throws {
    let snapshot = try database.snapshot()
    let (runs, mayEnd) = (Runs(), Runs())
    async let isCopy = BlockingThread.run {
      try snapshot.read { try Self.read($0, runs, until: mayEnd) }
    }
    try await runs.begin()
    async let left: Void = BlockingThread.run { try leave(snapshot) }
    while snapshot.state.withLock({ $0.leaverCount }) == 0 {
      try await Task.sleep(for: .milliseconds(1))
    }
    mayEnd.count.add(1, ordering: .sequentiallyConsistent)
    #expect(try await !isCopy)
    try await left
    #expect(try snapshot.read { $0.isPrivateCopy })
  }

  /// It is the caller's wish that the read ends, so it does not begin anew.
  @Test func interruptingTheDatabaseEndsALongRead() async throws {
    let snapshot = try database.snapshot()
    let runs = Runs()
    async let error = BlockingThread.run {
      databaseError { _ = try snapshot.readAll { try Self.read($0, runs.count) } }
    }
    try await runs.begin()
    // An interrupt between two statements has no effect.
    while snapshot.connection.withLockIfAvailable({ _ in }) == nil {
      database.interrupt()
      try await Task.sleep(for: .milliseconds(1))
    }
    #expect(try await error?.resultCode == .interrupted)
    #expect(runs.count.load(ordering: .sequentiallyConsistent) == 1)
    #expect(try snapshot.read { try $0.value(Int.self, "SELECT count(*) FROM item") } == 3)
  }

  /// A counter that threads share.
  private final class Runs: Sendable {
    let count = Atomic(0)

    /// Waits until it is not zero, without a thread.
    func begin() async throws {
      while count.load(ordering: .sequentiallyConsistent) == 0 {
        try await Task.sleep(for: .milliseconds(1))
      }
    }

    /// The same on a thread that may block.
    func wait() {
      while count.load(ordering: .sequentiallyConsistent) == 0 {
        SnapshotKeeper.wait(.milliseconds(1))
      }
    }
  }
}
