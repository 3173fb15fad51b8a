import FetchedResults
import RowQueries
import SQLiteStorage
import SectionedData

/// One list, whose versions all of its clients share: its rows are followed once.
///
/// The newest version is held as long as the list is, and an older one for some seconds after it was
/// replaced, so that a client can read the rest of what it shows.
actor ServedList {
  struct Version: Sendable {
    let number: Int
    var snapshot: FetchedSnapshot<Row>
    let query: RowQuery
    /// The changes that lead to it; nil if it may have nothing in common with the version before.
    let changes: TableChanges?
    /// When the next version replaced it.
    var replaced: SuspendingClock.Instant?
  }

  /// What the lists of a server have in common.
  struct Context: Sendable {
    let catalog: SourceCatalog
    let open: @Sendable () throws -> Database
    let run: RunName
    let limits: ServerLimits
    /// The number of the last version of any list: two versions never have the same.
    let lastVersion = Locked(0)
  }

  /// A file, and the request for its rows.
  private struct Source: Sendable {
    let database: Database
    let query: RowQuery
  }

  nonisolated let parameters: ListParameters
  nonisolated let usage = ListUsage()
  private nonisolated let executor = QueueExecutor("sections.list")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let context: Context
  private var newest: Version?
  /// Whether there was a version. There is none while its file cannot be opened again.
  private var hasShown = false
  /// The older versions that are held, ascending.
  private var held: [Version] = []
  private var windows: [SharedWindow] = []
  /// The windows that do not show the newest version, because it could not be read.
  private var behind: Set<ObjectIdentifier> = []
  /// The event of the error that prevents a newer version.
  private var error: [UInt8]?
  private var waiters: [CheckedContinuation<Void, Never>] = []
  /// The error of the first fetch.
  private var failure: (any Error)?
  private var task: Task<Void, Never>?

  init(_ parameters: ListParameters, _ context: Context) {
    self.parameters = parameters
    self.context = context
  }

  /// Begins to follow the rows.
  func start() { task = Task.detached { await self.follow() } }

  /// Ends the list and the connections of its clients.
  func end() {
    task?.cancel()
    fail(RequestError(503, "the server ends", nextStep: "Start it again", retryAfter: 1))
    for window in windows { window.wake(with: .end) }
    windows = []
    releaseVersions()
  }

  /// Whether the first fetch failed: the next request needs a new list.
  var hasFailed: Bool { failure != nil }
}

// MARK: - Following the rows

extension ServedList {
  private nonisolated func follow() async {
    while !Task.isCancelled {
      do {
        try await showVersions(of: try await openSource())
      } catch {
        guard await canContinue(after: error) else { return }
        // The file may be in the middle of being replaced.
        try? await Task.sleep(for: .milliseconds(500), clock: .suspending)
      }
    }
  }

  private func openSource() throws -> Source {
    let database: Database
    do {
      database = try context.open()
    } catch let error as DatabaseError where error.code == .fileReplaced {
      releaseVersions()
      throw error
    }
    let limit = TimeLimit(context.limits.queryTime, database)
    defer { limit.end() }
    return Source(
      database: database,
      query: try database.read { try context.catalog.query(parameters, in: $0) })
  }

  /// Shows the versions of one file, until the task is cancelled.
  private nonisolated func showVersions(of source: Source) async throws {
    var updates = FetchedUpdates(
      database: source.database, request: source.query.request,
      sectionedBy: source.query.sectionKey
    ).makeAsyncIterator()
    // Otherwise the list would hold an old version while other tables are written.
    updates.yieldsUnchangedVersions = true
    updates.timeLimit = context.limits.queryTime
    // Set when the task is cancelled: it interrupts the query, also if that is between two statements. No other
    // list reads this database.
    let end = Locked<TimeLimit?>(nil)
    var isFirst = true
    while !Task.isCancelled {
      do {
        let next = try await withTaskCancellationHandler {
          try await updates.next()
        } onCancel: {
          end.withLock { $0 = TimeLimit(.zero, source.database) }
        }
        guard let update = next else { return }
        isFirst = false
        await show(update, source.query)
      } catch let error as DatabaseError where error.code == .fileReplaced {
        throw error
      } catch {
        guard !isFirst else { throw error }
        await report(source.query.described(error))
      }
    }
  }

  /// Whether the list continues after an error: it does if it has shown a version.
  private func canContinue(after error: any Error) -> Bool {
    guard hasShown else {
      fail(error)
      return false
    }
    report(error)
    return true
  }

  /// Releases all versions. If their log was removed or replaced, it must be closed before the database can
  /// be opened again.
  private func releaseVersions() {
    newest = nil
    held = []
  }

  private func fail(_ error: any Error) {
    failure = failure ?? error
    resumeWaiters()
  }

