import SQLiteStorage
import Testing

@testable import FetchedResults

/// A disk without room fails what is written, and nothing that is shown; when there is room again,
/// observing goes on by itself.
@Suite(.timeLimit(.minutes(5))) struct DiskFullTests {
  @Test func aWriteThatThereIsNoRoomForIsAnErrorAndNothingElse() async throws {
    let folder = try TestFolder()
    let path = try FaultStore.make(in: folder)
    await #expect(processExitsWith: .success) { [path = path as String] in
      try await DiskFullTests.writeWithoutRoom(path)
    }
  }

  @MainActor private static func writeWithoutRoom(_ path: String) async throws {
    let screen = try FaultScreen(path)
    try screen.database.run("UPDATE item SET n = 1 WHERE id = 1")
    try await screen.waitForTruth()
    let rows = try screen.rows
    ChildProcess.limitFileSize(40_000)
    let error = #expect(throws: DatabaseError.self) {
      try screen.database.run("UPDATE item SET name = hex(zeroblob(10000))")
    }
    let code = try #require(error).resultCode
    #expect(.full ~= code || .inputOutput ~= code)
    #expect(try screen.rows == rows)
    #expect(try FaultStore.rows(at: path) == rows)
    ChildProcess.limitFileSize(.max)
    let batchCount = screen.batchCount
    try screen.database.run("DELETE FROM item WHERE id = 2")
    try await screen.waitForTruth()
    #expect(screen.batchCount == batchCount + 1)
    #expect(screen.errors.isEmpty)
    screen.stop()
  }

  @Test func aCopyThatThereIsNoRoomForIsMadeWhenThereIs() async throws {
    let folder = try TestFolder()
    let path = try FaultStore.make(in: folder, journalMode: "DELETE", rows: 3_000)
    await #expect(processExitsWith: .success) { [path = path as String] in
      try await DiskFullTests.copyWithoutRoom(path)
    }
  }

  @MainActor private static func copyWithoutRoom(_ path: String) async throws {
    // In this mode each version that is shown is a copy of the file.
    let screen = try FaultScreen(path) { $0.usesWAL = false }
    #expect(screen.database.snapshotKind == .privateCopy)
    let other = try FaultStore.other(at: path)
    try await screen.waitForTruth()
    ChildProcess.limitFileSize(100_000)
    try other.execute("UPDATE item SET n = 7 WHERE id = 1")
    await screen.wait { !screen.errors.isEmpty }
    let code = try #require(screen.databaseErrors.first).resultCode
    #expect(.full ~= code || .inputOutput ~= code, "\(screen.errors)")
    ChildProcess.limitFileSize(.max)
    // Nobody commits any more.
    try await screen.waitForTruth()
    #expect(try screen.rows.first?.last == 7)
    screen.stop()
  }
}
