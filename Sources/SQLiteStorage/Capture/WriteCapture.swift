internal import CFetchedResultsSQLite
internal import Synchronization

/// Knows which rows the writer has touched since the newest version was pinned.
///
/// The preupdate hook notes the rows of a transaction. When it commits, they are added to those of
/// the transactions before it, and it is checked that nobody else has committed in between: exactly
/// one commit must lie between the stamps before and after, and none between the last one and this.
/// Whoever pins a version takes what there is, while no commit is under way.
///
/// Where anything is not as expected (`VACUUM` commits without calling the commit hook, a
/// `RETURNING` statement that is reset early without calling the log hook) the stamps do not fit,
/// and the rows count as unknown.
///
/// `@unchecked Sendable`: `accumulated`, `known` and `schemaVersions` are touched only with `gate`
/// closed, everything else only by the thread that uses the writer's connection.
final class WriteCapture: @unchecked Sendable {
  /// Keeps commits and the pinning of versions apart.
  let gate = CommitGate()

  /// Nil where the library has no preupdate hook.
  private let recorder: TouchRecorder?
  /// The connection that writes, until it is closed.
  private var handle: OpaquePointer?
  /// What to do for it; nil until it is known that the file is in WAL mode.
  private var task: Task?

  private var isCommitting = false
  private var stampBeforeCommit: VersionStamp?
  /// The number of frames that the last commit left in each log; nil for those it did not write.
  private var frameCounts: [Int?] = []
  private var hasWrittenFrames = false

  private var accumulated = Touched.none
  /// The version which `accumulated` leads to from the newest pinned one, while that is known.
  private var known: VersionStamp?
  /// Those of the schema that the recorder knows.
  private var schemaVersions: [Int64] = []
  private let needsSchema = Atomic(true)

  /// What there is to do, once that is known.
  struct Task {
    /// The attached files that versions are made of, besides `main`.
    let attached: [String]
    /// How many snapshots there are: without any, nobody needs the rows.
    let liveCount: LiveCount
    /// Called after a commit that wrote something, with the stamp of what it left.
    let onCommit: @Sendable (VersionStamp?) -> Void

    var schemas: [String] { ["main"] + attached }
  }

  /// Installs the hooks on a connection that has just been opened: a `DELETE` that was prepared
  /// before would go on emptying tables without telling their rows.
  ///
  /// - Parameter hook: that of the library; nil where it has none.
  init(on connection: Connection, hook: PreupdateHook?) {
    recorder = hook.map(TouchRecorder.init)
    handle = connection.handle
    let context = Unmanaged.passUnretained(self).toOpaque()
    if let hook { _ = hook.install(handle, preupdateHook, context) }
    sqlite3_commit_hook(handle, commitHook, context)
    sqlite3_rollback_hook(handle, rollbackHook, context)
  }

  /// Begins to work.
  func start(_ task: Task, on connection: Connection) {
    self.task = task
    prepareForUse(of: connection)
  }

  /// Called before each use of the connection, outside of any transaction.
  func prepareForUse(of connection: Connection) {
    guard let task else { return }
    // `PRAGMA wal_autocheckpoint` puts a hook of its own in the place of this one.
    sqlite3_wal_hook(handle, logHook, Unmanaged.passUnretained(self).toOpaque())
    guard needsSchema.load(ordering: .acquiring) else { return }
    // Where it cannot be read now, the rows stay unknown until it can.
    guard let schema = try? connection.captureSchema(of: task.schemas) else { return }
    recorder?.use(schema)
    gate.withGateClosed {
      if schemaVersions != schema.versions, accumulated != .none {
        // Those keys were read as the tables were before.
        accumulated = .unknown(.schemaChanged)
      }
      schemaVersions = schema.versions
      needsSchema.store(false, ordering: .releasing)
    }
  }

  /// Called when the connection is about to be closed.
  func connectionWillClose() {
    statementDidRun()
    handle = nil
  }

