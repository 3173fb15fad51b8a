import Foundation
import SQLiteStorage
import Testing

@testable import FetchedResults

/// Every kind of thing that rows can come from.
struct ResolvedSourceTests {
  /// Fetches all rows sorted by `v`, then the key, in sections by `s`.
  private func lines(
    _ store: Database, _ request: FetchRequest<Row>, sections: Bool = false
  ) throws -> [String] {
    let provider = try FetchedResultsProvider(
      database: store, request: request.sorted(by: \Row["v"]),
      sectionedBy: sections ? .property(\Row["s"]) : nil)
    let lines = try provider.fetchedLines()
    try provider.expectConsistent()
    let values = try #require(provider.fetchedObjects).map { $0["v"] }
    #expect(sections || zip(values, values.dropFirst()).allSatisfy { !$1.precedes($0) })
    return lines
  }

  // MARK: Compounds

  /// In the SELECT around it, SQLite before 3.43 would lose `g = 1`.
  @Test(arguments: ["RIGHT", "FULL"], [[], ["s", "v"]])
  func aUnionOfAnOuterJoinKeepsItsConditions(join: String, key: [String]) throws {
    let store = try Database.store(
      """
      CREATE TABLE a(x INTEGER PRIMARY KEY, g); INSERT INTO a VALUES (1, 1), (2, 2);
      CREATE TABLE b(y INTEGER PRIMARY KEY); INSERT INTO b VALUES (1);
      """)
    let select = """
      SELECT 'A' AS s, x AS v FROM a WHERE g = 1
      UNION ALL SELECT 'B', a.x FROM b \(join) JOIN a ON b.y = a.x -- as it is written
      """
    let request =
      key.isEmpty
      ? FetchRequest<Row>(select: SQL(verbatim: select))
      : FetchRequest<Row>(select: SQL(verbatim: select), key: key)
    for request in [request, request.sorted(by: \Row["v"])] {
      let provider = try FetchedResultsProvider(database: store, request: request)
      try provider.performFetch()
      for values in [[1, 1, 2], [1, 1, 2, 3]] as [[Int64]] {
        let rows = try #require(provider.fetchedObjects).map { $0["v"] }
        let numbers = rows.compactMap { if case .integer(let number) = $0 { number } else { nil } }
        #expect(numbers.sorted() == values)
        try store.run("INSERT OR IGNORE INTO a VALUES (3, 3)")
        try provider.refresh()
      }
      try store.run("DELETE FROM a WHERE x = 3")
    }
  }

  // MARK: Tables

