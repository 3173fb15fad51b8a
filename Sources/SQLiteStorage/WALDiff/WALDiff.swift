/// Finds the rows that any connection or process has written between two pinned versions, from the
/// pages in the write-ahead log.
///
/// The writer does not take part: no trigger, hook or message is needed.
final class WALDiff: Sendable {
  private struct State {
    /// The versions of the schemas that `trees` describe.
    var schemaVersions: [Int64] = []
    var trees: [SchemaTrees] = []
    var parents: [TreeParents] = []
    /// The latest result, since all lists of a version request the same changes.
    var latest: (older: VersionStamp, newer: VersionStamp, touched: Touched)?
    var work: Work = (0, 0, 0)
  }

  /// The number of operations so far, for tests.
  typealias Work = (comparisonCount: Int, readCount: Int, mappingCount: Int)

  private let readers: ReaderPool
  /// The schemas, `main` first, in the order of the logs in a stamp.
  private let schemas: [String]
  private let state = Locked(State())

  init(readers: ReaderPool, schemas: [String]) {
    self.readers = readers
    self.schemas = schemas
  }

  var work: Work { state.withLock { $0.work } }

  /// The rows that may differ between two versions, which must stay pinned during the call.
  ///
  /// - Parameter schemaVersions: the schema versions of both.
  /// - Returns: `.unknown` if the pages do not identify the rows.
  func touched(
    from older: VersionStamp, to newer: VersionStamp, schemaVersions: [Int64]
  ) -> Touched {
    state.withLock { state in
      if let latest = state.latest, latest.older == older, latest.newer == newer {
        return latest.touched
      }
      let touched: Touched
      do {
        touched = .rows(try compare(older, newer, schemaVersions, &state))
      } catch {
        touched = .unknown((error as? PageDiffError)?.reason ?? .logUnreadable)
      }
      state.latest = (older, newer, touched)
      return touched
    }
  }

  /// Checks that what is cached from the versions compared before belongs together.
  func checkInvariants() throws {
    try state.withLock { state in
      try BrokenInvariant.check(
        state.parents.count == state.trees.count
          && (state.trees.isEmpty || state.trees.count == schemas.count),
        "\(state.trees.count) trees and \(state.parents.count) hints for \(schemas)")
      for (trees, parents) in zip(state.trees, state.parents) {
        try trees.checkInvariants()
        try parents.checkInvariants(of: trees)
      }
      if case .rows(let rows)? = state.latest?.touched { try rows.checkInvariants() }
    }
  }

  private func compare(
    _ older: VersionStamp, _ newer: VersionStamp, _ schemaVersions: [Int64], _ state: inout State
  ) throws -> TouchedRows {
    let connection = try readers.take()
    defer { readers.checkIn(connection) }
    if state.schemaVersions != schemaVersions {
      // If the schema has changed since, the old schema cannot be read.
      guard let (versions, trees) = try connection.schemaTrees(of: schemas),
        versions == schemaVersions
      else { throw PageDiffError.schemaChanged }
      state.schemaVersions = versions
      state.trees = trees
      state.parents = trees.map { _ in TreeParents() }
    }
    return try connection.transaction(.deferred) {
      var touched = TouchedRows()
      for (index, schema) in schemas.enumerated() {
        // SQLite keeps a file and its log open only if the file was read in the transaction.
        _ = try connection.schemaVersion(of: schema)
        let logs = (older.logs[index], newer.logs[index])
        if logs.1.hasSameContent(as: logs.0) { continue }
        guard let file = LoggedFile(handle: connection.handle, schema: schema),
          let walIndex = WALIndex(handle: connection.handle, schema: schema)
        else { throw PageDiffError.unreadable }
        let reader = try VersionReader(file, walIndex, from: logs.0, to: logs.1)
        var comparison = try PageComparison(
          of: try VersionPages(reader), trees: state.trees[index], parents: state.parents[index])
        defer {
          state.work.comparisonCount += 1
          state.work.readCount += reader.readCount
          state.work.mappingCount += comparison.places.mappingCount
        }
        touched.formUnion(try comparison.run())
        state.parents[index] = comparison.places.parents
      }
      return touched
    }
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
