import Foundation
import SQLiteStorage
import Testing

@testable import FetchedResults

/// What becomes of a list whose file is taken away, put back, cut off or made anew.
@Suite(.timeLimit(.minutes(5))) struct LostFileTests {
  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = try FaultStore.make(in: folder)
  }

  enum Loss: String, CaseIterable { case removed, renamed, replaced, logRemoved, indexRemoved }

  @Test(arguments: Loss.allCases)
  @MainActor func aFileThatIsNotThereAnyMoreIsAnErrorAndStaysReadable(_ loss: Loss) async throws {
    let screen = try FaultScreen(path)
    let rows = try screen.rows
    let replacement = try FaultStore.make(in: folder, named: "other.sqlite", rows: 3)
    switch loss {
    case .removed: try FileManager.default.removeItem(atPath: path)
    case .renamed: try #require(rename(path, folder.file("elsewhere")) == 0)
    case .replaced: try #require(rename(replacement, path) == 0)
    case .logRemoved: try FileManager.default.removeItem(atPath: path + "-wal")
    case .indexRemoved: try FileManager.default.removeItem(atPath: path + "-shm")
    }
    await screen.wait { !screen.errors.isEmpty }
    #expect(screen.databaseErrors.map(\.code) == [.fileReplaced])
    #expect(try screen.rows == rows)
    // A write would be lost.
    #expect(throws: DatabaseError.self) { try screen.database.run("DELETE FROM item") }
    #expect(throws: DatabaseError.self) { try screen.provider.refresh() }
    screen.stop()
  }

  @Test @MainActor func observingContinuesWhenAFileIsRestored() async throws {
    let screen = try FaultScreen(path)
    await screen.settle()
    let other = try FaultStore.other(at: path)
    try #require(rename(path, folder.file("elsewhere")) == 0)
    await screen.wait { !screen.errors.isEmpty }
    try #require(rename(folder.file("elsewhere"), path) == 0)
    try other.execute("DELETE FROM item WHERE id = 3")
    try await screen.waitForTruth()
    #expect(screen.databaseErrors.map(\.code) == [.fileReplaced])
    screen.stop()
  }

  @Test @MainActor func aFileThatIsCutOffIsAnErrorOrReadAsItIs() async throws {
    let path = try FaultStore.make(in: folder, named: "long.sqlite", rows: 2_000)
    let bytes = try Data(contentsOf: URL(filePath: path))
    let screen = try FaultScreen(path)
    // By another process: opening the file here a second time would drop SQLite's locks.
    await #expect(processExitsWith: .success) {
      [path = path as String, size = bytes.count as Int] in
      #expect(truncate(path, off_t(size / 2)) == 0)
    }
    let fresh = Result { try FaultStore.rows(at: path) }
    #expect(throws: DatabaseError.self) { try fresh.get() }
    do {
      try screen.database.run("UPDATE item SET n = 2 WHERE id IN (1, 1999)")
    } catch {
      let code = try #require(error as? DatabaseError).resultCode
      #expect(.corrupt ~= code || .inputOutput ~= code, "\(error)")
    }
    await #expect(processExitsWith: .success) { [path = path as String, bytes = bytes as Data] in
      // In place, as `cp` does it.
      let file = try FileHandle(forUpdating: URL(filePath: path))
      try file.write(contentsOf: bytes)
    }
    try screen.database.run("UPDATE item SET n = 3 WHERE id = 2")
    try await screen.waitForTruth()
    for error in screen.databaseErrors {
      #expect(.corrupt ~= error.resultCode || .inputOutput ~= error.resultCode, "\(error)")
    }
    screen.stop()
  }

  @Test @MainActor func aRestoredBackupIsReported() async throws {
    let backup = try FaultStore.make(in: folder, named: "backup.sqlite", rows: 33)
    let screen = try FaultScreen(path)
    try screen.database.run("UPDATE item SET n = 5; DELETE FROM item WHERE id < 6")
    try await screen.waitForTruth()
    // As `.restore` of the sqlite3 tool does it.
    await #expect(processExitsWith: .success) {
      [path = path as String, backup = backup as String] in
      try Connection(path: backup, access: .readOnly).copy(to: try FaultStore.other(at: path))
    }
    try await screen.wait { try screen.rows.count == 33 }
    try await screen.waitForTruth()
    // And from there on.
    try screen.database.run("DELETE FROM item WHERE id = 33")
    try await screen.waitForTruth()
    #expect(screen.errors.isEmpty)
    screen.stop()
  }

  @Test func permissionsThatAreTakenAwayAndGivenBack() async throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
    await #expect(processExitsWith: .success) { [folder = folder.path as String] in
      try #require(ChildProcess.dropPrivileges())
      try await LostFileTests.losePermission(in: folder)
    }
  }

  @MainActor private static func losePermission(in folder: String) async throws {
    let folder = folder + "/own"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let path = folder + "/store.sqlite"
    try FaultStore.other(at: path, access: .readWriteCreate).execute(
      script: """
        PRAGMA journal_mode = WAL; CREATE TABLE item(id INTEGER PRIMARY KEY, n);
        INSERT INTO item VALUES (1, 0), (2, 0), (3, 0);
        """)
    let screen = try FaultScreen(path)
    let other = try FaultStore.other(at: path)
    // Of the file: who has it open goes on.
    try #require(chmod(path, 0) == 0)
    #expect(throws: DatabaseError.self) { try Database(path: path, access: .readOnly) }
    try other.execute("UPDATE item SET n = 1 WHERE id = 1")
    try #require(chmod(path, 0o600) == 0)
    try await screen.waitForTruth()
    // Of the folder: the path does not lead there any more.
    let errorCount = screen.errors.count
    try #require(chmod(folder, 0) == 0)
    await screen.wait { screen.errors.count > errorCount }
    #expect(screen.databaseErrors.last?.code == .fileReplaced)
    try other.execute("UPDATE item SET n = 2 WHERE id = 2")
    try #require(chmod(folder, 0o700) == 0)
    try await screen.waitForTruth()
    screen.stop()
  }
}
