internal import CSQLite
internal import Synchronization

/// Records the rows that the writer has touched since the newest version was pinned.
///
/// Life cycle:
/// 1. *Installed.* `init` installs the hooks. They record nothing until `start(_:on:)` sets the task.
/// 2. *Idle.* No transaction. `prepareForUse(of:)` installs the log hook again, and reads the
///    schema if `needsSchema` is set.
/// 3. *Recording.* Begins with the first change. The preupdate hook passes each row to `recorder`.
///    If no snapshot is held, only the fact that rows changed is recorded. Ends with the rollback
///    hook, which discards the rows, or with the commit hook.
/// 4. *Committing.* The commit hook closes `commitLock` and reads the stamp before the commit. The log
///    hook sets `frameCount`. Ends with the first call of `statementDidRun()` or the next commit.
/// 5. *Committed.* `commitEnds()` reads the stamp after the commit, and adds the rows to
///    `accumulated` if the commit changed the content. Then it opens `commitLock`, reports the commit and
///    returns to 2. After a failed commit with the transaction still open, the rows stay recorded
///    (3).
/// 6. *Closed.* `connectionWillClose()` ends a commit in progress and clears `handle`.
///
/// `take(pinnedAt:schemaVersion:)` returns and clears `accumulated` when a version is pinned, in
/// any state but 4.
///
/// The rows are complete only if no other connection has committed in between. That is checked with
/// the stamps: exactly one commit must lead from the stamp before to the stamp after, and none from
/// the commit before to this one. The stamps do not match either if SQLite skips a hook: `VACUUM`
/// commits without the commit hook, a `RETURNING` statement that is reset early without the log
/// hook. Then the rows count as unknown.
///
/// State and locks:
/// - `commitLock`: `accumulated`, `known`, `schemaVersion`.
/// - The thread that uses the writer's connection: `handle`, `index`, `task`, `isCommitting`,
///   `stampBeforeCommit`, `frameCount`, `hasWrittenFrames`, and the content of `recorder`.
/// - Atomic: `needsSchema`, and the count of the task's `versions`.
///
/// `@unchecked Sendable`: as listed above.
final class WriteCapture: StatementObserver, @unchecked Sendable {
  /// Prevents a version from being pinned during a commit. It is locked in one C callback and unlocked in
  /// another, on the same thread.
  let commitLock = Locked(NoContent())

  /// Nil if the library has no preupdate hook.
  private let recorder: TouchRecorder?
  /// The writer connection; nil after it is closed.
  private var handle: OpaquePointer?
  /// The WAL-index of `main`; nil before it was first read.
  private var index: WALIndex?
  /// Nil until the file is known to be in WAL mode.
  private var task: Task?

  private var isCommitting = false
  private var stampBeforeCommit: WALHeader?
  /// The number of frames that the last commit left in the log; nil if it did not write any.
  private var frameCount: Int?
  private var hasWrittenFrames = false

  private var accumulated = Touched.none
  /// The version to which `accumulated` leads from the newest pinned one; nil if it is not known.
  private var known: WALHeader?
  /// The schema versions that the recorder uses.
  private var schemaVersion: Int64?
  private let needsSchema = Atomic(true)

  /// The parameters of the capture, which are known after the file is opened.
  struct Task {
    /// The versions that are held: without any, the rows are not needed.
    let versions: VersionChain
    /// Called after a commit that wrote something, with the stamp after it.
    let onCommit: @Sendable (WALHeader?) -> Void
  }

  /// Installs the hooks on a connection that has just been opened. A `DELETE` prepared before would
  /// continue to empty tables without reporting their rows.
  ///
  /// - Parameter hook: the hook of the library; nil if it has none.
  init(on connection: Connection, hook: PreupdateHook?) {
    recorder = hook.map(TouchRecorder.init)
    handle = connection.handle
    let context = Unmanaged.passUnretained(self).toOpaque()
    if let hook { _ = hook.install(handle, preupdateHook, context) }
    sqlite3_commit_hook(handle, commitHook, context)
    sqlite3_rollback_hook(handle, rollbackHook, context)
  }

  func start(_ task: Task, on connection: Connection) {
    self.task = task
    prepareForUse(of: connection)
  }

  /// Called before each use of the connection, outside of any transaction.
  func prepareForUse(of connection: Connection) {
    guard task != nil else { return }
    // `PRAGMA wal_autocheckpoint` replaces this hook.
    sqlite3_wal_hook(handle, logHook, Unmanaged.passUnretained(self).toOpaque())
    guard needsSchema.load(ordering: .acquiring) else { return }
    // If the schema cannot be read now, the rows are unknown until it can.
    guard let schema = try? connection.captureSchema() else { return }
    recorder?.use(schema)
    commitLock.withLock { _ in
      if schemaVersion != schema.version, accumulated != .none {
        // Those keys were read with the old schema.
        accumulated = .unknown(.schemaChanged)
      }
      schemaVersion = schema.version
      needsSchema.store(false, ordering: .releasing)
    }
  }