  /// Called after everything that may commit: each run, reset and end of a statement.
  func statementDidRun() {
    if isCommitting {
      commitEnds()
    } else if hasWrittenFrames {
      // A commit that went past the commit hook.
      hasWrittenFrames = false
      task?.onCommit(stamp())
    }
  }

  /// Takes the rows touched since the newest version was pinned. The gate must be closed.
  ///
  /// - Parameters:
  ///   - stamp: that of the version which was pinned just now, and is the newest from now on; nil
  ///     where it is not known.
  ///   - schemaVersions: those of that version, `main` first.
  func take(pinnedAt stamp: VersionStamp?, schemaVersions: [Int64]) -> Touched {
    defer {
      accumulated = .none
      known = stamp
    }
    let hasOldSchema = schemaVersions != self.schemaVersions
    if hasOldSchema { needsSchema.store(true, ordering: .releasing) }
    guard recorder != nil else { return .unknown(.noHook) }
    guard let stamp else { return .unknown(.storm) }
    guard let known, stamp.hasSameContent(as: known) else { return .unknown(.otherWriter) }
    return hasOldSchema ? .unknown(.schemaChanged) : accumulated
  }

  private func stamp() -> VersionStamp? {
    guard let task, let handle else { return nil }
    return VersionStamp(of: handle, attached: task.attached)
  }
}

// MARK: - What SQLite calls

extension WriteCapture {
  fileprivate static func at(_ context: UnsafeMutableRawPointer?) -> WriteCapture? {
    context.map { Unmanaged<WriteCapture>.fromOpaque($0).takeUnretainedValue() }
  }

  fileprivate func rowChanges(
    operation: Int32, schema: UnsafePointer<CChar>, table: UnsafePointer<CChar>, oldRowID: Int64,
    newRowID: Int64
  ) {
    guard let task, let recorder, let handle else { return }
    guard task.liveCount.value.load(ordering: .relaxed) > 0 else {
      return recorder.recordUnobserved()
    }
    recorder.record(
      operation: operation, schema: schema, table: table, oldRowID: oldRowID, newRowID: newRowID,
      handle: handle)
  }

  fileprivate func commitBegins() {
    guard let task else { return }
    if isCommitting { commitEnds() }
    gate.close()
    isCommitting = true
    // Nobody else can commit now: in WAL mode the write lock is held since the first change.
    stampBeforeCommit = stamp()
    frameCounts = Array(repeating: nil, count: 1 + task.attached.count)
    hasWrittenFrames = false
  }

  fileprivate func framesWritten(_ schema: UnsafePointer<CChar>, frameCount: Int32) {
    guard let task else { return }
    hasWrittenFrames = true
    guard isCommitting else { return }
    if sqlite3_stricmp(schema, "main") == 0 {
      frameCounts[0] = Int(frameCount)
    } else if let index = task.attached.firstIndex(of: String(cString: schema)) {
      frameCounts[index + 1] = Int(frameCount)
    }
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
        if let known, let before, let after, before.hasSameContent(as: known),
          after.isNext(after: before, frameCounts: frameCounts)
        { after } else { nil }
    } else if let handle, sqlite3_get_autocommit(handle) != 0 {
      // Nothing was changed in the end. With a transaction still open, the commit has failed and
      // may be tried again.
      recorder?.discard()
    }
    hasWrittenFrames = false
    gate.open()
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
  return 0  // Anything else would make a rollback of the commit.
}

private func rollbackHook(context: UnsafeMutableRawPointer?) {
  WriteCapture.at(context)?.transactionRolledBack()
}

private func logHook(
  context: UnsafeMutableRawPointer?, handle: OpaquePointer?, schema: UnsafePointer<CChar>?,
  frameCount: Int32
) -> Int32 {
  if let schema { WriteCapture.at(context)?.framesWritten(schema, frameCount: frameCount) }
  return SQLITE_OK
}
