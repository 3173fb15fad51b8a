import CLibrary
import Foundation
import SQLiteStorage
import Testing

@testable import sections

/// The copy of the followed database that a log keeps.
struct LogStateTests {
  /// A process was killed in the middle of a transaction: the file has some of its pages, the journal the old ones.
  @Test(arguments: [true, false])
  func theJournalOfAKilledProcessIsNotThatOfTheNewState(isFileThere: Bool) throws {
    let folder = try TestFolder()
    let writer = try Connection(
      path: try folder.makeDatabase(
        """
        CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT);
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        INSERT INTO t SELECT i, printf('old %0500d', i) FROM n;
        """, named: "writer.db"))
    try writer.execute("PRAGMA cache_size = 5")
    try writer.execute("BEGIN")
    try writer.execute("UPDATE t SET name = printf('lost %0500d', id)")
    let kept = folder.file("kept.db")
    for suffix in isFileThere ? ["", "-journal"] : ["-journal"] {
      try FileManager.default.copyItem(
        atPath: folder.file("writer.db") + suffix, toPath: kept + suffix)
    }
    try writer.execute("ROLLBACK")

    let source = try Connection(
      path: try folder.makeDatabase(
        """
        CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT);
        WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        INSERT INTO t SELECT i, printf('new %0500d', i) FROM n;
        """))
    try LogState(kept).reset(to: source)
    let state = try Connection(path: kept)
    #expect(try state.value(Int.self, "SELECT count(*) FROM t WHERE name GLOB 'new *'") == 1_000)
    #expect(try state.value(String.self, "PRAGMA integrity_check") == "ok")
  }
}
