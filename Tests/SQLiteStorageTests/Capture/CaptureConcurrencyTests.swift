import TableDataTesting
import Testing

@testable import SQLiteStorage

/// Threads that write and threads that pin, at once.
@Suite(.enabled(if: Connection.supportsPreupdateHook), .timeLimit(.minutes(10)))
struct CaptureConcurrencyTests {
  private static let tables = [TruthTable("item"), TruthTable("pair", key: ["b", "a"])]

  private let folder: TestFolder
  private let database: Database

  init() throws {
    folder = try TestFolder()
    let path = try folder.makeStore(rows: 20)
    try Connection(path: path).execute(
      "CREATE TABLE pair(a, b, PRIMARY KEY(b, a)) WITHOUT ROWID")
    var configuration = Database.Configuration.unsynced
    configuration.checkpointThreshold = 20
    configuration.busyTimeout = .seconds(60)
    database = try Database(path: path, configuration: configuration)
  }

  private static func write(_ numbers: inout SeededGenerator, to connection: Connection) throws {
    for _ in 0..<Int.random(in: 1...3, using: &numbers) {
      let values: [Value] = [.integer(numbers.small()), .integer(numbers.small())]
      let sql = [
        "INSERT OR REPLACE INTO item VALUES (?, ?)", "UPDATE item SET name = ?2 WHERE id < ?1",
        "UPDATE OR REPLACE item SET id = ? WHERE id = ?", "DELETE FROM item WHERE id IN (?, ?)",
        "INSERT OR REPLACE INTO pair VALUES (?, ?)", "UPDATE OR REPLACE pair SET a = ? WHERE b = ?",
        "DELETE FROM pair WHERE a < ? AND b < ?",
      ].randomElement(using: &numbers)
      try connection.execute(sql ?? "", values)
    }
  }

  private struct RolledBack: Error {}

  /// Writes for some rounds, in all the ways there are.
  private func writeMuch(rounds: Int, seed: UInt64) throws {
    var numbers = SeededGenerator(seed: seed)
    for _ in 0..<rounds {
      switch Int.random(in: 0..<10, using: &numbers) {
      case 0:
        // A transaction for each statement.
        try database.withWriter { try CaptureConcurrencyTests.write(&numbers, to: $0) }
      case 1:
        _ = try? database.write { connection in
          try CaptureConcurrencyTests.write(&numbers, to: connection)
          throw RolledBack()
        }
      case 2:
        try database.write { connection in
          try CaptureConcurrencyTests.write(&numbers, to: connection)
          // Of the version before this transaction.
          _ = try database.keeper.snapshot()
          try CaptureConcurrencyTests.write(&numbers, to: connection)
        }
      default:
        try database.write { try CaptureConcurrencyTests.write(&numbers, to: $0) }
      }
    }
  }

  /// Compares what differs with what is said to be touched, from version to version.
  ///
  /// - Returns: how often it was known, and how often not.
  private func pinMuch(until isOver: Flag, seed: UInt64) throws -> (known: Int, unknown: Int) {
    var numbers = SeededGenerator(seed: seed)
    var counts = (known: 0, unknown: 0)
    var last = try database.snapshot()
    var oldest = last
    var wasOver = false
    while !wasOver {
      wasOver = isOver.isSet
      let next = try database.snapshot()
      #expect(next.version >= last.version)
      for old in [last, oldest] {
        guard case .rows(let touched) = old.capturedChanges(to: next) else {
          counts.unknown += 1
          continue
        }
        counts.known += 1
        for table in CaptureConcurrencyTests.tables {
          let missed = try table.missed(by: touched, between: old, and: next)
          #expect(missed.isEmpty, "\(table.name), versions \(old.version), \(next.version)")
        }
      }
      last = next
      if numbers.chance(10) { oldest = next }
    }
    return counts
  }

  /// Runs threads that pin beside threads that write, until the latter are done.
  private func run(
    pinning: Int, writing: [@Sendable () throws -> Void]
  ) -> (known: Int, unknown: Int) {
    let seed = UInt64.random(in: 0...UInt64.max)
    let isOver = Flag()
    let counts = Locked((writersLeft: writing.count, known: 0, unknown: 0))
    onThreads(pinning + writing.count) { thread in
      do {
        if thread < writing.count {
          defer {
            counts.withLock { counts in
              counts.writersLeft -= 1
              if counts.writersLeft == 0 { isOver.set() }
            }
          }
          try writing[thread]()
        } else {
          let more = try pinMuch(until: isOver, seed: seed &+ UInt64(thread))
          counts.withLock { counts in
            counts.known += more.known
            counts.unknown += more.unknown
          }
        }
      } catch {
        Issue.record("\(error), seed \(seed)")
      }
    }
    return counts.withLock { ($0.known, $0.unknown) }
  }

  @Test func ownCommitsAreNeverMissed() throws {
    let rounds = SeededGenerator.scaled(400)
    // So that somebody always holds a snapshot when a transaction begins.
    let first = try database.snapshot()
    let counts = run(
      pinning: 2,
      writing: [
        { try writeMuch(rounds: rounds, seed: 1) }, { try writeMuch(rounds: rounds, seed: 2) },
      ])
    #expect(counts.known > 0)
    #expect(counts.unknown == 0)
    let last = try database.snapshot()
    let touched = try first.capturedChanges(to: last).known()
    for table in CaptureConcurrencyTests.tables {
      #expect(try table.missed(by: touched, between: first, and: last).isEmpty)
    }
  }

  @Test func commitsOfOthersAreNeverTakenForOwnOnes() throws {
    let rounds = SeededGenerator.scaled(300)
    let path = folder.file()
    _ = run(
      pinning: 2,
      writing: [
        { try writeMuch(rounds: rounds, seed: 3) },
        {
          var numbers = SeededGenerator(seed: 4)
          let other = try Connection(path: path)
          try other.setBusyTimeout(.seconds(60))
          try other.execute("PRAGMA synchronous = OFF")
          for _ in 0..<rounds {
            try other.transaction { try CaptureConcurrencyTests.write(&numbers, to: other) }
            if numbers.chance(10) { _ = other.checkpoint() }
          }
        },
      ])
  }

  @Test func releasedSnapshotsLeaveNothingBehind() throws {
    let rounds = SeededGenerator.scaled(300)
    let first = try database.snapshot()
    _ = run(pinning: 3, writing: [{ try writeMuch(rounds: rounds, seed: 5) }])
    let last = try database.snapshot()
    #expect(withExtendedLifetime(first) { first.chain.count } == 2)
    #expect(last.version > first.version)
  }
}
