import Foundation
import FetchedResultsExplaining
import SQLiteStorage
import TableDataTesting
import Testing

@testable import FetchedResults

@Suite struct MaintenanceExplanationTests {
  private static let schema = """
    CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT);
    CREATE TABLE album(id INTEGER PRIMARY KEY, artist INT, title TEXT, year INT);
    CREATE TABLE code(k TEXT, n INT, PRIMARY KEY (k, n)) WITHOUT ROWID;
    CREATE VIEW old AS SELECT * FROM album WHERE year < 1980;
    INSERT INTO artist
      WITH r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 100)
      SELECT i, 'artist ' || i, 'country ' || i % 7 FROM r;
    INSERT INTO album
      WITH r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 1000)
      SELECT i, i % 100 + 1, 'album ' || i, 1960 + i % 50 FROM r;
    """

  private func store(_ more: String = "") throws -> Database {
    let database = try Database.inMemory()
    try database.write { try $0.execute(script: Self.schema + more) }
    return database
  }

  private func explanation(
    _ sql: String, _ keys: String..., in database: Database? = nil, isMeasured: Bool = false
  ) throws -> MaintenanceExplanation {
    try FetchRequest<Row>(select: SQL(verbatim: sql), key: keys).explained(
      in: try database ?? store(), isMeasured: isMeasured)
  }

  // MARK: - Verdicts

  @Test func aTableIsKeptUpToDateByItsKey() throws {
    let explanation = try FetchRequest(table: "album").explained(in: store())
    #expect(explanation.verdict == "A changed row of album costs look-ups only.")
    #expect(explanation.derivations.map(\.effect) == [.key])
    #expect(explanation.derivations[0].queries.isEmpty)
    #expect(explanation.row?.steps.count == 1)
    #expect((explanation.source, explanation.key) == ("album", ["id"]))
  }

