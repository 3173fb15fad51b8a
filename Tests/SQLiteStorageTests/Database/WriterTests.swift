import Foundation
import Testing

@testable import SQLiteStorage

@Suite struct WriterTests {
  private let folder: TestFolder
  private let writer: Writer

  init() throws {
    folder = try TestFolder()
    writer = Writer(
      try Connection(path: folder.file(), access: .readWriteCreate), capture: nil)
    try writer.sync { try $0.execute("CREATE TABLE t(x)") }
  }

  @Test func syncAndAsyncWorkTakesTurns() async throws {
    let rounds = 20
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<rounds {
        group.addTask { [writer] in
          try await writer.transaction { try $0.execute("INSERT INTO t VALUES (1)") }
        }
        group.addTask { [writer] in
          try writer.sync { connection in
            try connection.transaction { try connection.execute("INSERT INTO t VALUES (1)") }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try writer.sync { try $0.value(Int.self, "SELECT count(*) FROM t") } == 2 * rounds)
  }

  @Test func workInsideWorkIsRefusedOnlyForTheSameWriter() throws {
    let other = Writer(
      try Connection(path: folder.file("other"), access: .readWriteCreate), capture: nil)
    try writer.sync { _ in
      try other.sync { _ in
        #expect(databaseError { try writer.sync { _ in } }?.code == .nestedWrite)
      }
    }
  }

  /// What is written may have the last reference to the database.
  @Test func workMayEndTheDatabase() throws {
    try writer.sync { connection in
      try connection.execute(script: "PRAGMA journal_mode = WAL; INSERT INTO t VALUES (1)")
      writer.keepLogWhenClosed()
    }
    writer.close(keepsLog: false)
    #expect(folder.size(of: "store.sqlite-wal") > 0)
  }

  @Test func aTransactionIsRolledBackWhenItsBodyThrows() async throws {
    await #expect(throws: DatabaseError.self) {
      try await writer.transaction { connection in
        try connection.execute("INSERT INTO t VALUES (1)")
        try connection.execute("nonsense")
      }
    }
    #expect(try writer.sync { try $0.value(Int.self, "SELECT count(*) FROM t") } == 0)
  }
}
