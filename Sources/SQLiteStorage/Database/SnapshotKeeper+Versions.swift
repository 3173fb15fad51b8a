internal import Synchronization

// The versions: making them, sharing the newest, and reading one that is not pinned.

extension SnapshotKeeper {
  /// Returns a snapshot of the newest version.
  ///
  /// - Throws: `DatabaseError`, with code `.fileReplaced` if the file is no longer at its path.
  func snapshot() throws -> Snapshot {
    defer { didEnd() }
    return try whileOpen {
      let (snapshot, connection) = try newest(pinned: !releasesUnusedVersions, isPatient: false)
      guard let connection else { return snapshot }
      if releasesUnusedVersions {
        end(connection)
      } else {
        // If the file is released in between, the end of the use releases the version.
        snapshot.whileUnchanged { snapshot.pin(by: connection) }
      }
      return snapshot
    }
  }

  /// Runs `body` with a snapshot of the newest version, which is pinned until `body` has returned.
  ///
  /// - Throws: the same as ``snapshot()``, and what `body` throws.
  func withSnapshot<Result>(_ body: (Snapshot) throws -> Result) throws -> Result {
    while true {
      let snapshot = try whileOpen {
        let (snapshot, connection) = try newest(pinned: true, isPatient: true)
        snapshot.beginUse()
        // Without `state`: a reader of the snapshot may wait for it.
        if let connection { snapshot.pin(by: connection) }
        return snapshot
      }
      // While it is used, it is not released, and the file not closed.
      defer { snapshot.endUse() }
      if snapshot.isPinned { return try body(snapshot) }
      // It was released since.
    }
  }

  /// - Parameters:
  ///   - isPinned: whether the version must be pinned.
  ///   - isPatient: whether it waits for as long as that may shorten an overgrown log.
  /// - Returns: the newest snapshot; and, if its version was not pinned, a connection with a transaction that sees it, which
  ///   the caller ends or gives to the snapshot.
  private func newest(
    pinned isPinned: Bool, isPatient: Bool
  ) throws -> (Snapshot, Connection?) {
    waitForReset(isPatient: isPatient)
    var isNew = false
    let newest = try state.withLock { state -> (Snapshot, Connection?) in
      try checkFiles(state, for: .reading)
      let isOld = state.newest.mark.map { state.seen?.hasSameContent(as: $0) == false } ?? true
      // If observers have seen another version, the mark need not be read again to know that there is one.
      let log = isOld ? nil : state.source.monitor.flatMap { WALIndexHeader(of: $0) }
      let mark = isOld ? state.seen : state.source.files.mark(log)
      state.seen = nil
      if !isOld, let newest = state.newest.snapshot(at: mark), newest.isPinned || !isPinned {
        handle(.step, &state, log)
        return (newest, nil)
      }
      let (connection, seen, touched) = try whileNoCommitRuns {
        let (connection, seen) = try begin(state, after: mark)
        return (connection, seen, self.touched(before: seen, state))
      }
      // It may have been released.
      if let newest = state.newest.snapshot(at: seen.mark) { return (newest, connection) }
      let keeps = state.source.files.kind != .released
      let snapshot = adopt(keeps ? connection : nil, seen, touched, in: &state)
      isNew = state.source.log?.copiesVersions == true
      return (snapshot, keeps ? nil : connection)
    }
    if isNew { copyNewVersion(newest.0) }
    return newest
  }

  /// Begins a transaction that sees a version.
  ///
  /// - Throws: `DatabaseError` with code `.versionExpired` if it is not the newest.
  func begin(at version: Int) throws -> Connection {
    try state.withLock { state in
      if !isClosed { try checkFiles(state, for: .reading) }
      guard isReadable(version, state), let known = state.newest.mark else {
        throw expiry(of: version)
      }
      let (connection, seen) = try begin(state, after: known)
      guard seen.mark?.hasSameContent(as: known) == true else {
        end(connection)
        throw expiry(of: version)
      }
      return connection
    }
  }

  /// Whether a version that is not pinned can be read: nothing was written since. A commit that was in the log already
  /// may be visible by now, which a read finds out.
  func isReadable(_ version: Int) -> Bool { state.withLock { isReadable(version, $0) } }