  @Test func theVerdictNamesEachTable() throws {
    let select = "SELECT album.id, name FROM album JOIN artist ON artist.id = artist"
    let index = "CREATE INDEX album_artist ON album(artist);"
    #expect(
      try explanation(select, "id", in: store(index)).verdict
        == "A changed row of album or artist costs look-ups only.")
    #expect(
      try explanation(select, "id").verdict
        == """
        A changed row of album costs look-ups only. If rows of artist change, the versions are \
        compared: finding the rows that depend on artist reads all of album: an index on album(artist) would help.
        """)
  }

  @Test func rowsWithoutAKeyAreCompared() throws {
    let explanation = try FetchRequest(select: "SELECT title FROM album").explained(in: store())
    #expect(
      explanation.verdict
        == "The versions are compared after each commit: nothing identifies its rows.")
    #expect(explanation.isPacked && explanation.row == nil && explanation.derivations.isEmpty)
  }

  @Test func aSelectThatIsNotUnderstoodHasItsReason() throws {
    let explanation = try explanation(
      "SELECT album.id FROM artist RIGHT JOIN album USING (id)", "id")
    #expect(explanation.verdict.hasSuffix("a RIGHT or FULL JOIN has NATURAL or USING."))
    #expect(explanation.derivations.isEmpty && explanation.indexes.isEmpty)
  }

  @Test func aValueForAllRowsIsNotAnObstacle() throws {
    let explanation = try explanation(
      "SELECT id FROM artist WHERE id > (SELECT id FROM album WHERE id = 3)", "id")
    #expect(explanation.maintenance == .touchedRows)
    #expect(explanation.derivations.map(\.effect) == [.rows, .value])
    #expect(
      explanation.verdict.hasSuffix(
        "If rows of album change, a value for all rows is computed too."))
  }

  // MARK: - Words

  static let words: [String: [String]] = [
    "SELECT artist AS k, count(*) FROM album GROUP BY artist":
      ["the group of the row: artist"],
    "SELECT country AS k, count(*) FROM artist JOIN album ON artist = artist.id GROUP BY country": [
      "the group of the row: country",
      "the groups of the rows that it matches: country",
    ],
    "SELECT id AS k FROM artist WHERE EXISTS (SELECT 1 FROM album WHERE artist = artist.id)":
      ["its id", "the rows of artist that it matches: id"],
    "SELECT k FROM (SELECT id AS k, rank() OVER (PARTITION BY artist ORDER BY year) r FROM album)":
      ["the partition of the row: artist; then the rows in these partitions: id"],
    "SELECT upper(title) AS k, count(*) FROM album GROUP BY 1": [
      "the group of the row: upper(title)"
    ],
  ]

  @Test(arguments: words.keys.sorted())
  func aWayIsSaidInWords(_ select: String) throws {
    let select = select.replacing("artist = artist.id", with: "album.artist = artist.id")
    let key = Self.words.first {
      $0.key.replacing("artist = artist.id", with: "album.artist = artist.id") == select
    }
    #expect(try explanation(select, "k").derivations.map(\.summary) == key?.value)
  }

  @Test func everyQueryIsSaidInWords() throws {
    let groups = try explanation(
      "SELECT n, count(*) AS m FROM (SELECT artist, count(*) AS n FROM album GROUP BY 1) GROUP BY n",
      "n")
    #expect(groups.derivations.map(\.queries.count) == [2])
    #expect(
      groups.derivations[0].queries.map(\.finds).contains { $0.contains("only row") } == false)
    let list = try explanation(
      "SELECT id FROM artist WHERE id NOT IN (SELECT artist FROM album)", "id")
    #expect(list.derivations.last?.effect == .invalidation)
    #expect(list.derivations.last?.queries.last?.finds == "whether there is a NULL")
    #expect(
      try explanation("SELECT count(*) AS n FROM album", "n").derivations[0].summary
        == "the only row")
  }

  /// It is already there: the column is the rowid.
  @Test func anIndexOnTheRowIDIsNotAdvised() throws {
    let reasons = try explanation(
      """
      SELECT a.id, c.n FROM (SELECT x.id, x.country FROM artist x JOIN album y ON y.artist = x.id) a
      JOIN code c ON c.k = a.country
      """, "id", "n"
    ).derivations.compactMap(\.reason)
    #expect(!reasons.isEmpty)
    #expect(reasons.allSatisfy { !$0.contains("(id)") }, "\(reasons)")
  }

  // MARK: - Indexes

  /// A SELECT, its key, and the indexes with which a changed row costs look-ups only.
  static let shapes: [(sql: String, key: String, indexes: [String])] = [
    (
      "SELECT country, count(*) AS n FROM artist JOIN album ON album.artist = artist.id GROUP BY country",
      "country",
      [
        #"CREATE INDEX "artist_country" ON "artist"("country");"#,
        #"CREATE INDEX "album_artist" ON "album"("artist");"#,
      ]
    ),
    (
      "SELECT id FROM artist WHERE EXISTS (SELECT 1 FROM album WHERE album.artist = artist.id)",
      "id", [#"CREATE INDEX "album_artist" ON "album"("artist");"#]
    ),
    (
      "SELECT artist.id, count(album.id) AS n FROM artist LEFT JOIN album ON album.artist = artist.id GROUP BY artist.id",
      "id", [#"CREATE INDEX "album_artist" ON "album"("artist");"#]
    ),
    (
      "SELECT id, (SELECT count(*) FROM album b WHERE b.artist = a.id AND b.year = a.country) AS n FROM artist a",
      "id", [#"CREATE INDEX "album_artist_year" ON "album"("artist", "year");"#]
    ),
    (
      "SELECT id FROM artist WHERE id IN (SELECT artist FROM album WHERE year > 1970)", "id",
      [#"CREATE INDEX "album_artist" ON "album"("artist");"#]
    ),
    (
      "SELECT id FROM artist WHERE id NOT IN (SELECT artist FROM album)", "id",
      [#"CREATE INDEX "album_artist" ON "album"("artist");"#]
    ),
    (
      "SELECT id, country IN (SELECT title FROM album) AS isTitle FROM artist", "id",
      [
        #"CREATE INDEX "album_title" ON "album"("title");"#,
        #"CREATE INDEX "artist_country" ON "artist"("country");"#,
      ]
    ),
    (
      "SELECT * FROM (SELECT id, artist, row_number() OVER (PARTITION BY artist ORDER BY year, id) AS r FROM album) WHERE r < 4",
      "id", [#"CREATE INDEX "album_artist" ON "album"("artist");"#]
    ),
    (
      "SELECT title COLLATE NOCASE AS k, count(*) AS n FROM album GROUP BY title COLLATE NOCASE",
      "k",
      []
    ),
    (
      "SELECT year / 10 AS decade, count(*) AS n FROM album GROUP BY year / 10", "decade",
      [#"CREATE INDEX "album_year_10" ON "album"(("year" / 10));"#]
    ),
    (
      "SELECT title FROM album UNION SELECT name FROM artist", "title",
      [
        #"CREATE INDEX "album_title" ON "album"("title");"#,
        #"CREATE INDEX "artist_name" ON "artist"("name");"#,
      ]
    ),
  ]

  @Test(arguments: shapes.indices)
  func theIndexesThatHelpAreSuggested(_ number: Int) throws {
    let (sql, key, indexes) = Self.shapes[number]
    let store = try store()
    let explanation = try explanation(sql, key, in: store)
    #expect(explanation.maintenance != .touchedRows)
    #expect(explanation.indexes.map(\.sql).sorted() == indexes.sorted())
    guard !indexes.isEmpty else { return }
    #expect(explanation.maintenanceWithIndexes == .touchedRows)
    try store.write { connection in
      for index in explanation.indexes { try connection.execute(index.sql) }
    }
    let after = try self.explanation(sql, key, in: store)
    #expect(after.maintenance == .touchedRows && after.indexes.isEmpty)
  }

  @Test func namesAreQuotedAndNotTaken() throws {
    let store = try store(
      """
      CREATE TABLE "my ""own"" table"(id INTEGER PRIMARY KEY, "group by" TEXT);
      CREATE INDEX my_own_table_group_by ON artist(name);
      """)
    let explanation = try explanation(
      #"SELECT "group by" AS k, count(*) AS n FROM "my ""own"" table" GROUP BY "group by""#, "k",
      in: store)
    #expect(
      explanation.indexes.map(\.sql) == [
        #"CREATE INDEX "my_own_table_group_by_2" ON "my ""own"" table"("group by");"#
      ])
    try store.write { try $0.execute(try #require(explanation.indexes.first).sql) }
  }

  @Test func aKeyWithoutAnIndexGetsOne() throws {
    let explanation = try FetchRequest(table: "album", key: ["title"]).explained(in: store())
    #expect(
      explanation.indexes.map(\.sql) == [#"CREATE INDEX "album_title" ON "album"("title");"#])
  }

  @Test func nothingIsSuggestedIfNoIndexHelps() throws {
    for sql in [
      "SELECT max(id) AS id FROM album", "SELECT id FROM album ORDER BY year LIMIT 3",
      "SELECT id, rank() OVER (ORDER BY year) AS r FROM album",
    ] {
      let explanation = try explanation(sql, "id")
      #expect(explanation.indexes.isEmpty && explanation.maintenanceWithIndexes == nil)
    }
  }

  /// The copy of the schema would attach the same file, and is opened for writing.
  @Test func nothingIsSuggestedBesideAnAttachedFile() throws {
    let other = try store()
    let path = other.path
    var configuration = Database.Configuration()
    configuration.prepareConnection = {
      try $0.execute(SQL(verbatim: "ATTACH \(path.quotedLiteral) AS other"))
    }
    let database = try Database.inMemory(configuration: configuration)
    try database.write { try $0.execute(script: Self.schema) }
    let explanation = try explanation(Self.shapes[1].sql, "id", in: database)
    #expect(explanation.maintenance != .touchedRows && explanation.indexes.isEmpty)
    let attached = try self.explanation(
      "SELECT artist AS k, count(*) FROM other.album GROUP BY 1", "k", in: database)
    #expect(attached.derivations.map(\.schema) == ["other"] && attached.indexes.isEmpty)
    #expect(attached.description.contains("├─ other.album: the group of the row: artist"))
  }

  /// The planner decides by its statistics, so the copy of the schema has them too.
  @Test func statisticsAreCopied() throws {
    let select = "SELECT artist.id FROM artist WHERE id IN (SELECT artist FROM album)"
    let store = try store("ANALYZE;")
    let explanation = try explanation(select, "id", in: store)
    #expect(explanation.indexes.map(\.table) == ["album"])
    try store.write { try $0.execute(try #require(explanation.indexes.first).sql) }
    #expect(try self.explanation(select, "id", in: store).maintenance == .touchedRows)
  }

  @Test func theFileIsOnlyRead() throws {
    let store = try store()
    let before = try store.read { try $0.rows("SELECT * FROM sqlite_schema").map(\.values) }
    let version = try store.snapshot()
    let explanation = try explanation(Self.shapes[0].sql, "country", in: store, isMeasured: true)
    #expect(!explanation.indexes.isEmpty)
    #expect(try store.snapshot() === version)
    #expect(try store.read { try $0.rows("SELECT * FROM sqlite_schema").map(\.values) } == before)
  }

  // MARK: - Cost

  @Test func aRowFromTheMiddleIsMeasured() throws {
    let store = try store("CREATE INDEX album_artist ON album(artist);")
    let explanation = try explanation(
      "SELECT artist, count(*) AS n FROM album GROUP BY artist", "artist", in: store,
      isMeasured: true)
    let cost = try #require(explanation.derivations.first?.cost)
    #expect(cost.row == "500" && cost.keyCount == 1 && !cost.hasMore)
    #expect(cost.seconds > 0 && cost.seconds < 60)
    #expect(try self.explanation("SELECT artist AS k FROM album", "k").derivations[0].cost == nil)
  }

  @Test func aRowThatLeadsToManyKeysIsNotFollowedToTheEnd() throws {
    let store = try store(
      """
      INSERT INTO album
        WITH r(i) AS (SELECT 2000 UNION ALL SELECT i + 1 FROM r WHERE i < 4000)
        SELECT i, 50, 'x', 0 FROM r;
      CREATE INDEX album_artist ON album(artist);
      """)
    let explanation = try explanation(
      "SELECT album.id, name FROM album JOIN artist ON album.artist = artist.id", "id", in: store,
      isMeasured: true)
    let cost = try #require(explanation.derivations.last?.cost)
    #expect(cost.row == "50" && cost.keyCount == 1_000 && cost.hasMore)
    #expect(explanation.description.contains("leads to more than 1000 keys of the result"))
  }

  @Test func anEmptyTableAndOneThatIsComparedAreNotMeasured() throws {
    let store = try store()
    let empty = try FetchRequest(table: "code").explained(in: store, isMeasured: true)
    #expect(empty.maintenance == .touchedRows && empty.derivations[0].cost == nil)
    let compared = try explanation(Self.shapes[0].sql, "country", in: store, isMeasured: true)
    #expect(compared.derivations.allSatisfy { $0.cost == nil })
  }

  @Test func aTableWithoutARowIDIsMeasuredByItsKey() throws {
    let store = try store("INSERT INTO code VALUES ('a', 1), ('b', 2);")
    let explanation = try FetchRequest(table: "code").explained(in: store, isMeasured: true)
    #expect(explanation.derivations[0].cost?.row == "\"a\", 1")
  }

  @Test func anInterruptedExplanationIsAnErrorAndNeverAnotherVerdict() throws {
    let database = try store()
    let select = Self.shapes[1].sql
    let undisturbed = try explanation(select, "id", in: database)
    let duration =
      try (0..<3).map { _ in
        try ContinuousClock().measure { _ = try explanation(select, "id", in: store()) }
      }.min() ?? .zero
    let roundCount = SeededGenerator.isLongRun ? 150 : 60
    var interruptCount = 0
    for round in 0..<roundCount {
      // A new store, whose connections have connected no module yet.
      let database = try store()
      let end = DispatchSemaphore(value: 0)
      Thread {
        Thread.sleep(forTimeInterval: duration / .seconds(1) * Double(round) / Double(roundCount))
        database.interrupt()
        end.signal()
      }.start()
      let result = Result { try explanation(select, "id", in: database) }
      end.wait()
      switch result {
      case .success(let explanation): #expect(explanation == undisturbed, "round \(round)")
      case .failure(let error):
        interruptCount += 1
        #expect((error as? DatabaseError)?.resultCode == .interrupted, "round \(round): \(error)")
      }
    }
    #expect(interruptCount > 0)
  }

  // MARK: - The value

  @Test func itCanBeStored() throws {
    for sql in Self.shapes.map(\.sql) + ["SELECT id FROM album WHERE year > (SELECT 3)"] {
      let key = Self.shapes.first { $0.sql == sql }?.key ?? "id"
      let explanation = try explanation(sql, key, isMeasured: true)
      let data = try JSONEncoder().encode(explanation)
      #expect(try JSONDecoder().decode(MaintenanceExplanation.self, from: data) == explanation)
    }
  }

  @Test func aProviderExplainsTheVersionThatItShows() throws {
    let store = try store()
    let provider = try FetchedResultsProvider(
      database: store,
      request: FetchRequest<Row>(select: SQL(verbatim: Self.shapes[1].sql), key: ["id"]))
    #expect(try provider.explanation().maintenance != .touchedRows)
    try provider.performFetch()
    try store.write { try $0.execute("CREATE INDEX album_artist ON album(artist)") }
    #expect(try provider.explanation().maintenance == provider.maintenance)
    try provider.refresh()
    #expect(try provider.explanation().maintenance == .touchedRows)
  }

  @Test func aSectionKeyIsExplainedToo() throws {
    let section = SectionKey<Row>.expression("(SELECT name FROM artist WHERE id = album.artist)")
    let explanation = try FetchRequest(table: "album").explained(
      in: store(), sectionedBy: section)
    #expect(explanation.derivations.map(\.table).contains("artist"))
  }

  @Test func theDescriptionIsATree() throws {
    let explanation = try explanation(Self.shapes[1].sql, "id")
    let lines = explanation.description.split(separator: "\n")
    #expect(lines.first.map(String.init) == explanation.verdict)
    #expect(lines.last == #"CREATE INDEX "album_artist" ON "album"("artist");"#)
    #expect(lines.contains("├─ artist: its id"))
    #expect(lines.contains("├─ album: the rows of artist that it matches: id"))
    #expect(lines.contains("└─ each key: its row in each version"))
  }
}
