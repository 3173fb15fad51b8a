internal import SQLiteStorage

/// A version of a database that a change log reads: pinned, or as a private copy if versions of the file are released
/// when they are not in use. Then writers wait while it is copied, but not while it is kept.
///
/// Sendable: a lock protects the copy.
final class LoggedVersion: Sendable {
  let snapshot: Snapshot
  let schema: LoggedSchema
  private let keeper: CopyKeeper

  init(_ snapshot: Snapshot, _ schema: LoggedSchema) {
    self.snapshot = snapshot
    self.schema = schema
    keeper = CopyKeeper(snapshot)
    snapshot.add(keeper)
  }

  deinit { snapshot.remove(keeper) }

  /// Whether it is copied before it is released.
  var isCopied: Bool { snapshot.isReleasedAfterUse }

  /// Runs `body` with a connection that sees the version.
  ///
  /// - Throws: what `body` throws; `DatabaseError` with code `.versionExpired` if the version is released, and there is a
  ///   newer one.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try readCopy(body) ?? snapshot.read(body)
  }

  private func readCopy<Result>(_ body: (Connection) throws -> Result) throws -> Result? {
    try keeper.copy.withLock { copy in
      guard let copy else { return nil }
      return .some(try body(copy))
    }
  }

  /// Runs `body` with connections that see this version and a newer one.
  func read<Result>(
    with newer: LoggedVersion, _ body: (Connection, Connection) throws -> Result
  ) throws -> Result {
    // Always the older version first, so that two threads cannot deadlock.
    try read { old in try newer.read { new in try body(old, new) } }
  }

  /// The same for a `body` that has no effect beside its result: if a version must leave a long log meanwhile, it runs again.
  func readAll<Result>(
    with newer: LoggedVersion, _ body: (Connection, Connection) throws -> Result
  ) throws -> Result {
    try readAll { old in try newer.readAll { new in try body(old, new) } }
  }

  private func readAll<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try readCopy(body) ?? snapshot.readAll(body)
  }

  /// The rows that may differ in a newer version, from the pages of the copies of both; nil if they are not copied, or the
  /// schema has changed.
  func touchedInCopies(to newer: LoggedVersion) throws -> Touched? {
    guard snapshot.hasSameSchema(as: newer.snapshot) else { return nil }
    // Beside a writer that never pauses, the versions leave the file.
    if snapshot.isPrivateCopy, newer.snapshot.isPrivateCopy {
      return try snapshot.read(with: newer.snapshot) { $0.touchedRows(inCopy: $1) }
    }
    guard isCopied else { return nil }
    return try readCopy { old in try newer.readCopy { new in old.touchedRows(inCopy: new) } }
      .flatMap { $0 }
  }

  /// Why the version can no longer be read; nil if it can.
  var loss: DatabaseError? {
    get throws {
      do {
        try read { _ in }
        return nil
      } catch let error as DatabaseError {
        guard error.code == .versionExpired || .abort ~= error.resultCode else { throw error }
        return error
      }
    }
  }
}

/// Copies a version before it is released, if nothing else would keep it.
///
/// Sendable: a lock protects the copy.
private final class CopyKeeper: VersionHolder {
  let copy = Locked<Connection?>(nil)
  /// Not held: it holds its holders.
  private let snapshot: Weak<Snapshot>

  init(_ snapshot: Snapshot) { self.snapshot = Weak(snapshot) }

  func willRelease(_ connection: Connection) {
    // A database that is suspended or closed is not copied.
    guard let snapshot = snapshot.object, snapshot.isReleasedAfterUse else { return }
    copy.withLock { copy in
      // Without space for it, the version is lost, and the log says so.
      if copy == nil { copy = try? snapshot.privateCopy(of: connection) }
    }
  }
}
