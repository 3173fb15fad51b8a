import FetchedResults
import RowQueries
import SQLiteStorage

/// The tables and views with their counts, as `/api/sources` answers them.
actor SourceList {
  /// The JSON, and the entries that it was made of.
  struct Content: Sendable {
    let json: [UInt8]
    let entries: [(entry: SourceCatalog.Entry, count: Int?)]
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

  private let options: ServerOptions
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

  init(_ options: ServerOptions, _ catalog: SourceCatalog, _ opener: DatabaseOpener) {
    self.options = options
    self.catalog = catalog
    self.opener = opener
  }

  /// Runs `body` with the database, and its newest version.
  private func using<Result>(
    _ body: (Database, Snapshot) async throws -> Result
  ) async throws -> Result {
    closing?.cancel()
    userCount += 1
    defer {
      userCount -= 1
      if userCount == 0 { closing = Task { await close(after: SourceList.idleTime) } }
    }
    let (database, version) = try database()
    return try await body(database, version)
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
  }

  private func follow(_ database: Database) {
    let commits = database.commits
    following = Task { [weak self] in
      for await _ in commits { await self?.forgetOldVersion() }
    }
  }

  /// An older version would keep the log from being reset.
  private func forgetOldVersion() {
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

  private func read(_ database: Database) async throws -> Content {
    let entries = try await database.read { [catalog] in try catalog.entries(in: $0) }
    var counted: [(entry: SourceCatalog.Entry, count: Int?)] = []
    // As long as all counts together take a few of the times that one may take.
    let deadline = SuspendingClock.now + options.limits.countTime * 4
    for entry in entries {
      let count = deadline > .now ? await count(entry, in: database) : nil
      counted.append((entry, count))
    }
    return Content(json: json(counted), entries: counted)
  }

  private func count(_ entry: SourceCatalog.Entry, in database: Database) async -> Int? {
    guard let sql = entry.countSQL else { return nil }
    // A view that cannot be read has no count. Its error is shown when it is opened.
    return try? await read(database, for: options.limits.countTime) {
      try $0.value(Int.self, sql)
    }
  }

  /// Reads a database, for some time at most.
  private nonisolated func read<Result: Sendable>(
    _ database: Database, for time: Duration,
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    let task = Task { try await database.read(body) }
    let limit = Task {
      try await Task.sleep(for: time, clock: .suspending)
      task.cancel()
    }
    defer { limit.cancel() }
    return try await task.value
  }

  /// Reads the newest version, for as long as a query may take.
  func reading<Result: Sendable>(
    _ body: @escaping @Sendable (Connection) throws -> Result
  ) async throws -> Result {
    try await using { database, _ in
      try await read(database, for: options.limits.queryTime, body)
    }
  }

  private nonisolated func json(_ sources: [(entry: SourceCatalog.Entry, count: Int?)]) -> [UInt8] {
    let buffer = OutputBuffer()
    buffer.object {
      buffer.member("database", options.databaseName)
      buffer.member("tool", options.toolVersion)
      buffer.member("protocol", ServerOptions.protocolVersion)
      buffer.member("sql", options.allowsSQL)
      if options.hasIndex { buffer.member("index", "../") }
      buffer.member("sources")
      buffer.append(array: sources) { entry, count in
        buffer.object { append(entry, count, to: buffer) }
      }
    }
    return buffer.bytes
  }

  private nonisolated func append(
    _ entry: SourceCatalog.Entry, _ count: Int?, to buffer: OutputBuffer
  ) {
    buffer.member("name", entry.name)
    buffer.member("kind", entry.kind)
    if let by = entry.given?.by { buffer.member("by", by) }
    if let sort = entry.given?.sort, !sort.isEmpty { buffer.member("sort", sort) }
    buffer.member("columns")
    buffer.append(array: entry.columns) { column in
      buffer.object {
        buffer.member("name", column.name)
        buffer.member("type", column.type)
        buffer.member("key", column.isKey)
        if let reference = column.reference {
          buffer.member("references")
          buffer.object {
            buffer.member("source", reference.source)
            buffer.member("column", reference.column)
          }
        }
      }
    }
    if !entry.keys.isEmpty {
      buffer.member("keys")
      buffer.append(array: entry.keys) { key in
        buffer.object {
          buffer.member("columns", key.columns)
          buffer.member("source", key.source)
          buffer.member("referred", key.referred)
        }
      }
    }
    if entry.isIndexed { buffer.member("indexed", true) }
    if let shown = entry.shown { buffer.member("shown", shown) }
    if let count { buffer.member("count", count) } else { buffer.member("count", nil) }
  }
}