  private func isReadable(_ version: Int, _ state: State) -> Bool {
    guard !isClosed, version == state.lastVersion, let known = state.newest.mark else {
      return false
    }
    return state.source.files.mark(seenBy: state.source.monitor)?.hasSameFiles(as: known) == true
  }

  func expiry(of version: Int) -> DatabaseError {
    DatabaseError(
      .versionExpired,
      isClosed
        ? "version \(version) was released, as the database was suspended or closed"
        : "version \(version) was released, and there is a newer one",
      nextStep: isClosed
        ? "Resume the database. A list can be read again from its next batch on, others take a new snapshot"
        : "A list can be read again from its next batch on, others take a new snapshot. To read one version for long, use Database.read"
    )
  }

  /// Ends the transaction of a connection. When the last reference to it is gone, ``didEnd()`` is called.
  func end(_ connection: Connection) { readers.checkIn(connection) }

  /// If no connection is open now, leaves the file without the log that it did not have.
  func didEnd() {
    if releasesUnusedVersions, !readers.keepsIdle { housekeeping.removeEmptyLog() }
  }

  /// Runs `body` in a transaction that sees a version.
  ///
  /// - Throws: the errors of ``begin(at:)``, and what `body` throws.
  func read<Result>(at version: Int, _ body: (Connection) throws -> Result) throws -> Result {
    // After the connection is closed.
    defer { didEnd() }
    return try whileOpen(else: expiry(of: version)) {
      let connection = try begin(at: version)
      defer { end(connection) }
      return try body(connection)
    }
  }

  /// A snapshot has ended.
  ///
  /// - Parameter connection: the connection that has pinned it; nil if it was released.
  func remove(_ version: Int, _ connection: Connection?) {
    if let connection { readers.checkIn(connection) }
    versions.remove(version)
    if isReleaseAwaited.load(ordering: .sequentiallyConsistent) { checkLogLater() }
  }

  /// Whether a version is released when nobody needs it: it would make writers wait.
  var releasesUnusedVersions: Bool { isReleasing.load(ordering: .acquiring) }

  /// Whether a snapshot is of the newest version. The files are not checked.
  func isNewest(_ snapshot: Snapshot) -> Bool {
    state.withLock { state in
      state.newest.snapshot === snapshot && !snapshot.isLost
        && isReadable(snapshot.version, state) && state.newest.mark?.visible?.isComplete != false
    }
  }

  /// Adds what readers see of the logs to a mark that has not changed since the newest version was read. If a commit was
  /// in a log then and not visible, the mark alone would not change when it is.
  func lookIntoLogs(_ mark: inout VersionMark?, _ state: State) {
    guard let known = state.newest.mark, let visible = known.visible, mark?.content == known.content
    else { return }
    guard !visible.isComplete else {
      mark?.visible = visible
      return
    }
    do {
      let connection = try readers.take()
      defer { readers.checkIn(connection) }
      _ = try state.source.files.begin(on: connection)
      mark?.visible = state.source.files.mark(seenBy: nil, and: connection)?.visible
    } catch {
      // The next look tries again.
    }
  }

  /// A version that a transaction sees.
  private struct SeenVersion {
    /// Nil if it is not known exactly.
    let mark: VersionMark?
    let schemaVersions: [Int64]
  }

  /// Begins a transaction that sees the newest version.
  ///
  /// - Parameter known: the mark that was read last.
  /// - Throws: `DatabaseError` with `.busy` if a follower has not written the file completely.
  private func begin(
    _ state: State, after known: VersionMark?
  ) throws -> (Connection, SeenVersion) {
    let files = state.source.files
    let end = ContinuousClock.now + configuration.busyTimeout
    while true {
      // Before the lock is taken: while it is held, writers of a file that is not in WAL mode wait.
      SnapshotKeeper.wait(files.timeUntilSettled)
      let connection = try readers.take()
      do {
        let seen = try begin(connection, state, after: known)
        guard let path = files.unfinished else { return (connection, seen) }
        guard ContinuousClock.now < end else { throw unfinished(path) }
      } catch {
        readers.checkIn(connection)
        throw error
      }
      readers.checkIn(connection)
      SnapshotKeeper.wait(.milliseconds(10))
    }
  }