  /// Called before the connection is closed.
  func connectionWillClose() {
    statementDidRun()
    (handle, index) = (nil, nil)
  }

  /// Called after everything that may commit: each run, reset and finalization of a statement.
  func statementDidRun() {
    if isCommitting {
      commitEnds()
    } else if hasWrittenFrames {
      // A commit without the commit hook.
      hasWrittenFrames = false
      task?.onCommit(stamp())
    }
  }

  /// Returns and clears the rows touched since the newest version was pinned. The commit
  /// lock must be held.
  ///
  /// - Parameters:
  ///   - stamp: the stamp of the version just pinned, which is now the newest; nil if it is not
  ///     known.
  ///   - schemaVersion: the schema version of that version.
  func take(pinnedAt stamp: WALHeader?, schemaVersion: Int64) -> Touched {
    defer {
      accumulated = .none
      known = stamp
    }
    let hasOldSchema = schemaVersion != self.schemaVersion
    if hasOldSchema { needsSchema.store(true, ordering: .releasing) }
    guard recorder != nil else { return .unknown(.noHook) }
    guard let stamp else { return .unknown(.storm) }
    guard let known, stamp.hasSameContent(as: known) else { return .unknown(.otherWriter) }
    return hasOldSchema ? .unknown(.schemaChanged) : accumulated
  }

  private func stamp() -> WALHeader? {
    guard task != nil, let handle else { return nil }
    if index == nil { index = WALIndex(handle: handle) }
    return index.flatMap { WALIndexHeader($0) }?.version
  }
}

extension Connection {
  /// Starts to record what the connection writes. Call this before any statement is prepared.
  func startCapture(hook: PreupdateHook? = .ofLibrary) -> WriteCapture {
    let capture = WriteCapture(on: self, hook: hook)
    observer = capture
    return capture
  }
}

// MARK: - Callbacks of SQLite

extension WriteCapture {
  fileprivate static func at(_ context: UnsafeMutableRawPointer?) -> WriteCapture? {
    context.map { Unmanaged<WriteCapture>.fromOpaque($0).takeUnretainedValue() }
  }

  fileprivate func rowChanges(
    operation: Int32, schema: UnsafePointer<CChar>, table: UnsafePointer<CChar>, oldRowID: Int64,
    newRowID: Int64
  ) {
    guard let task, let recorder, let handle else { return }
    guard task.versions.count > 0 else {
      return recorder.recordUnobserved()
    }
    recorder.record(
      operation: operation, schema: schema, table: table, oldRowID: oldRowID, newRowID: newRowID,
      handle: handle)
  }

  fileprivate func commitBegins() {
    guard task != nil else { return }
    if isCommitting { commitEnds() }
    commitLock.lock()
    isCommitting = true
    // No other connection can commit now: in WAL mode the write lock is held since the first
    // change.
    stampBeforeCommit = stamp()
    frameCount = nil
  }

  fileprivate func framesWritten(_ frameCount: Int32) {
    guard task != nil else { return }
    hasWrittenFrames = true
    if isCommitting { self.frameCount = Int(frameCount) }
  }

  fileprivate func transactionRolledBack() { recorder?.discard() }

  private func commitEnds() {
    isCommitting = false
    let after = stamp()
    let before = stampBeforeCommit
    let hasCommitted =
      if let after, let before { !after.hasSameContent(as: before) } else { true }
    if hasCommitted {
      accumulated.formUnion(recorder?.take() ?? .unknown(.noHook))
      known =
        if let known, let before, let after, let frameCount, before.hasSameContent(as: known),
          after.isNext(after: before, frameCount: frameCount)
        { after } else { nil }
    } else if let handle, sqlite3_get_autocommit(handle) != 0 {
      // The commit changed nothing. If the transaction is still open, the commit has failed and may
      // be tried again.
      recorder?.discard()
    }
    hasWrittenFrames = false
    commitLock.unlock()
    if hasCommitted { task?.onCommit(after) }
  }
}

private func preupdateHook(
  context: UnsafeMutableRawPointer?, handle: OpaquePointer?, operation: Int32,
  schema: UnsafePointer<CChar>?, table: UnsafePointer<CChar>?, oldRowID: Int64, newRowID: Int64
) {
  guard let schema, let table else { return }
  WriteCapture.at(context)?.rowChanges(
    operation: operation, schema: schema, table: table, oldRowID: oldRowID, newRowID: newRowID)
}

private func commitHook(context: UnsafeMutableRawPointer?) -> Int32 {
  WriteCapture.at(context)?.commitBegins()
  return 0  // Any other value would turn the commit into a rollback.
}

private func rollbackHook(context: UnsafeMutableRawPointer?) {
  WriteCapture.at(context)?.transactionRolledBack()
}

private func logHook(
  context: UnsafeMutableRawPointer?, handle: OpaquePointer?, schema: UnsafePointer<CChar>?,
  frameCount: Int32
) -> Int32 {
  if let schema, sqlite3_stricmp(schema, "main") == 0 {
    WriteCapture.at(context)?.framesWritten(frameCount)
  }
  return SQLITE_OK
}
