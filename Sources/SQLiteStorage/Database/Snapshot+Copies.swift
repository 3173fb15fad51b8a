// Private copies of a version: of one that has left the file for a long log, and of one that is released while somebody
// needs its rows.

/// The rows that may differ between two versions, and how they were found.
package struct DetectedChanges: Sendable {
  /// The rows that may differ.
  package let touched: Touched
  /// Whether they are known since the database recorded its own writes, and not from pages.
  package let isCaptured: Bool
  /// Why neither a record nor the write-ahead log tells the rows; nil if one does.
  package let obstacle: Touched.Reason?

  /// - Parameter reason: why the pages of private copies were compared; nil if they were not.
  init(_ touched: Touched, isCaptured: Bool = false, inCopiesSince reason: Touched.Reason? = nil) {
    self.touched = touched
    self.isCaptured = isCaptured
    obstacle = if case .unknown(let reason) = touched { reason } else { reason }
  }
}

extension Snapshot {
  // MARK: - Keeping a copy

  /// Copies `main` before the version is released with its last use, until ``dropCopy()`` is called as often as this is.
  /// ``readKept(_:)`` reads the copy. A database that is suspended or closed is not copied.
  ///
  /// The version of a file that is not in WAL mode is kept in no other way. Writers wait while it is copied.
  package func keepCopy() { state.withLock { $0.copyUserCount += 1 } }

  /// Whether there is a copy: the version was released.
  package var hasKeptCopy: Bool { keptCopy.withLock { $0 != nil } }

  /// Ends a need for the copy.
  package func dropCopy() {
    let isLast = state.withLock { state in
      state.copyUserCount -= 1
      return state.copyUserCount == 0
    }
    // Somebody may need it again by now.
    if isLast { keptCopy.withLock { if !isCopyNeeded { $0 = nil } } }
  }

  /// Makes the copy, if somebody needs it.
  ///
  /// - Parameter connection: sees the version, for the last time.
  func copyBeforeRelease(_ connection: Connection) {
    guard isReleasedAfterUse else { return }
    keptCopy.withLock { copy in
      // With the lock: the last who needed it may end meanwhile, and would leave a copy that nobody drops.
      guard copy == nil, isCopyNeeded else { return }
      // Without space for it, the version expires.
      copy = try? keeper.copy(of: self, connection)
    }
  }

  private var isCopyNeeded: Bool { state.withLock { $0.copyUserCount > 0 } }

  /// Runs `body` as ``read(_:)`` does, with the copy of `main` if there is one.
  package func readKept<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try keptCopy.withLock { try $0.map(body) } ?? read(body)
  }

  // MARK: - Comparing pages

  /// The rows of `main` that may differ in a newer version with the same schema, by all pages of both. At least one is a
  /// private copy.
  ///
  /// - Returns: nil if none is, or one is neither pinned nor a copy.
  func touchedInPages(to newer: Snapshot) -> Touched? {
    while true {
      let touched = comparePages(with: newer)
      // A version that had to leave the file meanwhile is a copy now.
      if case .unknown? = touched, waitUntilItHasLeft() || newer.waitUntilItHasLeft() { continue }
      return touched
    }
  }

  private func comparePages(with newer: Snapshot) -> Touched? {
    // Always the older snapshot first, as `read(with:)` does.
    withPages { old, version in
      newer.withPages { new, newerVersion in
        // Of two that are pinned, the log tells more.
        if version != nil, newerVersion != nil { return nil }
        return old.touchedRows(at: version, to: (new, newerVersion)) {
          !isLeaving && !newer.isLeaving
        }
      }
    }
  }

  /// Runs `body` with a connection that sees the version, and the header of its log; nil if it is a copy.
  private func withPages(_ body: (Connection, WALHeader?) -> Touched?) -> Touched? {
    if let result = keptCopy.withLock({ $0.map { body($0, nil) } }) { return result }
    return connection.withLock { connection in
      guard let connection, connection.isInTransaction else { return nil }
      if connection.isPrivateCopy { return body(connection, nil) }
      return stamp.flatMap { body(connection, $0) }
    }
  }
}