  private func resumeWaiters() {
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  private func report(_ error: any Error) {
    let event = WindowEvent.error(RequestError(error).message)
    self.error = event
    for window in windows { window.report(event) }
  }

  private func show(_ update: FetchedUpdates<Row>.Element, _ query: RowQuery) {
    guard !Task.isCancelled, failure == nil else { return }
    // After an error, a version without changes shows the clients that it is over.
    if update.old != nil, update.changes.isEmpty, newest != nil, error == nil, behind.isEmpty {
      newest?.snapshot = update.new
      return
    }
    error = nil
    let isReset = update.old == nil || update.changes.reset != nil
    let version = Version(
      number: context.lastVersion.withLock { number in
        number += 1
        return number
      }, snapshot: update.new, query: query, changes: isReset ? nil : update.changes)
    if var old = newest {
      old.replaced = .now
      held = isReset ? [] : held + [old]
    }
    newest = version
    hasShown = true
    expireVersions()
    windows.removeAll(where: \.isUnused)
    let reader = SnapshotReader(version.snapshot)
    for window in windows { show(version, reader, in: window) }
    resumeWaiters()
  }

  private func show(_ version: Version, _ reader: SnapshotReader<Row>, in window: SharedWindow) {
    let id = ObjectIdentifier(window)
    let old = window.state.content
    do {
      if let changes = version.changes, !behind.contains(id) {
        let (content, marks) = try old.advanced(by: changes, to: reader, version.query)
        window.publish(.init(version: version.number, content: content), marks: marks)
      } else {
        let content = try WindowContent(reader, version.query, from: old.from, size: old.size)
        window.publish(.init(version: version.number, content: content), marks: nil)
        behind.remove(id)
      }
    } catch {
      behind.insert(id)
      window.report(WindowEvent.error(RequestError(version.query.described(error)).message))
    }
  }

  /// Releases the versions that were replaced some time ago, and the oldest ones if there are many.
  func expireVersions() {
    let limits = context.limits
    held.removeAll { version in
      version.replaced.map { $0.duration(to: .now) >= limits.versionTime } ?? false
    }
    held.removeFirst(max(0, held.count - limits.heldVersions))
    windows.removeAll(where: \.isUnused)
    behind.formIntersection(windows.map(ObjectIdentifier.init))
  }

  /// Sends a comment to the clients that have nothing else to receive, so that closed connections are
  /// noticed.
  func sendComments() {
    for window in windows { window.wake(with: .comment) }
  }
}

// MARK: - Reading

extension ServedList {
  /// The version with a number, or the newest if it is nil. Waits for the first.
  private func version(_ number: Int?) async throws -> Version {
    if newest == nil, failure == nil {
      // It may last long: another program, or an export, may use the old file.
      guard !hasShown else { throw RequestError.fileReplaced }
      await withCheckedContinuation { waiters.append($0) }
    }
    if let failure { throw failure }
    guard let newest else { throw CancellationError() }
    guard let number, number != newest.number else { return newest }
    guard let version = held.first(where: { $0.number == number }) else {
      throw RequestError.versionNotHeld
    }
    return version
  }

  func read<Result: Sendable>(
    version number: Int?, _ body: (Version, SnapshotReader<Row>) throws -> Result
  ) async throws -> Result {
    let version = try await version(number)
    do {
      return try body(version, SnapshotReader(version.snapshot))
    } catch {
      throw version.query.described(error)
    }
  }

  /// The number of a version, or of the newest if it is nil.
  func number(of number: Int?) async throws -> Int {
    try await version(number).number
  }

  /// The version that a client shows.
  enum Shown: Sendable {
    case none
    case version(Int)
    /// A version of another run.
    case unknown
  }

  /// Makes a client of a window.
  ///
  /// - Throws: the error of the first fetch, and `RequestError` if there are too many windows.
  func subscribe(from: Int, size: Int, shown: Shown) async throws -> Subscription {
    let newest = try await version(nil)
    let run = context.run
    let reader = SnapshotReader(newest.snapshot)
    var start: (old: SharedWindow.State, new: SharedWindow.State, marks: [String: RowMark])?
    if case .version(let number) = shown { start = try advanced(from: from, size, number) }
    let state =
      try start?.new
      ?? SharedWindow.State(
        version: newest.number,
        content: try WindowContent(reader, newest.query, from: from, size: size))
    let first: [UInt8]? =
      if let start {
        start.old.version == start.new.version
          ? nil
          : WindowEvent.changes(
            from: start.old.content, since: run.text(start.old.version), to: state.content,
            version: run.text(state.version), marks: start.marks)
      } else if case .none = shown {
        WindowEvent.all("snapshot", state.content, version: run.text(state.version))
      } else {
        WindowEvent.all("reset", state.content, version: run.text(state.version))
      }
    return Subscription(try window(showing: state), showing: state, first: first, usage: usage)
  }

  /// A window of a version that is held, and the same in the newest version; nil if it is not held.
  private func advanced(
    from: Int, _ size: Int, _ number: Int
  ) throws -> (old: SharedWindow.State, new: SharedWindow.State, marks: [String: RowMark])? {
    guard let newest else { return nil }
    let versions = held + [newest]
    guard let index = versions.firstIndex(where: { $0.number == number }) else { return nil }
    let first = versions[index]
    var content = try WindowContent(
      SnapshotReader(first.snapshot), first.query, from: from, size: size)
    let old = SharedWindow.State(version: number, content: content)
    var marks: [String: RowMark] = [:]
    for version in versions[(index + 1)...] {
      guard let changes = version.changes else { return nil }
      let step = try content.advanced(
        by: changes, to: SnapshotReader(version.snapshot), version.query)
      content = step.content
      marks.merge(step.marks, uniquingKeysWith: RowMark.combined)
    }
    return (old, SharedWindow.State(version: newest.number, content: content), marks)
  }

  /// The window that clients at a state share.
  private func window(showing state: SharedWindow.State) throws -> SharedWindow {
    windows.removeAll(where: \.isUnused)
    let same = windows.first { window in
      let shown = window.state
      return shown.version == state.version && shown.content.from == state.content.from
        && shown.content.size == state.content.size
    }
    if let same { return same }
    guard windows.count < context.limits.windowsOfList else {
      throw RequestError(
        503, "\(windows.count) windows of this list are open", nextStep: "Close some of them",
        retryAfter: 5)
    }
    let window = SharedWindow(state, run: context.run, error: error)
    windows.append(window)
    return window
  }
}
