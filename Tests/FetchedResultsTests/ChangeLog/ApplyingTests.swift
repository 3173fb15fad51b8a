import Foundation
import SQLiteStorage
import Testing

@testable import FetchedResults

/// Changes that are applied to another database, or inverted to the same one.
@Suite(.timeLimit(.minutes(5))) struct ApplyingTests {
  private let database: Database

  init() throws {
    database = try Database.store(
      """
      CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT UNIQUE);
      CREATE TABLE track(
        id INTEGER PRIMARY KEY, artist INTEGER REFERENCES artist ON DELETE CASCADE, name TEXT);
      CREATE TABLE log(line);
      CREATE TRIGGER logged AFTER UPDATE ON track BEGIN INSERT INTO log VALUES (new.name); END;
      INSERT INTO artist VALUES (1, 'Can'), (2, 'Neu!');
      INSERT INTO track VALUES (1, 1, 'Halleluhwah'), (2, 1, 'Spoon'), (3, 2, 'Hero');
      """)
  }

  /// What a script changes, copied.
  private func rows(_ script: String) async throws -> [TableRowChange] {
    var log = try database.changes(since: database.snapshot()).makeAsyncIterator()
    try database.run(script)
    return try #require(try await log.next()).rows()
  }

  private func contents() throws -> [String] { try database.read { try $0.contents() } }

  private func apply(_ rows: [TableRowChange]) throws {
    try database.write { try $0.apply(rows) }
  }

  private func apply(_ changes: DatabaseChanges) throws {
    try database.write { try $0.apply(changes) }
  }

  @Test func theInverseLeadsBack() async throws {
    let before = try contents()
    var log = try database.changes(since: database.snapshot()).makeAsyncIterator()
    try database.run(
      """
      UPDATE track SET name = 'Vitamin C' WHERE id = 2; DELETE FROM artist WHERE id = 2;
      INSERT INTO artist VALUES (3, 'Faust')
      """)
    let changes = try #require(try await log.next())
    #expect(changes.tableNames == ["artist", "log", "track"])
    let after = try contents()
    try apply(changes.inverted())
    #expect(try contents() == before)
    // Neither the cascade nor the trigger has changed anything else.
    let undo = try #require(try await log.next())
    #expect(
      try undo.rows().map(\.kind.rawValue).sorted()
        == changes.inverted().rows().map(\.kind.rawValue).sorted())
    try apply(changes)
    #expect(try contents() == after)
  }

  @Test func rowsMayExchangeAUniqueValue() async throws {
    let before = try contents()
    let rows = try await rows(
      """
      UPDATE artist SET name = 'x' WHERE id = 1; UPDATE artist SET name = 'Can' WHERE id = 2;
      UPDATE artist SET name = 'Neu!' WHERE id = 1
      """)
    #expect(rows.map(\.kind) == [.update, .update])
    let after = try contents()
    try apply(rows.map(\.inverted))
    #expect(try contents() == before)
    try apply(rows)
    #expect(try contents() == after)
  }

  @Test func aRowThatIsInsertedAgainKeepsItsNewColumns() async throws {
    let before = try contents()
    let rows = try await rows(
      """
      UPDATE artist SET name = 'x' WHERE id = 1; UPDATE artist SET name = 'Can' WHERE id = 2;
      UPDATE artist SET name = 'Neu!' WHERE id = 1
      """)
    try database.run(
      "ALTER TABLE artist ADD COLUMN note DEFAULT '?'; UPDATE artist SET note = 'note ' || id")
    try apply(rows.map(\.inverted))
    let notes = try await database.read {
      try $0.values(String.self, "SELECT note FROM artist ORDER BY id")
    }
    #expect(notes == ["note 1", "note 2"])
    try database.run("ALTER TABLE artist DROP COLUMN note")
    #expect(try contents() == before)
  }

  @Test func aRowThatHasChangedSinceIsAConflict() async throws {
    let rows = try await rows(
      "UPDATE track SET name = 'a' WHERE id = 1; DELETE FROM track WHERE id = 2")
    try database.run("UPDATE track SET name = 'b' WHERE id = 1")
    let before = try contents()
    let error = try #require(throws: FetchError.self) {
      try apply(rows.map(\.inverted))
    }
    #expect(error.code == .conflict)
    #expect(error.message == "row 1 of track: it is not as it was when it was changed")
    #expect(try contents() == before)
  }

  @Test(arguments: ["INSERT INTO track VALUES (9, 1, 'new')", "DELETE FROM track WHERE id = 3"])
  func aRowThatIsThereOrIsMissingIsAConflict(_ script: String) async throws {
    let rows = try await rows(script)
    #expect(throws: FetchError.self) { try apply(rows) }
    try apply(rows.map(\.inverted))
    #expect(throws: FetchError.self) { try apply(rows.map(\.inverted)) }
  }

  @Test func aReferenceToNoRowIsAConflict() async throws {
    let rows = try await rows("INSERT INTO artist VALUES (4, 'La Düsseldorf')")
    try database.run("INSERT INTO track VALUES (4, 4, 'Rheinita')")
    let error = try #require(throws: FetchError.self) {
      try apply(rows.map(\.inverted))
    }
    #expect(error.message == "a row of track would refer to a row of artist that does not exist")
    // Foreign keys are enforced again, and triggers fire.
    #expect(throws: DatabaseError.self) { try database.run("INSERT INTO track VALUES (5, 99, '')") }
    try database.run("UPDATE track SET name = 'Cha Cha 2000' WHERE id = 4")
    #expect(try await database.read { try $0.value(Int.self, "SELECT count(*) FROM log") } == 1)
  }

  @Test func aReferenceToNoRowFromBeforeIsNoConflict() async throws {
    try await database.write { connection in
      try connection.withoutForeignKeys {
        try connection.execute("INSERT INTO track VALUES (8, 88, 'of nobody')")
      }
    }
    let updates = try await rows(
      "UPDATE artist SET name = 'La!' WHERE id = 2; UPDATE track SET name = 'Für immer' WHERE id = 3"
    )
    try apply(updates.map(\.inverted))
    try apply(updates)
    let inserts = try await rows("INSERT INTO artist VALUES (4, 'La Düsseldorf')")
    try database.run("INSERT INTO track VALUES (4, 4, 'Rheinita')")
    let error = try #require(throws: FetchError.self) { try apply(inserts.map(\.inverted)) }
    #expect(error.message == "a row of track would refer to a row of artist that does not exist")
  }

  @Test func changesOfTheSchemaAreNotApplied() async throws {
    var log = try database.changes(since: database.snapshot()).makeAsyncIterator()
    try database.run("CREATE TABLE other(a)")
    let changes = try #require(try await log.next())
    let error = try #require(throws: FetchError.self) {
      try apply(changes)
    }
    #expect(error.code == .incomparable)
    #expect(changes.inverted().schemaChanges.map(\.kind) == [.dropped])
  }

  // MARK: - Changesets

  /// Applies a changeset by SQLite's own function. Its status is 0; 77 where the library does not have it.
  private static let program = """
    import ctypes, sys
    try:
        sqlite = ctypes.CDLL(sys.argv[3]) if len(sys.argv) > 3 else ctypes.CDLL("libsqlite3.so.0")
        apply = sqlite.sqlite3changeset_apply
    except (OSError, AttributeError):
        sys.exit(77)
    database = ctypes.c_void_p()
    if sqlite.sqlite3_open(sys.argv[1].encode(), ctypes.byref(database)): sys.exit(2)
    data = open(sys.argv[2], "rb").read()
    conflict = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    def report(context, kind, change):
        print("conflict", kind, file=sys.stderr)
        return 2
    sys.exit(1 if apply(database, len(data), ctypes.c_char_p(data), None, conflict(report), None) else 0)
    """

  @Test func sqliteAppliesAChangeset() async throws {
    let folder = try TestFolder()
    try database.run(
      """
      CREATE TABLE pair(a TEXT, b, c, d REAL, e BLOB, PRIMARY KEY (b, a)) WITHOUT ROWID;
      INSERT INTO pair VALUES ('x', 1, NULL, 1.5, x'00'), ('y', 2, 3, 4, 5);
      """)
    let copy = folder.file("copy.db")
    try await database.read { source in
      try source.copy(to: try Connection(path: copy, access: .readWriteCreate))
    }
    var log = try database.changes(except: ["log"], since: database.snapshot()).makeAsyncIterator()
    try database.run(
      """
      UPDATE pair SET c = zeroblob(300), d = -0.1 WHERE b = 1; DELETE FROM pair WHERE b = 2;
      INSERT INTO pair VALUES ('ß', 9223372036854775807, hex(zeroblob(200)), 9e999, NULL);
      UPDATE track SET name = NULL; INSERT INTO artist VALUES (-5, '')
      """)
    let changes = try #require(try await log.next())
    let file = folder.file("changes.bin")
    try Data(try changes.changeset()).write(to: URL(filePath: file))
    let status = try await OtherProcess.python(Self.program, copy, file)
    guard let status, status != 77 else {
      print("sqlite3changeset_apply is not there: the changeset was not applied")
      return
    }
    #expect(status == 0)
    let applied = try Connection(path: copy, access: .readOnly)
    let tables = try applied.contents().filter { $0 != "log" }
    #expect(
      try tables == contents().filter { !["log", "NULL"].contains($0) })
  }

  @Test(arguments: [
    "ALTER TABLE artist ADD COLUMN note; INSERT INTO artist VALUES (3, 'Faust', 'new')",
    "ALTER TABLE artist RENAME COLUMN name TO title; INSERT INTO artist VALUES (3, 'Faust')",
    """
    DROP TABLE artist; CREATE TABLE artist(id INTEGER, name TEXT PRIMARY KEY);
    INSERT INTO artist VALUES (3, 'Faust')
    """,
  ])
  func aChangesetIsOfOneListOfColumns(_ script: String) async throws {
    var log = try database.changes(tables: ["artist"], since: database.snapshot())
      .makeAsyncIterator()
    try database.run("DELETE FROM track; DELETE FROM artist WHERE id = 2; \(script)")
    let changes = try #require(try await log.next())
    #expect(changes.count > 1)
    let error = try #require(throws: FetchError.self) { try changes.changeset() }
    #expect(error.code == .incomparable)
  }

  @Test func aChangesetNeedsAKey() async throws {
    var log = try database.changes(since: database.snapshot()).makeAsyncIterator()
    try database.run("INSERT INTO log VALUES ('line')")
    let changes = try #require(try await log.next())
    let error = try #require(throws: FetchError.self) { try changes.changeset() }
    #expect(error.code == .missingKey)
  }
}