  @Test func anIntegerPrimaryKeyIsTheKey() throws {
    let store = try Database.store(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, s, v);
      INSERT INTO t VALUES (5, 'x', 2), (-7, 'x', 2), (9, 'y', 1);
      """)
    #expect(try lines(store, FetchRequest(table: "t")) == ["all: 9 -7 5"])
    #expect(
      try lines(store, FetchRequest(table: "t"), sections: true) == ["\"x\": -7 5", "\"y\": 9"])
  }

  @Test func aTableWithoutADeclaredKeyHasTheRowID() throws {
    let store = try Database.store(
      """
      CREATE TABLE t(s, v); INSERT INTO t(rowid, s, v) VALUES (5, 'x', 2), (3, 'x', 2), (9, 'y', 1);
      """)
    #expect(try lines(store, FetchRequest(table: "t")) == ["all: 9 3 5"])
    #expect(
      try lines(store, FetchRequest(table: "t"), sections: true) == ["\"x\": 3 5", "\"y\": 9"])
  }

  @Test(arguments: [
    ("rowid", "_rowid_"), ("ROWID", "_rowid_"), ("rowid, _rowid_", "oid"),
    ("oid, _RowID_", "rowid"),
  ])
  func columnsCalledRowIDDoNotHideTheKey(columns: String, key: String) throws {
    let store = try Database.store(
      "CREATE TABLE t(\(columns), s, v); INSERT INTO t(\(key), v) VALUES (5, 2), (3, 2), (9, 1);")
    #expect(try lines(store, FetchRequest(table: "t")) == ["all: 9 3 5"])
  }

  @Test func whereColumnsHideEveryNameOfTheRowIDTheKeyMustBeNamed() throws {
    let store = try Database.store(
      """
      CREATE TABLE t(rowid, _rowid_, oid, v);
      INSERT INTO t VALUES ('a', 'b', 'c', 2), ('d', 'e', 'f', 1);
      """)
    let error = #expect(throws: FetchError.self) {
      try FetchedResultsProvider(database: store, request: FetchRequest(table: "t"))
    }
    #expect(error?.code == .missingKey)
    #expect(error?.nextStep == "Name the columns of its key")
    #expect(try lines(store, FetchRequest(table: "t", key: ["oid"])) == ["all: \"f\" \"c\""])
  }

  @Test func aTextPrimaryKeyIsTheKey() throws {
    let store = try Database.store(
      """
      CREATE TABLE t(k TEXT PRIMARY KEY, s, v);
      INSERT INTO t VALUES ('b', 1, 1), ('a', 1, 1), ('', 1, 1), ('A', 1, 1), ('é', 1, 0),
        ('x' || char(0) || 'b', 1, 2), ('x' || char(0) || 'a', 1, 2), ('x', 1, 2);
      """)
    #expect(
      try lines(store, FetchRequest(table: "t"))
        == ["all: \"é\" \"\" \"A\" \"a\" \"b\" \"x\" \"x\0a\" \"x\0b\""])
  }

  @Test func aNocasePrimaryKeyIsOrderedByItsCollation() throws {
    let store = try Database.store(
      """
      CREATE TABLE t(k TEXT COLLATE NOCASE PRIMARY KEY, s, v);
      INSERT INTO t VALUES ('b', 1, 1), ('C', 1, 1), ('A', 1, 1);
      """)
    #expect(try lines(store, FetchRequest(table: "t")) == ["all: \"A\" \"b\" \"C\""])
  }

  @Test func aPrimaryKeyWithItsOwnCollationDistinguishesRowsByIt() throws {
    for options in ["", "WITHOUT ROWID"] {
      let store = try Database.store(
        """
        CREATE TABLE t(k TEXT COLLATE NOCASE, s, v, PRIMARY KEY(k COLLATE BINARY)) \(options);
        INSERT INTO t VALUES ('a', 'small', 1), ('A', 'capital', 1), ('b', 'b', 1);
        """)
      #expect(try lines(store, FetchRequest(table: "t")) == ["all: \"A\" \"a\" \"b\""])
      let provider = try FetchedResultsProvider(database: store, request: FetchRequest(table: "t"))
      try provider.performFetch()
      #expect(provider.fetchedObjects?.map { $0["s"] } == ["capital", "small", "b"])
    }
  }

  @Test(arguments: ["", "WITHOUT ROWID"])
  func aCompositeKeyOfAnyValuesFindsItsRows(options: String) throws {
    let store = try Database.store(
      """
      CREATE TABLE t(a, b TEXT, s, v, PRIMARY KEY(b, a)) \(options);
      INSERT INTO t VALUES (1, 'x', 'p', 1), (1.5, 'x', 'p', 1), (x'00FF', 'x', 'q', 1),
        ('n' || char(0), 'x', 'q', 1), (9007199254740993, 'x', 'p', 1), ('1', 'x', 'p', 1),
        (9007199254740992.0, 'x', 'q', 1), (1, 'w' || char(0) || 'z', 'p', 1);
      """)
    #expect(
      try lines(store, FetchRequest(table: "t")) == [
        "all: \"w\0z\", 1 \"x\", 1 \"x\", 1.5 \"x\", 9007199254740992 \"x\", 9007199254740993 "
          + "\"x\", \"1\" \"x\", \"n\0\" \"x\", a blob of 2 bytes"
      ])
    #expect(try lines(store, FetchRequest(table: "t"), sections: true).count == 2)
  }

  @Test func aWithoutRowIDTableWithABlobKeyWorks() throws {
    let store = try Database.store(
      """
      CREATE TABLE t(k BLOB PRIMARY KEY, v) WITHOUT ROWID;
      INSERT INTO t VALUES (x'', 1), (x'00', 1), (x'0000', 1), (2.5, 0);
      """)
    let provider = try FetchedResultsProvider(database: store, request: FetchRequest(table: "t"))
    try provider.performFetch()
    #expect(try provider.identity(at: [0, 0]) == RowIdentity(.real(2.5)))
    #expect(try provider.identity(at: [0, 1]) == RowIdentity(.blob([])))
    #expect(try provider.identity(at: [0, 3]) == RowIdentity(.blob([0, 0])))
    try provider.expectConsistent()
  }

  @Test func anIntegerPrimaryKeyDescIsNoRowIDAndStillAKey() throws {
    let store = try Database.store(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY DESC, s, v);
      INSERT INTO t VALUES (5, 'x', 2), (7, 'x', 2), ('nine', 'y', 1);
      """)
    #expect(try lines(store, FetchRequest(table: "t")) == ["all: \"nine\" 5 7"])
  }

  @Test(arguments: ["", "STRICT"])
  func aRealPrimaryKeyIsAKey(options: String) throws {
    let store = try Database.store(
      """
      CREATE TABLE t(k REAL PRIMARY KEY, s TEXT, v INT) \(options);
      INSERT INTO t VALUES (1, 'x', 1), (2.5, 'x', 1), (-1e300, 'x', 1), (9e999, 'x', 0);
      """)
    #expect(try lines(store, FetchRequest(table: "t")) == ["all: inf -1e+300 1 2.5"])
  }

  @Test func theRowIDOfATableWithoutADeclaredKeyMayBeNamedAsTheKey() throws {
    let store = try Database.store("CREATE TABLE t(v); INSERT INTO t VALUES (2), (1);")
    #expect(try lines(store, FetchRequest(table: "t", key: ["RowID"])) == ["all: 2 1"])
  }

  @Test func generatedColumnsAreColumnsLikeOthers() throws {
    let store = try Database.store(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, a, s AS (a % 2) VIRTUAL, v AS (-a) STORED);
      INSERT INTO t(a) VALUES (1), (2), (3), (4);
      """)
    #expect(
      try lines(store, FetchRequest(table: "t"), sections: true) == ["0: 4 2", "1: 3 1"])
  }

  @Test func namesMayHoldAnyCharacterAndBeKeywords() throws {
    let names = ["a\"b", "se lect", "[x]", "what?", "#", "100%", "it's", "from", "`", "Ünï", ":n"]
    let columns = names.map(\.quotedIdentifier).joined(separator: ", ")
    for (table, key) in zip(names, names.reversed()) {
      let values = names.map { $0 == key ? "2" : "1" }.joined(separator: ", ")
      let store = try Database.store(
        """
        CREATE TABLE \(table.quotedIdentifier)(\(columns), PRIMARY KEY(\(key.quotedIdentifier)));
        INSERT INTO \(table.quotedIdentifier) VALUES (\(values));
        """)
      let request = FetchRequest(table: table).filter("\(\Row[names[0]]) > \(0)")
        .sorted(by: \Row[names[1]]).sorted(by: \Row[names[2]])
      let provider = try FetchedResultsProvider(
        database: store, request: request, sectionedBy: \Row[names[3]])
      try provider.performFetch()
      try provider.expectConsistent()
      #expect(provider.fetchedObjects?.first?[key] == 2)
    }
  }

  @Test func tableAndColumnNamesAreFoundWhateverTheirCase() throws {
    let store = try Database.store(
      "CREATE TABLE Covers(ID INTEGER PRIMARY KEY, S, V); INSERT INTO Covers VALUES (1, 'x', 2)")
    #expect(try lines(store, FetchRequest(table: "COVERS"), sections: true) == ["\"x\": 1"])
    #expect(try lines(store, FetchRequest(table: "covers", key: ["id"])) == ["all: 1"])
  }

  // MARK: Views and SELECTs

  static let artists = """
    CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE);
    CREATE TABLE album(id INTEGER PRIMARY KEY, artist INTEGER, title TEXT);
    INSERT INTO artist VALUES (1, 'b'), (2, 'A'), (3, 'c');
    INSERT INTO album VALUES (1, 1, 'X'), (2, 2, 'Y'), (3, 1, 'W');
    CREATE VIEW v AS SELECT album.id AS k, artist.name AS s, title AS v
      FROM album JOIN artist ON artist.id = album.artist;
    """

  @Test func aViewWithADeclaredKeyWorks() throws {
    let store = try Database.store(Self.artists)
    let request = FetchRequest(table: "v", key: ["k"])
    #expect(try lines(store, request) == ["all: 3 1 2"])
    // Under the collation that the column under the view declares.
    #expect(try lines(store, request, sections: true) == ["\"A\": 2", "\"b\": 3 1"])
  }

  @Test func aViewWithoutAKeyIsNumberedInOrder() throws {
    let store = try Database.store(Self.artists)
    #expect(try lines(store, FetchRequest(table: "v")) == ["all: 1 2 3"])
    #expect(
      try lines(store, FetchRequest(table: "V"), sections: true) == ["\"A\": 1", "\"b\": 2 3"])
  }

  @Test(arguments: ["", ";", " ; ", "\n-- the end", "; -- the end", " /* c */ ;", "-- ;\n;\n"])
  func aSelectWithADeclaredKeyWorksHoweverItEnds(end: String) throws {
    let store = try Database.store(Self.artists)
    let select = """
      SELECT album.id AS k, name AS s, title AS v FROM album JOIN artist ON artist.id = artist\(end)
      """
    #expect(
      try lines(store, FetchRequest(select: SQL(verbatim: select), key: ["k"]), sections: true)
        == ["\"A\": 2", "\"b\": 3 1"])
    #expect(
      try lines(store, FetchRequest(select: SQL(verbatim: select)), sections: true)
        == ["\"A\": 1", "\"b\": 2 3"])
  }

  @Test func aSelectMayUseWithValuesCompoundsAndItsOwnOrderAndLimit() throws {
    let store = try Database.store(Self.artists)
    let selects = [
      "WITH c AS (SELECT id AS k, title AS v FROM album) SELECT * FROM c": "all: 3 1 2",
      "SELECT id AS k, title AS v FROM album ORDER BY id DESC LIMIT 2": "all: 3 2",
      "SELECT id AS k, title AS v FROM album UNION ALL SELECT 7, 'Z'": "all: 3 1 2 7",
      "SELECT artist AS k, count(*) AS v FROM album GROUP BY artist": "all: 2 1",
      "SELECT * FROM (SELECT 1 AS k, 'a' AS v) UNION VALUES (2, 'b')": "all: 1 2",
    ]
    for (select, expected) in selects {
      #expect(
        try lines(store, FetchRequest(select: SQL(verbatim: select), key: ["k"])) == [expected])
      _ = try lines(store, FetchRequest(select: SQL(verbatim: select)))
    }
  }

  @Test func aKeyMayBeComputedByTheSelect() throws {
    let store = try Database.store(Self.artists)
    for key in [
      "artist || ':' || id", "id * 1.5", "CAST(id AS TEXT)", "x'00' || id", "-id",
      "CAST(id AS TEXT) COLLATE NOCASE", "id + 0.0",
    ] {
      let request = FetchRequest(
        select: SQL(verbatim: "SELECT \(key) AS k, title AS v FROM album"), key: ["k"])
      let expected = try store.read {
        try $0.rows(SQL(verbatim: "SELECT \(key) AS k FROM album ORDER BY title, k")).map {
          $0["k"]
        }
      }
      let provider = try FetchedResultsProvider(
        database: store, request: request.sorted(by: \Row["v"]))
      try provider.performFetch()
      try provider.expectConsistent()
      #expect(provider.fetchedObjects?.map { $0["k"] } == expected)
    }
  }

  @Test func columnsOfOneNameInASelectAreDistinguished() throws {
    let store = try Database.store(Self.artists)
    let select = """
      SELECT album.id, artist.id, title AS v FROM album JOIN artist ON artist.id = album.artist
      """
    for request in [
      FetchRequest(select: SQL(verbatim: select), key: ["id"]),
      FetchRequest(select: SQL(verbatim: select)),
    ] {
      let provider = try FetchedResultsProvider(
        database: store, request: request.sorted(by: \Row["v"]))
      try provider.performFetch()
      #expect(provider.fetchedObjects?.map(\.values) == [[3, 1, "W"], [1, 1, "X"], [2, 2, "Y"]])
    }
  }

  @Test func aSelectMayTakeNamedParameters() throws {
    let store = try Database.store(Self.artists)
    let select = "SELECT id AS k, title AS v FROM album WHERE artist = :artist"
    for request in [
      FetchRequest(select: SQL(verbatim: select), key: ["k"]),
      FetchRequest(select: SQL(verbatim: select)),
    ] {
      let request = request.filter("v <> :v").with(parameters: ["artist": 1, "v": "X"])
      let provider = try FetchedResultsProvider(database: store, request: request)
      try provider.performFetch()
      try provider.expectConsistent()
      #expect(provider.fetchedObjects?.map { $0["v"] } == ["W"])
    }
  }

  @Test func aSelectSeesAColumnAddedSinceTheConnectionLastRead() throws {
    let store = try Database.store("CREATE TABLE t(id INTEGER PRIMARY KEY, v)")
    let request = FetchRequest(select: "SELECT * FROM t", key: ["id"])
    _ = try FetchedResultsProvider(database: store, request: request)
    try store.run("ALTER TABLE t ADD COLUMN s DEFAULT 'new'; INSERT INTO t(v) VALUES (1)")
    #expect(try lines(store, request, sections: true) == ["\"new\": 1"])
  }

  // MARK: Virtual tables

  private static let posts = """
    CREATE VIRTUAL TABLE post USING fts5(s, v);
    INSERT INTO post VALUES ('x', 'night owl'), ('y', 'day'), ('x', 'last night');
    """

  @Test func aVirtualTableIsNumberedInOrder() throws {
    let store = try Database.store(Self.posts)
    #expect(
      try lines(store, FetchRequest(table: "post"), sections: true) == ["\"x\": 1 2", "\"y\": 3"])
  }

  @Test func aFullTextSearchIsASelect() throws {
    let store = try Database.store(Self.posts)
    let request = FetchRequest(
      select: "SELECT rowid AS k, * FROM post WHERE post MATCH :query", key: ["k"]
    ).with(parameters: ["query": "night"])
    #expect(try lines(store, request) == ["all: 3 1"])
  }

  @Test func aSpatialIndexIsASelect() throws {
    let store = try Database.store(
      """
      CREATE VIRTUAL TABLE place USING rtree(id, x0, x1);
      INSERT INTO place VALUES (1, 0, 1), (2, 5, 6), (3, 2, 3);
      """)
    let select = "SELECT id AS k, x0 AS v FROM place WHERE x1 < 5"
    #expect(
      try lines(store, FetchRequest(select: SQL(verbatim: select), key: ["k"])) == ["all: 1 3"])
    #expect(try lines(store, FetchRequest(select: SQL(verbatim: select))) == ["all: 1 2"])
  }

  // MARK: Other schemas

  @Test func temporaryTablesOfPreparedConnectionsAreFoundFirst() throws {
    let store = try Database.store("CREATE TABLE t(id INTEGER PRIMARY KEY, v)") {
      $0.prepareConnection = {
        try $0.execute(
          script: """
            CREATE TEMP TABLE t(id INTEGER PRIMARY KEY, v);
            INSERT INTO t VALUES (1, 'b'), (2, 'a');
            """)
      }
    }
    #expect(try lines(store, FetchRequest(table: "t")) == ["all: 2 1"])
  }

  @Test func attachedTablesAreFound() throws {
    let folder = try TestFolder()
    let other = try Database(path: folder.file("it's other.sqlite"))
    try other.run(
      """
      CREATE TABLE far(k TEXT COLLATE NOCASE PRIMARY KEY, s, v);
      INSERT INTO far VALUES ('B', 'x', 1), ('a', 'x', 1);
      CREATE VIEW farther AS SELECT k AS key, v FROM far;
      """)
    let store = try Database.store("CREATE TABLE near(id INTEGER PRIMARY KEY, v)") {
      let path = other.path
      $0.prepareConnection = { try $0.execute("ATTACH ? AS \"o t\"", [.text(path)]) }
    }
    #expect(
      try lines(store, FetchRequest(table: "FAR"), sections: true) == ["\"x\": \"a\" \"B\""])
    #expect(try lines(store, FetchRequest(table: "farther")) == ["all: 1 2"])
    #expect(try lines(store, FetchRequest(table: "farther", key: ["key"])).count == 1)
  }
}
