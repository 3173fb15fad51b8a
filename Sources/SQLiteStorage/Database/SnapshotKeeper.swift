internal import Synchronization

/// Pins versions of a database: makes snapshots, shares the newest, and keeps the write-ahead log
/// from growing without bound under them.
final class SnapshotKeeper: Sendable {
  private struct State {
    /// A connection that is never in a transaction: its `data_version` moves with every commit of
    /// any other connection, in this process or another.
    let monitor: Connection
    weak var newest: Snapshot?
    var newestDataVersion: Int64?
    var lastVersion = 0
  }

  private let kind: Database.SnapshotKind
  private let readers: ReaderPool
  private let checkpointThreshold: Int
  private let mayCheckpoint: Bool
  private let state: Guarded<State>
  private let liveCount = Atomic(0)
  /// Last, so that it goes after the connections. A snapshot that outlives its database keeps it.
  private let housekeeping: Housekeeping

  init(
    kind: Database.SnapshotKind, monitor: Connection, readers: ReaderPool,
    checkpointThreshold: Int, mayCheckpoint: Bool, housekeeping: Housekeeping
  ) {
    self.kind = kind
    self.readers = readers
    self.checkpointThreshold = checkpointThreshold
    self.mayCheckpoint = mayCheckpoint
    state = Guarded(State(monitor: monitor))
    self.housekeeping = housekeeping
  }

  /// A snapshot of the newest version.
  func snapshot() throws -> Snapshot {
    try state.withLock { state in
      var dataVersion = try state.monitor.dataVersion()
      if let newest = state.newest, dataVersion == state.newestDataVersion { return newest }
      for _ in 0..<SnapshotKeeper.pinAttempts {
        let connection = try pinnedConnection()
        let after: Int64
        do {
          after = try state.monitor.dataVersion()
        } catch {
          release(connection)
          throw error
        }
        if after == dataVersion {
          return try adopt(connection, dataVersion: dataVersion, in: &state)
        }
        // Somebody committed between the two looks, so it is not known which side the pin is on.
        release(connection)
        dataVersion = after
      }
      // Under a storm of commits: a good snapshot, only nobody else can know whether it is theirs.
      return try adopt(try pinnedConnection(), dataVersion: nil, in: &state)
    }
  }

  /// Copies the log into the database file where it has grown past the threshold and nobody needs
  /// its old frames: the writer calls this after a commit.
  func checkpointIfUnused() {
    guard liveCount.load(ordering: .acquiring) == 0 else { return }
    state.withLock { state in _ = checkpoint(state.monitor) }
  }

  private func adopt(
    _ connection: Connection, dataVersion: Int64?, in state: inout State
  ) throws -> Snapshot {
    state.lastVersion += 1
    liveCount.add(1, ordering: .acquiringAndReleasing)
    let snapshot = Snapshot(version: state.lastVersion, connection: connection) { [self] in
      release($0)
      liveCount.subtract(1, ordering: .acquiringAndReleasing)
    }
    state.newest = snapshot
    state.newestDataVersion = dataVersion
    try repin(snapshot, in: state)
    return snapshot
  }

  /// Moves a snapshot of the newest version off the write-ahead log.
  ///
  /// A reader that is always there keeps the log from being started over. So, once the log is long:
  /// copy all of it into the database file, which is possible while the only reader is at its last
  /// frame; then pin another connection, to which SQLite hands the read-mark for "all in the file,
  /// none in the log", before the first is released. The next writer starts the log over.
  private func repin(_ snapshot: Snapshot, in state: State) throws {
    guard liveCount.load(ordering: .acquiring) == 1,
      let dataVersion = state.newestDataVersion, checkpoint(state.monitor)
    else { return }
    let replacement = try pinnedConnection()
    // Taking over a version that somebody has committed since would change the content.
    let isSameVersion = try state.monitor.dataVersion() == dataVersion
    release(isSameVersion ? snapshot.exchange(for: replacement) : replacement)
  }

  /// Copies the log into the database file where it is longer than the threshold.
  ///
  /// - Returns: whether this was done, and done completely.
  private func checkpoint(_ monitor: Connection) -> Bool {
    guard mayCheckpoint, let header = WALIndexHeader(of: monitor),
      header.frameCount >= checkpointThreshold,
      header.backfilledFrameCount < header.frameCount
    else { return false }
    return monitor.checkpoint()
  }

  private func pinnedConnection() throws -> Connection {
    let connection = try readers.take()
    do {
      // BEGIN alone takes no snapshot: the first read does.
      try connection.execute("BEGIN")
      _ = try connection.value(Int.self, "SELECT count(*) FROM sqlite_schema LIMIT 1")
      guard kind == .privateCopy else { return connection }
      let copy = try PrivateCopy.make(of: connection)
      readers.giveBack(connection)
      return copy
    } catch {
      readers.giveBack(connection)
      throw error
    }
  }

  private func release(_ connection: Connection) {
    // A private copy serves one version only; closing it removes it.
    if kind != .privateCopy { readers.giveBack(connection) }
  }

  /// Beyond this many commits in a row at just the wrong moment, waiting longer has no point.
  private static var pinAttempts: Int { 16 }
}

extension Connection {
  /// A number that moves with every commit of another connection.
  ///
  /// Source: [PRAGMA data_version](https://www.sqlite.org/pragma.html#pragma_data_version).
  fileprivate func dataVersion() throws -> Int64 {
    try value(Int64.self, "PRAGMA data_version") ?? 0
  }
}