  private func unfinished(_ path: String) -> DatabaseError {
    DatabaseError(
      .sqlite, "the follower of a replica has not finished writing this file: \(path)",
      resultCode: .busy,
      nextStep: """
        Start the follower again. If the file is no longer a replica, remove \
        \(path)\(OpenedFile.followerSuffix)
        """)
  }

  private func begin(
    _ connection: Connection, _ state: State, after known: VersionMark?
  ) throws -> SeenVersion {
    let files = state.source.files
    var schemaVersions: [Int64] = []
    var before = known
    for _ in 0..<SnapshotKeeper.pinAttempts {
      if before == nil { before = files.mark(seenBy: state.source.monitor) }
      state.source.log?.momentPassed?(.markedBeforePin)
      schemaVersions = try files.begin(on: connection)
      state.source.log?.momentPassed?(.pinned)
      // With the lock held: no later write must give the file the same mark.
      SnapshotKeeper.wait(files.timeUntilSettled)
      let mark = files.mark(seenBy: state.source.monitor, and: connection)
      if let mark, let before, mark.content == before.content,
        mark.visible == nil || before.visible?.hasSameFrames(as: mark.visible) == true
      {
        return SeenVersion(mark: mark, schemaVersions: schemaVersions)
      }
      // Another connection committed between the two reads of the mark, so either version may be
      // pinned. The first mark does not say what readers saw of a log.
      before = mark
    }
    // Without a mark after all attempts the snapshot is valid, but cannot be shared.
    return SeenVersion(mark: nil, schemaVersions: schemaVersions)
  }

  /// The rows touched since this was last asked.
  private func touched(before seen: SeenVersion, _ state: State) -> Touched {
    if let obstacle = state.source.files.obstacle { return .unknown(obstacle) }
    guard let capture else { return .unknown(.otherWriter) }
    return capture.take(pinnedAt: seen.mark?.stamp, schemaVersion: seen.schemaVersions[0])
  }

  private func adopt(
    _ connection: Connection?, _ seen: SeenVersion, _ touched: Touched, in state: inout State
  ) -> Snapshot {
    if isClose(seen.mark, to: state.newest.mark) { state.source.log?.commitsLeavePauses() }
    state.lastVersion += 1
    let version = state.lastVersion
    versions.append(version, touched: touched)
    let snapshot = Snapshot(
      version: version, schemaVersions: seen.schemaVersions, chain: versions,
      stamp: seen.mark?.stamp, pages: state.source.pages, connection: connection, keeper: self)
    state.newest = NewestVersion(snapshot: snapshot, mark: seen.mark)
    state.held.removeAll { $0.object == nil }
    state.held.append(Weak(snapshot))
    handle(.versionWasPinned, &state)
    return snapshot
  }

  /// Whether only a little was written between two versions: less than a writer resets the log for.
  private func isClose(_ mark: VersionMark?, to earlier: VersionMark?) -> Bool {
    guard let log = mark?.stamp, let other = earlier?.stamp else { return false }
    return log.isSameLog(as: other)
      && log.frameCount - other.frameCount < configuration.checkpointThreshold
  }

  private func whileNoCommitRuns<Result>(_ body: () throws -> Result) throws -> Result {
    try capture?.commitLock.withLock { _ in try body() } ?? body()
  }

  /// How often to try, if another connection commits during each attempt.
  private static var pinAttempts: Int { 16 }
}

/// The version that was made last.
struct NewestVersion {
  /// Nil if nobody has it any more.
  private(set) weak var snapshot: Snapshot?
  /// Nil if the version is not known exactly.
  let mark: VersionMark?

  init(snapshot: Snapshot? = nil, mark: VersionMark? = nil) {
    self.snapshot = snapshot
    self.mark = mark
  }

  /// Whether nothing was committed since.
  func isCurrent(at header: WALHeader) -> Bool {
    // Not one expression: the optimizer of Swift 6.3.1 crashes on that.
    guard let stamp = mark?.stamp else { return false }
    return header.hasSameContent(as: stamp)
  }

  /// The snapshot, if it has the content at a mark and is not lost.
  func snapshot(at mark: VersionMark?) -> Snapshot? {
    guard let snapshot, let known = self.mark, mark?.hasSameContent(as: known) == true,
      !snapshot.isLost
    else { return nil }
    return snapshot
  }
}
