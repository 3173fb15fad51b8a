import FetchedResults
import RowQueries
import SQLiteStorage
import SectionedData

/// One list, which all of its clients share: its rows are followed once.
///
/// Only the newest version is held: an older one would keep the log from being reset. What a client shows of an older
/// one is in memory, as JSON.
actor ServedList {
  struct Version: Sendable {
    let number: Int
    var snapshot: FetchedSnapshot<Row>
    let query: RowQuery
    /// The versions before this one may have nothing in common with it.
    let firstComparable: Int
  }

  /// What the lists of a server have in common.
  struct Context: Sendable {
    let catalog: SourceCatalog
    let opener: DatabaseOpener
    let run: RunName
    let limits: ServerLimits
    let terms: RequestError.Terms
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
  private var windows: [SharedWindow] = []
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
    fail(RequestError.serverEnds)
    for window in windows { window.end() }
    windows = []
    newest = nil
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
      database = try context.opener(for: parameters)
    } catch let error as DatabaseError where error.code == .fileReplaced {
      // If its log was removed or replaced, it must be closed before the database can be opened again.
      newest = nil
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

  private func fail(_ error: any Error) {
    failure = failure ?? error
    resumeWaiters()
  }

  private func resumeWaiters() {
    for waiter in waiters { waiter.resume() }
    waiters = []
  }

  private func report(_ error: any Error) {
    let event = event(of: error)
    self.error = event
    for window in windows { window.report(event) }
  }

  private func show(_ update: FetchedUpdates<Row>.Element, _ query: RowQuery) {
    guard !Task.isCancelled, failure == nil else { return }
    windows.removeAll(where: \.isUnused)
    let old = newest
    // After an error, a version without changes shows the clients that it is over.
    if !update.isReset, update.changes.isEmpty, let old, error == nil,
      windows.allSatisfy({ $0.state.version == old.number })
    {
      newest?.snapshot = update.new
      return
    }
    error = nil
    let number = context.lastVersion.withLock { number in
      number += 1
      return number
    }
    let version = Version(
      number: number, snapshot: update.new, query: query,
      firstComparable: update.isReset ? number : old?.firstComparable ?? number)
    newest = version
    hasShown = true
    for window in windows {
      // A window that could not be read shows an older version, from which other changes would lead here.
      let follows = !update.isReset && window.state.version == old?.number
      show(version, in: window, changes: follows ? update.changes : nil)
    }
    resumeWaiters()
  }

  private func show(_ version: Version, in window: SharedWindow, changes: TableChanges?) {
    let old = window.state.content
    do {
      let content =
        try changes.map {
          try old.advanced(by: $0, to: version.snapshot, version.query, version: version.number)
        } ?? old.moved(to: version.snapshot, version.query) { old.from }
      window.publish(version.state(content))
    } catch {
      window.report(event(of: version.query.described(error)))
    }
  }

  private func event(of error: any Error) -> [UInt8] {
    WindowEvent.error(RequestError(error, context.terms).message)
  }

  /// Forgets the windows that no client shows any more.
  func removeUnusedWindows() { windows.removeAll(where: \.isUnused) }
}

extension ServedList.Version {
  fileprivate func state(_ content: WindowContent) -> SharedWindow.State {
    SharedWindow.State(version: number, firstComparable: firstComparable, content: content)
  }
}

// MARK: - Reading

extension ServedList {
  /// The newest version. Waits for the first.
  private func version() async throws -> Version {
    if newest == nil, failure == nil, !hasShown {
      await withCheckedContinuation { waiters.append($0) }
    }
    if let failure { throw failure }
    // There is none while a replaced file cannot be opened again. That may last long, as another program, or an export,
    // may use the old one.
    guard let newest else { throw RequestError.fileReplaced }
    return newest
  }

  /// Reads the newest version.
  func read<Result: Sendable>(
    _ body: (Version) throws -> Result
  ) async throws -> Result {
    let version = try await version()
    do {
      return try body(version)
    } catch {
      throw version.query.described(error)
    }
  }

  /// The number of the newest version.
  var number: Int {
    get async throws { try await version().number }
  }

  /// Shows a part of the list in the window of a client.
  ///
  /// - Parameter move: the number of the client's move; one that was overtaken by a later one does nothing.
  /// - Throws: the error of the first fetch, and `RequestError` if there are too many windows.
  func show(_ place: WindowPlace, for client: WindowClient, move: Int = 0) async throws {
    let version = try await version()
    guard !client.hasMoved(beyond: move) else { return }
    do {
      client.show(try window(at: place, in: version), move: move)
    } catch {
      throw version.query.described(error)
    }
  }

  /// The window that all clients of a place share.
  private func window(at place: WindowPlace, in version: Version) throws -> SharedWindow {
    windows.removeAll(where: \.isUnused)
    let from = try place.start(version.snapshot, version.query)
    let same = windows.first { window in
      let shown = window.state
      return shown.version == version.number && place.isShown(by: shown.content, start: from)
    }
    if let same { return same }
    guard windows.count < context.limits.windowsOfList else {
      throw RequestError.full(
        "\(windows.count) windows of this list are open", nextStep: "Close some of them",
        retryAfter: 5)
    }
    let content = try place.content(version.snapshot, version.query, start: from)
    let window = SharedWindow(version.state(content), run: context.run, error: error)
    windows.append(window)
    return window
  }
}
