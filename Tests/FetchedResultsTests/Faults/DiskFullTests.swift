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
}
