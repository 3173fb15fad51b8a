import Foundation
import TableDataTesting
import Testing

@testable import SQLiteStorage

@Suite(.timeLimit(.minutes(5))) struct CancellableRunTests {
  private let gate = OneShotGate()
  private let database: Database

  init() throws {
    var configuration = Database.Configuration()
    configuration.functions = [gate.function]
    database = try Database.inMemory(configuration: configuration)
    try database.write { try $0.execute("CREATE TABLE t(x)") }
  }

  /// Asserts that the database can be used, and that nothing was written.
  private func expectUntouched(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let count = try database.read { try $0.value(Int.self, "SELECT count(*) FROM t") }
    #expect(count == 0, sourceLocation: sourceLocation)
    try database.write { try $0.execute("INSERT INTO t VALUES ('usable')") }
    let after = try database.read { try $0.value(Int.self, "SELECT count(*) FROM t") }
    #expect(after == 1, sourceLocation: sourceLocation)
  }

  @Test func aReadThatRunsIsStopped() async throws {
    let task = Task { [database] in
      try await database.read { try $0.execute(OneShotGate.endlessQuery) }
    }
    await gate.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try expectUntouched()
  }

  @Test func aWriteThatRunsIsStoppedAndRolledBack() async throws {
    let task = Task { [database] in
      try await database.write { connection in
        try connection.execute("INSERT INTO t VALUES (1)")
        try connection.execute(OneShotGate.endlessQuery)
      }
    }
    await gate.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try expectUntouched()
  }

  @Test func aLoopOfShortStatementsIsStopped() async throws {
    // SQLite forgets an interrupt that comes while no statement runs.
    let task = Task { [database, gate] in
      try await database.write { connection in
        while true {
          try connection.execute("INSERT INTO t VALUES (1)")
          gate.open()
        }
      }
    }
    await gate.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try expectUntouched()
  }

  @Test func aBodyThatContinuesAfterBeingStoppedCommitsNothing() async throws {
    let task = Task { [database] in
      try await database.write { connection in
        try connection.execute("INSERT INTO t VALUES (1)")
        try? connection.execute(OneShotGate.endlessQuery)
        return "done"
      }
    }
    await gate.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    try expectUntouched()
  }

  @Test func aStatementLeftInTheMiddleDoesNotStopTheRollback() async throws {
    let task = Task { [database] in
      try await database.write { connection in
        try connection.execute("INSERT INTO t VALUES (1), (2)")
        _ = try connection.cachedStatement("SELECT x FROM t").step()
        try connection.execute(OneShotGate.endlessQuery)
      }
    }
    await gate.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try expectUntouched()
  }

  @Test func anErrorThatIsNotTheInterruptIsThrownAsItIs() async throws {
    let task = Task { [database] in
      try await database.write { try $0.execute("SELECT * FROM missing") }
    }
    await #expect(throws: DatabaseError.self) { try await task.value }
    try expectUntouched()
  }

  @Test func whatIsCancelledBeforeItBeginsNeverRuns() async throws {
    let hasRun = Flag()
    for isWrite in [true, false] {
      let begin = OneShotGate()
      let task = Task { [database] in
        await begin.wait()
        if isWrite {
          try await database.write { _ in hasRun.set() }
        } else {
          try await database.read { _ in hasRun.set() }
        }
      }
      task.cancel()
      begin.open()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(!hasRun.isSet)
    try expectUntouched()
  }

  @Test func whatIsCancelledWhileItWaitsForItsTurnNeverRuns() async throws {
    let hasRun = Flag()
    let begun = OneShotGate()
    let mayEnd = DispatchSemaphore(value: 0)
    let first = Task { [database] in
      try await database.write { _ in
        begun.open()
        mayEnd.wait()
      }
    }
    await begun.wait()
    let second = Task { [database] in
      try await database.write { _ in hasRun.set() }
    }
    second.cancel()
    mayEnd.signal()
    try await first.value
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(!hasRun.isSet)
    try expectUntouched()
  }

  @Test func cancellingAfterTheEndInterruptsNoOtherWork() async throws {
    // One reader connection is used again and again, by tasks that are cancelled late.
    for _ in 0..<SeededGenerator.scaled(200) {
      let task = Task { [database] in
        try await database.read { try $0.value(Int.self, "SELECT 1") }
      }
      _ = try await task.value
      async let other = database.read { connection in
        try connection.value(
          Int.self,
          """
          WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500)
          SELECT count(*) FROM n
          """)
      }
      task.cancel()
      #expect(try await other == 500)
    }
  }
}
