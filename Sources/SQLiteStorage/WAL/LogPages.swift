/// Tells what anybody has written between two pinned versions, from the pages in the write-ahead
/// log.
///
/// It needs nothing of whoever wrote: no trigger, no hook, no word from another process.
final class LogPages: Sendable {
  private struct State {
    /// The versions of the schemas that the trees are of.
    var schemaVersions: [Int64] = []
    var trees: [SchemaTrees] = []
    var parents: [TreeParents] = []
    /// What was told last: all who show a version ask for the same.
    var latest: (older: VersionStamp, newer: VersionStamp, touched: Touched)?
    var work = Work()
  }

  /// What it has done so far, for tests.
  struct Work {
    var comparisonCount = 0
    var readCount = 0
    var mappingCount = 0
  }

  private let readers: ReaderPool
  /// `main` first, in the order of the logs in a stamp.
  private let schemas: [String]
  private let state = Guarded(State())

  init(readers: ReaderPool, schemas: [String]) {
    self.readers = readers
    self.schemas = schemas
  }

  var work: Work { state.withLock { $0.work } }

  /// The rows that may differ between two versions, which stay pinned while this runs.
  ///
  /// - Parameter schemaVersions: those of both.
  /// - Returns: `.unknown` where the pages do not tell it.
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
        touched = .unknown((error as? PageObstacle)?.reason ?? .logUnreadable)
      }
      state.latest = (older, newer, touched)
      return touched
    }
  }

  private func compare(
    _ older: VersionStamp, _ newer: VersionStamp, _ schemaVersions: [Int64], _ state: inout State
  ) throws -> TouchedRows {
    let connection = try readers.take()
    defer { readers.giveBack(connection) }
    if state.schemaVersions != schemaVersions {
      // Where the schema is another one by now, nobody can say any more what it was.
      guard let (versions, trees) = try connection.schemaTrees(of: schemas),
        versions == schemaVersions
      else { throw PageObstacle.schemaChanged }
      state.schemaVersions = versions
      state.trees = trees
      state.parents = trees.map { _ in TreeParents() }
    }
    return try connection.transaction(.deferred) {
      var touched = TouchedRows()
      for (index, schema) in schemas.enumerated() {
        // A file is read in a transaction only: then SQLite keeps it open, and its log.
        _ = try connection.schemaVersion(of: schema)
        let logs = (older.logs[index], newer.logs[index])
        if logs.1.hasSameContent(as: logs.0) { continue }
        guard let file = LoggedFile(handle: connection.handle, schema: schema),
          let walIndex = WALIndex(handle: connection.handle, schema: schema)
        else { throw PageObstacle.unreadable }
        let reader = try VersionReader(file, walIndex, from: logs.0, to: logs.1)
        var comparison = try PageComparison(
          of: try VersionPages(reader), trees: state.trees[index], parents: state.parents[index])
        defer { state.work.add(comparison, reader) }
        touched.formUnion(try comparison.run())
        state.parents[index] = comparison.places.parents
      }
      return touched
    }
  }
}

extension LogPages.Work {
  fileprivate mutating func add(_ comparison: PageComparison, _ reader: VersionReader) {
    comparisonCount += 1
    readCount += reader.readCount
    mappingCount += comparison.places.mappingCount
  }
}
