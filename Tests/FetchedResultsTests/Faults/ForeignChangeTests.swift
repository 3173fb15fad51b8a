import SQLiteStorage
import Testing

@testable import FetchedResults

/// What another process does to the whole file.
@Suite(.timeLimit(.minutes(5))) struct ForeignChangeTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test @MainActor func aSchemaThatAnotherProcessChangesIsFollowed() async throws {
    let path = try FaultStore.make(in: folder)
    let screen = try FaultScreen(path)
    for script in [
      "CREATE INDEX item_n ON item(n)", "CREATE TABLE more(a); INSERT INTO more VALUES (1)",
      "ALTER TABLE item RENAME COLUMN n TO m",
      "DROP TABLE more; INSERT INTO item VALUES (900, 'x', 1)",
      "ALTER TABLE item RENAME COLUMN m TO n; DELETE FROM item WHERE id = 1",
    ] {
      await #expect(processExitsWith: .success) {
        [path = path as String, script = script as String] in
        try FaultStore.other(at: path).execute(script: "BEGIN; \(script); COMMIT;")
      }
      try await screen.waitForTruth()
    }
    #expect(screen.errors.isEmpty)
    screen.stop()
  }

  @Test @MainActor func aTableThatAnotherProcessDropsIsAnErrorUntilItIsBack() async throws {
    let path = try FaultStore.make(in: folder)
    let screen = try FaultScreen(path)
    let other = try FaultStore.other(at: path)
    let rows = try screen.rows
    try other.execute("ALTER TABLE item RENAME TO gone")
    await screen.wait { !screen.errors.isEmpty }
    #expect((screen.errors.first as? FetchError)?.code == .noSuchTable)
    #expect(try screen.rows == rows)
    try other.execute(script: "ALTER TABLE gone RENAME TO item; DELETE FROM item WHERE id = 2;")
    try await screen.waitForTruth()
    screen.stop()
  }

  @Test @MainActor func aForeignVacuumIsSilent() async throws {
    let path = try FaultStore.make(in: folder, rows: 500)
    let screen = try FaultScreen(path)
    let other = try FaultStore.other(at: path)
    try other.execute("DELETE FROM item WHERE id % 2")
    try await screen.waitForTruth()
    let batchCount = screen.batchCount
    await #expect(processExitsWith: .success) { [path = path as String] in
      try FaultStore.other(at: path).execute("VACUUM")
    }
    try other.execute("DELETE FROM item WHERE id = 500")
    try await screen.waitForTruth()
    // What both came to is one row less.
    #expect(screen.batchCount == batchCount + 1)
    #expect(screen.errors.isEmpty)
    screen.stop()
  }

  @Test @MainActor func aLogThatIsInUseIsNotTakenAway() async throws {
    let path = try FaultStore.make(in: folder)
    let screen = try FaultScreen(path)
    await #expect(processExitsWith: .success) { [path = path as String] in
      let other = try FaultStore.other(at: path)
      try other.setBusyTimeout(.zero)
      let error = #expect(throws: DatabaseError.self) {
        try other.value(String.self, "PRAGMA journal_mode = DELETE")
      }
      #expect(error.map { .busy ~= $0.resultCode || .locked ~= $0.resultCode } == true)
      try other.execute("DELETE FROM item WHERE id = 1")
    }
    try await screen.waitForTruth()
    #expect(screen.errors.isEmpty)
    screen.stop()
  }

  @Test @MainActor func aFileThatAnotherProcessPutsInWALModeIsFollowed() async throws {
    let path = try FaultStore.make(in: folder, journalMode: "DELETE")
    let screen = try FaultScreen(path) { $0.usesWAL = false }
    for script in [
      "DELETE FROM item WHERE id = 1", "PRAGMA journal_mode = WAL",
      "DELETE FROM item WHERE id = 2", "DELETE FROM item WHERE id = 3",
    ] {
      await #expect(processExitsWith: .success) {
        [path = path as String, script = script as String] in
        _ = try FaultStore.other(at: path).rows(script)
      }
      try await screen.waitForTruth()
    }
    #expect(screen.errors.isEmpty)
    screen.stop()
  }

  @Test @MainActor func checkpointsAreSilent() async throws {
    let path = try FaultStore.make(in: folder)
    let screen = try FaultScreen(path)
    let other = try FaultStore.other(at: path)
    try other.setBusyTimeout(.zero)
    try other.execute("UPDATE item SET n = 1 WHERE id = 1")
    try await screen.waitForTruth()
    for mode in ["PASSIVE", "FULL", "RESTART", "TRUNCATE", "PASSIVE"] {
      _ = try? other.rows(SQL(verbatim: "PRAGMA wal_checkpoint(\(mode))"))
    }
    try other.execute("UPDATE item SET n = 2 WHERE id = 1")
    try await screen.waitForTruth()
    #expect(screen.batchCount == 2)
    #expect(screen.errors.isEmpty)
    screen.stop()
  }
}
