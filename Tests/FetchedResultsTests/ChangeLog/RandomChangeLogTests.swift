import SQLiteStorage
import TableDataTesting
import Testing

@testable import FetchedResults

/// Random tables that several writers change at random, also their schema: each batch of a change log, applied to a copy of the
/// file as it was, makes it the file as it is; and inverted, it leads back.
@Suite(.timeLimit(.minutes(20))) struct RandomChangeLogTests {
  @Test(arguments: SeededGenerator.seeds(24))
  func aCopyFollowsTheFile(seed: UInt64) async throws {
    try await ReplayRun(seed: seed, isInWALMode: true).run(batchCount: 12)
  }

  @Test(arguments: SeededGenerator.seeds(3))
  func aCopyFollowsAFileInRollbackMode(seed: UInt64) async throws {
    try await ReplayRun(seed: seed << 16, isInWALMode: false).run(batchCount: 6)
  }
}

private struct ReplayRun {
  let seed: UInt64
  let isInWALMode: Bool

  func run(batchCount: Int) async throws {
    let folder = try TestFolder()
    let path = folder.file("store.db")
    var random = ReplayCase(seed: seed)
    let writer = try Connection(path: path, access: .readWriteCreate)
    if isInWALMode { _ = try writer.rows("PRAGMA journal_mode = WAL") }
    try writer.execute("PRAGMA synchronous = OFF")
    for sql in random.schema() { try writer.execute(SQL(verbatim: sql)) }
    var configuration = Database.Configuration()
    configuration.usesWAL = isInWALMode
    configuration.checkpointThreshold = 20
    let database = try Database(path: path, configuration: configuration)
    var changes = database.changes()
    // Half of the logs look up each row again.
    if seed % 2 == 0 { changes.memory = RowMemory(size: 0) }
    var log = changes.makeAsyncIterator()
    _ = try await log.begin()
    let replica = try Replica(copying: writer, at: folder.file("copy.db"))
    // What was in an expired version is a gap that is not bridged.
    let versions = HeldVersions(seed: seed, mayExpire: false)
    var trace: [String] = []
    for number in 1...batchCount {
      for _ in 0..<(random.chance(50) ? 1 : 3) {
        let isOwn = random.chance(30)
        let statements = random.transaction()
        trace += statements
        do {
          if isOwn {
            try write(statements, to: database)
          } else {
            try writer.transaction { execute(statements, on: writer) }
          }
        } catch let error as DatabaseError where error.isOfLastRowID {
          trace.append("-- rolled back")
        }
        if random.chance(8) {
          trace.append("VACUUM")
          try writer.execute("VACUUM")
        }
        try writer.setBusyTimeout(.zero)
        if random.chance(20) { _ = try? writer.rows("PRAGMA wal_checkpoint(TRUNCATE)") }
        try writer.setBusyTimeout(.seconds(5))
      }
      try writer.execute("UPDATE mark SET n = \(number)")
      let before = try replica.connection.contents()
      let (_, newest) = try versions.prepare(
        step: number, from: log.version?.snapshot, in: database)
      defer { withExtendedLifetime(newest) {} }
      let changes = try #require(try await log.next())
      #expect(changes.gap?.isBridged != false)
      do {
        try replica.apply(changes)
        let expected = try writer.contents()
        let actual = try replica.connection.contents()
        guard actual == expected else { throw Difference(expected: expected, actual: actual) }
        if changes.schemaChanges.isEmpty, random.chance(50) {
          try replica.connection.apply(changes.inverted())
          let back = try replica.connection.contents()
          guard back == before else { throw Difference(expected: before, actual: back) }
          try replica.connection.apply(changes)
        }
      } catch {
        Issue.record(
          """
          seed \(seed), batch \(number): \(error)
          \(trace.suffix(40).joined(separator: ";\n"))
          told: \(try changes.lines().joined(separator: "\n"))
          """)
        return
      }
      trace.append("-- batch \(number)")
    }
  }

  private func write(_ statements: [String], to database: Database) throws {
    try database.write { execute(statements, on: $0) }
  }

  /// Runs statements, of which some fail.
  private func execute(_ statements: [String], on connection: Connection) {
    for sql in statements {
      do { try connection.execute(SQL(verbatim: sql)) } catch { continue }
    }
  }
}

/// The contents of two databases that should be equal.
private struct Difference: Error, CustomStringConvertible {
  let expected: [String]
  let actual: [String]

  var description: String {
    let difference = actual.difference(from: expected)
    let removed = difference.removals.map { "- \($0)".prefix(200) }
    let inserted = difference.insertions.map { "+ \($0)".prefix(200) }
    return "the copy differs:\n" + (removed + inserted).joined(separator: "\n")
  }
}

extension DatabaseError {
  /// Whether SQLite has rolled back since AUTOINCREMENT has no rowid left.
  fileprivate var isOfLastRowID: Bool {
    .full ~= resultCode || (cause as? DatabaseError).map { .full ~= $0.resultCode } == true
  }
}
