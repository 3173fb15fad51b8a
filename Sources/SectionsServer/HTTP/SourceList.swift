import FetchedResults
import RowQueries
import SQLiteStorage

/// The tables and views with their counts, as `/api/sources` answers them.
actor SourceList {
  /// What was read of one version.
  struct Content: Sendable {
    /// Of two contents, the newer one has the greater number.
    let number: Int
    /// The answer, and the entries that it was made of.
    let json: [UInt8]
    let entries: [(entry: SourceCatalog.Entry, count: Int?)]
    /// The number of changes of the schema.
    let schema: Int
  }

  /// What was read of a version, once for all who ask for it. The version is held until the next commit: another one would
  /// be pinned for each request, and never be the same.
  private struct Kept {
    let version: Snapshot
    var content: Task<Content, any Error>?
    /// By the list of the one column.
    var ranges: [ListParameters: Task<ValueRanges, any Error>] = [:]
  }

  private nonisolated let executor = QueueExecutor("sections.sources")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let options: ServerOptions
  let catalog: SourceCatalog
  private let opener: DatabaseOpener
  private var file: Database?
  /// Closes the file when nobody has used it for some time: if its log is removed, the lists cannot open it again
  /// before it is closed here too.
  private var closing: Task<Void, Never>?
  /// Forgets the answer of a version that is no longer the newest.
  private var following: Task<Void, Never>?
  /// The number of requests that use the file now.
  private var userCount = 0
  /// What was read of the newest version.
  private var kept: Kept?
  /// The number of the last content.
  private var lastNumber = 0
  /// Wake those who follow the sources, by any number.
  private var wakes: [Int: AsyncStream<Void>.Continuation] = [:]
  private var lastWake = 0

  init(_ options: ServerOptions, _ catalog: SourceCatalog, _ opener: DatabaseOpener) {
    self.options = options
    self.catalog = catalog
    self.opener = opener
  }

  /// Runs `body` with the database, and its newest version.
  private func using<Result>(
    _ body: (Database, Snapshot) async throws -> Result
  ) async throws -> Result {
    beginUse()
    defer { endUse() }
    let (database, version) = try database()
    return try await body(database, version)
  }

  private func beginUse() {
    closing?.cancel()
    userCount += 1
  }

  private func endUse() {
    userCount -= 1
    if userCount == 0 { closing = Task { await close(after: SourceList.idleTime) } }
  }

  private func close(after time: Duration) async {
    guard (try? await Task.sleep(for: time, clock: .suspending)) != nil, userCount == 0 else {
      return
    }
    forget()
  }

  private func forget() {
    following?.cancel()
    (file, kept, following) = (nil, nil, nil)
    // What was to wake them is gone.
    for wake in wakes.values { wake.yield() }
  }

  private func follow(_ database: Database) {
    let commits = database.commits
    following = Task { [weak self] in
      for await _ in commits { await self?.noteCommit() }
    }
  }

  /// Forgets what was read of an older version, which would keep the log from being reset.
  private func noteCommit() {
    for wake in wakes.values { wake.yield() }
    guard let file, let version = kept?.version, !file.isNewest(version) else { return }
    kept = nil
  }

  /// The database, opened again if the file was replaced, and its newest version.
  private func database() throws -> (database: Database, version: Snapshot) {
    if let file {
      do {
        let version = try file.snapshot()
        if kept?.version !== version { kept = nil }
        return (file, version)
      } catch let error as DatabaseError where error.code == .fileReplaced {
        forget()
      }
    }
    let opened = try opener()
    file = opened
    follow(opened)
    return (opened, try opened.snapshot())
  }

  private static var idleTime: Duration { .seconds(2) }

  /// Throws if the file cannot be read.
  func check() async throws { try await using { _, _ in } }

  /// The parameters of the page that is shown first.
  func firstPage() async throws -> QueryItems {
    try await using { database, _ in
      try await database.read { [catalog] in try catalog.firstPage(in: $0) }
    }
  }

  /// The name of the source that is shown first.
  func firstName() async throws -> String {
    try await using { database, _ in
      try await database.read { [catalog] in try catalog.firstName(in: $0) }
    }
  }

  /// The sources with their counts. A count that takes too long is null.
  ///
  /// The answer of a version is kept, with the counts that it has.
  func sources() async throws -> Content {
    try await using { try await sources(in: $0, $1) }
  }

  private func sources(in database: Database, _ version: Snapshot) async throws -> Content {
    if let task = kept?.content { return try await task.value }
    let task = Task { try await read(database) }
    keep(of: version) { $0.content = task }
    do {
      return try await task.value
    } catch {
      // It may be read at the next request.
      if kept?.content == task { kept?.content = nil }
      throw error
    }
  }

  /// Shows the sources now and after commits, until the task is cancelled. The file stays open meanwhile.
  ///
  /// - Parameter pause: the time between two times, at least: to count all rows may take long.
  func follow(pause: Duration, _ show: @Sendable (Content) -> Void) async {
    let (commits, wake) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    lastWake += 1
    let number = lastWake
    wakes[number] = wake
    beginUse()
    defer {
      wakes[number] = nil
      endUse()
    }
    wake.yield()
    for await _ in commits {
      let start = SuspendingClock.now
      do {
        show(try await sources())
      } catch {
        // The file may be in the middle of being replaced.
        wake.yield()
      }
      let rest = max(pause, start.duration(to: .now) * 3)
      try? await Task.sleep(for: rest, clock: .suspending)
    }
  }

  private func keep(of version: Snapshot, _ change: (inout Kept) -> Void) {
    var kept = self.kept ?? Kept(version: version)
    change(&kept)
    self.kept = kept
  }

  /// The ranges of a column in a list of a source.
  ///
  /// - Throws: `RequestError` for a column or a source that does not exist, or if it takes too long.
  func ranges(ofColumn column: String, in list: ListParameters) async throws -> ValueRanges {
    let list = catalog.bare(list, columns: [column])
    return try await using { try await ranges(ofColumn: column, list, in: $0, $1) }
  }

  private func ranges(
    ofColumn column: String, _ list: ListParameters, in database: Database, _ version: Snapshot
  ) async throws -> ValueRanges {
    if let task = kept?.ranges[list] { return try await task.value }
    let task = Task {
      try await read(database, for: options.limits.queryTime) { [catalog] in
        try catalog.ranges(ofColumn: column, in: list, $0)
      }
    }
    keep(of: version) { kept in
      // Conditions are of any number.
      if kept.ranges.count >= SourceList.mostRanges { kept.ranges = [:] }
      kept.ranges[list] = task
    }
    do {
      return try await task.value
    } catch {
      if kept?.ranges[list] == task { kept?.ranges[list] = nil }
      throw error
    }
  }

  /// The number of answers that are kept of a version.
  private static var mostRanges: Int { 64 }

  /// Reads the sources and counts them, in one version.
  ///
  /// It is pinned for a few of the times that one count may take. That keeps a long log from being reset, or the writers of a
  /// file that is not in WAL mode from writing, no longer than a query may.
  private func read(_ database: Database) async throws -> Content {
    let (counted, schema) = try await database.read { [catalog, time = options.limits.countTime] in
      (
        try SourceList.counted(try catalog.entries(in: $0), in: $0, for: time),
        try $0.value(Int.self, "PRAGMA schema_version") ?? 0
      )
    }
    lastNumber += 1
    return Content(number: lastNumber, json: json(counted), entries: counted, schema: schema)
  }

  /// - Parameter time: how long one count may take; all together may take a few times as long.
  private static func counted(
    _ entries: [SourceCatalog.Entry], in connection: Connection, for time: Duration
  ) throws -> [(entry: SourceCatalog.Entry, count: Int?)] {
    let deadline = SuspendingClock.now + time * 4
    return try entries.map { entry -> (entry: SourceCatalog.Entry, count: Int?) in
      guard let sql = entry.countSQL, deadline > .now else { return (entry, nil) }
      let limit = TimeLimit(time, connection)
      defer { limit.end() }
      do {
        return (entry, try connection.value(Int.self, sql))
      } catch let error as DatabaseError {
        // The transaction has ended, and with it the version.
        guard connection.isInTransaction else { throw error }
        // A view that cannot be read has no count. Its error is shown when it is opened.
        return (entry, nil)
      }
    }
  }

  /// Reads a database, for some time at most.
  private nonisolated func read<Result: Sendable>(
    _ database: Database, for time: Duration,
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await database.read { connection in
      // Not the time that it waits for a connection, which others have.
      let limit = TimeLimit(time, connection)
      defer { limit.end() }
      return try body(connection)
    }
  }

  /// Reads the newest version, for as long as a query may take.
  func reading<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await using { database, _ in
      try await read(database, for: options.limits.queryTime, body)
    }
  }
}
