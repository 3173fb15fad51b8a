import Foundation
import SQLiteStorage
import Testing

@testable import sections

@Suite(.timeLimit(.minutes(10))) struct QueryCommandTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func query(_ arguments: String...) async throws -> Tool.Result {
    try await Tool.run(["query"] + arguments, in: folder)
  }

  private static let names = [
    "with space.db", "what?.db", "hash#tag.db", "100%41.db", "file:x.db", "file:x?mode=memory",
    "größe-日本-👩‍👩‍👧.db", ":memory:", "-dash.db", "a'b\".db", "back\\slash.db", "new\nline.db", "&.db",
  ]

  @Test(arguments: names)
  func theDatabaseMayHaveAnyName(_ name: String) async throws {
    try await readDatabase(named: name, as: [name])
  }

  @Test(arguments: [names[5], names[6], names[7]])
  func theNameMayBeThatOfAPath(_ name: String) async throws {
    try await readDatabase(named: name, as: ["./" + name, folder.file(name)])
  }

  private func readDatabase(named name: String, as paths: [String]) async throws {
    try folder.makeDatabase(named: "made.db")
    try FileManager.default.moveItem(atPath: folder.file("made.db"), toPath: folder.file(name))
    let before = try folder.contents()
    for path in paths {
      // A name that begins with - follows --, as everywhere.
      let result = try await query("--columns", "name", "--limit", "1", "--", path, "t")
      result.expect("name\none\n")
    }
    #expect(try folder.contents() == before)
  }

  @Test func aURIIsNotAPath() async throws {
    try folder.makeDatabase()
    for uri in ["file:a.db", "file:///a.db?mode=ro"] {
      try await query(uri, "t").expectFailure(66, "\(uri) is a URI", "Give the path alone")
    }
    // A file may have such a name.
    try folder.makeDatabase(named: "file:b.db")
    try await query("file:b.db", "t", "--limit", "1").expect("id\tname\n1\tone\n")
    try await Tool.run(["import", "file:c.db", "-", "--into", "t"], in: folder, stdin: "[]")
      .expectFailure(66, "is a URI")
  }

  @Test func aLinkIsFollowed() async throws {
    try folder.makeDatabase(named: "made.db", journalMode: "WAL")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link.db"), withDestinationPath: "made.db")
    try await query("link.db", "t", "--limit", "1").expect("id\tname\n1\tone\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
  }

  @Test(arguments: ["DELETE", "TRUNCATE", "PERSIST", "WAL"])
  func readingLeavesTheFolderAsItWas(_ journalMode: String) async throws {
    try folder.makeDatabase(journalMode: journalMode)
    let before = try folder.contents()
    let commands = [
      ["query", "a.db", "t", "--by", "name"], ["query", "a.db", "SELECT * FROM t"],
      ["schema", "a.db"], ["migrate", "status", "a.db", "--dir", "."],
      ["migrate", "verify", "a.db", "--dir", "."], ["query", "a.db", "nope"],
    ]
    // To a reader the other modes are the same as DELETE.
    for arguments in ["DELETE", "WAL"].contains(journalMode) ? commands : [commands[0]] {
      _ = try await Tool.run(arguments, in: folder)
      #expect(try folder.contents() == before, "\(arguments)")
    }
    #expect(try folder.temporaryFiles().isEmpty)
  }

  /// The row is found by a query in which the condition is restricted to its key.
  @Test func sectionsAreMadeByAnExpressionBesideAConditionWithASelect() async throws {
    try folder.makeDatabase(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, n INT);
      CREATE TABLE chosen(t INT, rank INT);
      CREATE INDEX chosen_t ON chosen(t);
      INSERT INTO t VALUES (1, 10), (2, 21), (3, 30);
      INSERT INTO chosen VALUES (1, 1), (3, 1), (2, 2);
      """)
    try await query(
      "a.db", "t", "--by", "n % 20", "--where", "id IN (SELECT t FROM chosen WHERE rank = 1)"
    ).expect("section\tid\tn\n10\t1\t10\n10\t3\t30\n")
  }

  @Test func whatIsOnlyInTheLogIsReadAndStaysThere() async throws {
    let writer = try Connection(path: folder.makeDatabase(journalMode: "WAL"))
    try writer.execute("PRAGMA wal_autocheckpoint = 0")
    try writer.execute("INSERT INTO t VALUES (4, 'four')")
    let log = try folder.contents()["a.db-wal"]
    try await query("a.db", "t", "--offset", "3").expect("id\tname\n4\tfour\n")
    #expect(try folder.contents()["a.db-wal"] == log)
  }

  @Test(.enabled(if: chinook != nil)) func chinookHas3503TracksIn25Genres() async throws {
    let chinook = try #require(Self.chinook)
    let result = try await query(chinook, "Track", "--by", "GenreId", "--sort", "Name")
    #expect(result.status == 0, "\(result.stderr)")
    let rows = result.lines.dropFirst().map {
      $0.split(separator: "\t", omittingEmptySubsequences: false)
    }
    #expect(rows.count == 3503)
    let sections = rows.map(\.[0])
    let changes = zip(sections, sections.dropFirst()).count { $0 != $1 }
    #expect(Set(sections).count == 25)
    #expect(changes == 24)
    for (row, next) in zip(rows, rows.dropFirst()) where row[0] == next[0] {
      #expect(row[2].utf8.lexicographicallyPrecedes(next[2].utf8) || row[2] == next[2])
    }
  }

  /// The sample database beside the package; nil where there is none.
  private static let chinook: String? = {
    var folder = URL(filePath: #filePath)
    for _ in 0..<5 { folder.deleteLastPathComponent() }
    let file = folder.appending(path: "shared/data/chinook.sqlite").path
    return FileManager.default.fileExists(atPath: file) ? file : nil
  }()
}
