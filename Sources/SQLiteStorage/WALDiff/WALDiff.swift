/// Finds the rows that any connection or process has written between two pinned versions, from the
/// pages in the write-ahead log.
///
/// The writer does not take part: no trigger, hook or message is needed.
final class WALDiff: Sendable {
  private struct State {
    /// The trees, and the version of the schema that they describe.
    var schema: (version: Int64, trees: SchemaTrees)?
    var parents = TreeParents()
    /// The latest result: lists on several threads request the same changes at once.
    var latest: (older: WALHeader, newer: WALHeader, touched: Touched)?
    /// The latest number of commits.
    var latestCount: (older: WALHeader, newer: WALHeader, count: Int)?
    var work: Work = (0, 0, 0)
  }

  /// The number of operations so far, for tests.
  typealias Work = (comparisonCount: Int, readCount: Int, mappingCount: Int)

  private let readers: ReaderPool
  private let state = Locked(State())

  init(readers: ReaderPool) { self.readers = readers }

  var work: Work { state.withLock { $0.work } }

  /// The rows that may differ between two versions, which must stay pinned during the call.
  ///
  /// - Parameters:
  ///   - schemaVersion: the schema version of both.
  ///   - arePinned: whether both are still pinned. If not, the comparison ends, so that it does not keep the log from being
  ///     reset.
  /// - Returns: `.unknown` if the pages do not identify the rows.
  func touched(
    from older: WALHeader, to newer: WALHeader, schemaVersion: Int64,
    while arePinned: () -> Bool = { true }
  ) -> Touched {
    state.withLock { state in
      if newer.hasSameContent(as: older) { return .none }
      if let latest = state.latest, latest.older == older, latest.newer == newer {
        return latest.touched
      }
      let touched: Touched
      do {
        touched = .rows(try compare(older, newer, schemaVersion, arePinned, &state))
      } catch {
        touched = .unknown((error as? PageDiffError)?.reason ?? .logUnreadable)
      }
      state.latest = (older, newer, touched)
      return touched
    }
  }

  /// The number of transactions committed between two versions, which must stay pinned during the call; nil if the log
  /// cannot be read.
  func commitCount(from older: WALHeader, to newer: WALHeader) -> Int? {
    state.withLock { state in
      if let latest = state.latestCount, latest.older == older, latest.newer == newer {
        return latest.count
      }
      // Whatever the reason is, the number is not known.
      guard let count = try? readCommitCount(from: older, to: newer) else { return nil }
      state.latestCount = (older, newer, count)
      return count
    }
  }

  /// Checks that what is cached from the versions compared before belongs together.
  func checkInvariants() throws {
    try state.withLock { state in
      if let trees = state.schema?.trees {
        try trees.checkInvariants()
        try state.parents.checkInvariants(of: trees)
      }
      if case .rows(let rows)? = state.latest?.touched { try rows.checkInvariants() }
    }
  }

  private func compare(
    _ older: WALHeader, _ newer: WALHeader, _ schemaVersion: Int64, _ arePinned: () -> Bool,
    _ state: inout State
  ) throws -> TouchedRows {
    let connection = try readers.take()
    defer { readers.checkIn(connection) }
    let trees = try trees(schemaVersion, connection, &state)
    let file = try files(of: connection)
    guard let index = connection.walIndex else { throw PageDiffError.unreadable }
    let reader = try VersionReader(file, index, from: older, to: newer)
    var comparison = try PageComparison(
      of: try VersionPages(reader), trees: trees, parents: state.parents)
    defer {
      state.work.comparisonCount += 1
      state.work.readCount += reader.readCount
      state.work.mappingCount += comparison.places.mappingCount
    }
    let touched = try comparison.run(while: arePinned)
    state.parents = comparison.places.parents
    return touched
  }

  private func readCommitCount(from older: WALHeader, to newer: WALHeader) throws -> Int {
    let connection = try readers.take()
    defer { readers.checkIn(connection) }
    return try VersionReader.commitCount(in: files(of: connection), from: older, to: newer)
  }

  /// The files that a connection has open. They stay open, since a version of them is pinned.
  private func files(of connection: Connection) throws -> LoggedFile {
    if let file = LoggedFile(handle: connection.handle, schema: "main") { return file }
    // SQLite opens the log with the first read.
    _ = try connection.schemaVersion(of: "main")
    guard let file = LoggedFile(handle: connection.handle, schema: "main") else {
      throw PageDiffError.unreadable
    }
    return file
  }

  /// The trees of a schema.
  private func trees(
    _ schemaVersion: Int64, _ connection: Connection, _ state: inout State
  ) throws -> SchemaTrees {
    if let schema = state.schema, schema.version == schemaVersion { return schema.trees }
    let trees = try connection.transaction(.deferred) {
      // If the schema has changed since, the old schema cannot be read.
      guard try connection.schemaVersion(of: "main") == schemaVersion else {
        throw PageDiffError.schemaChanged
      }
      return try connection.schemaTrees()
    }
    (state.schema, state.parents) = ((schemaVersion, trees), TreeParents())
    return trees
  }
}

extension PageDiffError {
  /// Why the changed rows are unknown.
  var reason: Touched.Reason {
    switch self {
    case .unreadable: .logUnreadable
    case .malformed: .pageMalformed
    case .longRow: .longRowChanged
    case .schemaChanged: .schemaChanged
    case .tooManyPages: .tooManyPages
    }
  }
}
