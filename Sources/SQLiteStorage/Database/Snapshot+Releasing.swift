internal import Synchronization

/// Something that keeps what it needs of a version when that is released.
package protocol VersionHolder: AnyObject, Sendable {
  /// Reads what is needed, for the last time. The snapshot must not be read.
  func willRelease(_ connection: Connection)
}

/// | what happens | from | to |
/// |---|---|---|
/// | a version of a file in WAL mode is made | | pinned |
/// | a version of another file is made | | released |
/// | somebody needs it for several reads: ``whileReadable(_:)`` | released, and the newest | pinned |
/// | they have ended, and a reader of the file would block its writers | pinned | released |
/// | the database is suspended or closed | pinned | released |
///
/// It is not released while somebody needs it. For an overgrown log it is not released, but becomes a private copy:
/// ``LogOvergrowth``.
extension Snapshot {
  /// Whether the version stays readable whatever is written.
  public var isPinned: Bool { isPinnedNow.load(ordering: .acquiring) }

  /// Whether the version can no longer be read: it is released, and no longer the newest.
  public var isExpired: Bool { !isPinned && !keeper.isReadable(version) }

  /// Tells an object before the version is released. It is kept alive until it is removed.
  package func add(_ holder: any VersionHolder) {
    state.withLock { $0.holders[ObjectIdentifier(holder)] = holder }
  }

  /// Removes an object that was added.
  package func remove(_ holder: any VersionHolder) {
    state.withLock { _ = $0.holders.removeValue(forKey: ObjectIdentifier(holder)) }
  }

  /// Whether the version is released when nobody needs it any more, since it would make writers wait.
  package var isReleasedAfterUse: Bool { keeper.releasesUnusedVersions }

  /// Runs `body` while the version is pinned.
  ///
  /// - Throws: what `body` throws, and the errors of ``read(_:)``.
  package func whileReadable<Result>(_ body: () throws -> Result) throws -> Result {
    try whileUnchanged {
      if !isPinned {
        try keeper.whileOpen(else: keeper.expiry(of: version)) {
          pin(by: try keeper.begin(at: version))
        }
      }
      return try body()
    }
  }

  /// Runs `body`. If the version is pinned before, it is until `body` has returned.
  package func whileUnchanged<Result>(_ body: () throws -> Result) rethrows -> Result {
    beginUse()
    defer { endUse() }
    return try body()
  }

  /// The version stays pinned, if it is, until ``endUse()`` is called as often as this is.
  func beginUse() { state.withLock { $0.userCount += 1 } }

  /// Ends the use of the version. It is released if that is wanted and nobody else needs it.
  func endUse() {
    let isWanted = state.withLock { state in
      state.userCount -= 1
      return state.isReleaseWanted && state.userCount == 0
    }
    if isWanted || keeper.releasesUnusedVersions { release() }
  }

  /// Pins the version, which somebody needs, unless it is pinned already.
  ///
  /// - Parameter new: a connection with a transaction that sees the version.
  func pin(by new: Connection) {
    let isNeeded = connection.withLock { connection in
      guard connection == nil else { return false }
      connection = new
      hasLeftFile.store(false, ordering: .releasing)
      isPinnedNow.store(true, ordering: .releasing)
      chain.didPin()
      return true
    }
    if !isNeeded { keeper.end(new) }
  }

  /// Releases the version, after its holders have read what they need. Waits until no thread reads it.
  ///
  /// - Returns: false if somebody needs it. Then it is released when they end.
  @discardableResult
  func release() -> Bool {
    endTransaction()
    keeper.didEnd()
    return !isPinned
  }

  private func endTransaction() {
    connection.withLock { current in
      guard let connection = current, mayRelease() else { return }
      if connection.isInTransaction {
        copyBeforeRelease(connection)
        for holder in state.withLock({ $0.holders }).values { holder.willRelease(connection) }
      }
      // Somebody may have begun to use it meanwhile.
      guard mayRelease({ self.isPinnedNow.store(false, ordering: .releasing) }) else { return }
      current = nil
      if !hasLeftFile.load(ordering: .acquiring) { chain.didRelease() }
      // With the lock: the thread that closes the file takes it, and must find the connection in the pool or closed.
      keeper.end(connection)
    }
  }

  /// Whether nobody needs the version; else it is to be released later.
  private func mayRelease(_ release: () -> Void = {}) -> Bool {
    state.withLock { state in
      state.isReleaseWanted = state.userCount > 0
      if !state.isReleaseWanted { release() }
      return !state.isReleaseWanted
    }
  }

  /// Who uses a version, and what is known of it.
  struct State {
    var holders: [ObjectIdentifier: any VersionHolder] = [:]
    /// The number of callers that need a copy of the version when it is released.
    var copyUserCount = 0
    /// The changes that were found last, and to which version: its number, since the version must not be kept for that.
    var detected: (version: Int, isMainEnough: Bool, changes: DetectedChanges)?
    /// The number of callers that need the version to stay pinned.
    var userCount = 0
    /// Whether the version is to be released when nobody needs it any more.
    var isReleaseWanted = false
    /// Interrupts the read that may begin anew; nil if none runs.
    var interrupter: Interrupter?
    /// Whether that was done.
    var wasInterrupted = false
    /// The number of threads that wait for the version to leave the file.
    var leaverCount = 0
    /// The values read by rowid. See ``value(of:rowID:)``.
    var answers: [Question: Value?] = [:]
  }
}
