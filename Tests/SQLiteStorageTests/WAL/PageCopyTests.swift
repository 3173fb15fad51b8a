import CSQLite
import Foundation
import TableDataTesting
import Testing

@testable import SQLiteStorage

/// Copies of pinned versions, beside commits and checkpoints.
@Suite(.timeLimit(.minutes(5))) struct PageCopyTests {
  private let folder: TestFolder
  private let writer: Connection

  init() throws {
    folder = try TestFolder()
    writer = try Connection(path: folder.file(), access: .readWriteCreate)
  }

  /// A version that is pinned, with the header of its log.
  private struct Pinned {
    let connection: Connection
    let header: WALHeader
  }

  private func prepare(pageSize: Int, autoVacuum: Bool = false) throws {
    try writer.execute(
      script: """
        PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = \(autoVacuum ? 1 : 0);
        PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0;
        CREATE TABLE item(id INTEGER PRIMARY KEY, a TEXT, b BLOB); CREATE INDEX by_a ON item(a);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
        INSERT INTO item SELECT i, 'a' || i, zeroblob(i * 7 % 900) FROM n;
        """)
  }

  private func pin() throws -> Pinned {
    let connection = try Connection(path: folder.file(), access: .readOnly)
    _ = try connection.schemaVersion(of: "main")
    while true {
      let header = WALIndexHeader(of: connection)?.version
      try connection.execute("BEGIN")
      _ = try connection.schemaVersion(of: "main")
      if let header, header == WALIndexHeader(of: connection)?.version {
        return Pinned(connection: connection, header: header)
      }
      try connection.execute("COMMIT")
    }
  }

  private func rows(_ connection: Connection) throws -> [String] {
    try connection.rows("SELECT id, a, hex(b) FROM item NOT INDEXED ORDER BY id").map { "\($0)" }
  }

  /// Checks that a copy shows what the version shows.
  private func check(_ pinned: Pinned, _ comment: Comment) throws {
    let path = folder.file("copy")
    defer { try? FileManager.default.removeItem(atPath: path) }
    // On a busy machine the log may be reset during each attempt of a call, and SQLite makes the copy then.
    let isWritten = try (0..<20).contains { _ in
      try PageSource.write(pinned.connection, at: pinned.header, to: path)
    }
    try #require(isWritten, comment)
    let copy = try Connection(path: path, access: .readWriteCreate)
    #expect(try rows(copy) == rows(pinned.connection), comment)
    #expect(try copy.value(String.self, "PRAGMA integrity_check") == "ok", comment)
    #expect(
      try copy.schemaVersion(of: "main") == pinned.connection.schemaVersion(of: "main"), comment)
    #expect(try copy.value(String.self, "PRAGMA journal_mode") == "delete", comment)
    try copy.execute("UPDATE item SET a = 'written'")
  }

  @Test(arguments: [512, 1_024, 4_096, 65_536], [false, true])
  func aCopyShowsItsVersion(pageSize: Int, autoVacuum: Bool) throws {
    try prepare(pageSize: pageSize, autoVacuum: autoVacuum)
    var numbers = SeededGenerator(seed: UInt64(pageSize))
    var versions: [Pinned] = []
    for step in 0..<120 {
      switch Int.random(in: 0..<10, using: &numbers) {
      case 0: _ = writer.checkpoint()
      case 1: versions.append(try pin())
      case 2 where !versions.isEmpty:
        versions.remove(at: .random(in: versions.indices, using: &numbers))
      case 3: try writer.execute("DELETE FROM item WHERE id % 3 = ?", [.integer(Int64(step % 3))])
      case 4: try writer.execute("VACUUM")
      case 5: try writer.execute(SQL(verbatim: "CREATE TABLE t\(step)(x)"))
      default:
        let id = Int64.random(in: 1...400, using: &numbers)
        try writer.execute(
          "INSERT OR REPLACE INTO item VALUES(?, ?, ?)",
          [
            .integer(id), .text("step \(step)"),
            .blob([UInt8](repeating: UInt8(step), count: .random(in: 0..<3_000, using: &numbers))),
          ])
      }
      for (number, pinned) in versions.enumerated() where step.isMultiple(of: 4) {
        try check(pinned, "step \(step), version \(number)")
      }
    }
  }

  @Test func aVersionIsCopiedBesideCommitsAndCheckpoints() throws {
    try prepare(pageSize: 1_024)
    let (isEnd, hasFailed, threads) = (Flag(), Flag(), DispatchGroup())
    DispatchQueue(label: "writer").async(group: threads) { [path = folder.file()] in
      do {
        let other = try Connection(path: path, access: .readWriteCreate, busyTimeout: .seconds(20))
        try other.execute("PRAGMA synchronous = OFF")
        try other.execute("PRAGMA wal_autocheckpoint = 8")
        var count: Int64 = 0
        while !isEnd.isSet {
          try other.execute(
            "UPDATE item SET a = ? WHERE id % 20 = ?", [.integer(count), .integer(count % 20)])
          count += 1
        }
      } catch {
        hasFailed.set()
      }
    }
    defer {
      isEnd.set()
      threads.wait()
    }
    let first = try pin().header
    for round in 0..<150 { try check(pin(), "round \(round)") }
    #expect(try !pin().header.isSameLog(as: first))
    #expect(!hasFailed.isSet)
  }

  @Test func pagesOfAnExtensionAreNotCopied() throws {
    var reserved: Int32 = 16
    try writer.execute("PRAGMA page_size = 4096")
    #expect(
      sqlite3_file_control(writer.handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved)
        == SQLITE_OK)
    try prepare(pageSize: 4_096)
    _ = writer.checkpoint()
    let pinned = try pin()
    #expect(try !PageSource.write(pinned.connection, at: pinned.header, to: folder.file("copy")))
    #expect(!FileManager.default.fileExists(atPath: folder.file("copy")))
    // It is copied through SQLite.
    let copy = try Database.Configuration().privateCopy(
      of: pinned.connection, at: pinned.header)
    #expect(try rows(copy) == rows(pinned.connection))
  }

  @Test func anErrorNamesTheFile() throws {
    try prepare(pageSize: 4_096)
    _ = writer.checkpoint()
    let pinned = try pin()
    let error = #expect(throws: DatabaseError.self) {
      try PageSource.write(pinned.connection, at: pinned.header, to: folder.file("no/copy"))
    }
    #expect(error?.message.contains("no/copy") == true)
    #expect((error?.cause as? POSIXError)?.code == .ENOENT)
  }
}
