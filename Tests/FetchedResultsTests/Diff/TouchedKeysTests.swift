import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults
@testable import LiveQueries

/// Which rows of a result touched rows lead to, and what finding them costs.
struct TouchedKeysTests {
  private static let select = """
    SELECT track.*, title, name AS artist FROM track
    LEFT JOIN album ON album.id = track.album LEFT JOIN artist ON artist.id = album.artist
    """

  /// 20 artists with 10 albums each, and each with 10 tracks; and 2,000 tracks without an album.
  private func store() throws -> Database {
    try .store(
      """
      CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT);
      CREATE TABLE album(id INTEGER PRIMARY KEY, artist INTEGER, title TEXT);
      CREATE TABLE track(id INTEGER PRIMARY KEY, album INTEGER, number INTEGER);
      CREATE INDEX album_artist ON album(artist);
      CREATE INDEX track_album ON track(album);
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3999)
      INSERT INTO track SELECT i, i / 10, i % 10 FROM n;
      INSERT INTO album SELECT id, id / 10, 'T' || id FROM track WHERE id < 200;
      INSERT INTO artist SELECT id, 'A' || id FROM track WHERE id < 20;
      """)
  }

  private func version(of select: String, in store: Database) throws -> ResultsVersion {
    try ResultLoader(
      database: store, request: FetchRequest(select: SQL(verbatim: select), key: ["id"]),
      sectionKey: nil
    ).version(of: try store.snapshot())
  }

  private func keys(
    _ script: String, limit: Int = 1000, by select: String = select
  ) throws -> Set<RowKey>? {
    let store = try store()
    let version = try version(of: select, in: store)
    try store.run(script)
    let snapshot = try store.snapshot()
    let finders = version.plan.maintenance.finders
    guard case .rows(let touched) = version.snapshot.detectedChanges(to: snapshot).touched else {
      Issue.record("nothing is known")
      return nil
    }
    return try TouchedKeys(version: version, snapshot: snapshot, limit: limit).keys(
      finders.compactMap { finder in
        touched.rows(of: finder.table.name, in: finder.table.schema).map { (finder, $0) }
      })
  }

  private func rows(_ ids: Range<Int64>) -> Set<RowKey> { Set(ids.map(RowKey.integer)) }

  @Test func aTouchedRowLeadsToTheRowsItIsPartOf() throws {
    #expect(try keys("UPDATE track SET number = 7 WHERE id = 5") == [5])
    #expect(
      try keys("UPDATE album SET title = '' WHERE id = 3") == rows(30..<40))
    #expect(
      try keys("UPDATE artist SET name = '' WHERE id = 3") == rows(300..<400))
  }

  @Test func aTouchedRowLeadsToTheRowsItWasPartOf() throws {
    #expect(try keys("UPDATE track SET id = 9000 WHERE id = 5") == [5, 9000])
    #expect(try keys("DELETE FROM album WHERE id = 3") == rows(30..<40))
    #expect(
      try keys("UPDATE album SET id = 500 WHERE id = 3") == rows(30..<40))
    #expect(
      try keys("UPDATE artist SET id = 77 WHERE id = 3") == rows(300..<400))
  }

  @Test func aRowThatIsPartOfNothingLeadsNowhere() throws {
    #expect(try keys("INSERT INTO artist VALUES (21, 'B')") == [])
  }

  @Test func theRowsOfTheResultAreCounted() throws {
    #expect(try keys("UPDATE artist SET name = '' WHERE id = 3", limit: 99) == nil)
    #expect(try keys("UPDATE artist SET name = '' WHERE id = 3", limit: 100)?.count == 100)
    #expect(try keys("UPDATE track SET number = 7 WHERE id < 3", limit: 2) == nil)
    // Below the limit in each table, but not in all together.
    let both = "UPDATE track SET number = 7 WHERE id < 2; UPDATE album SET title = '' WHERE id = 9"
    #expect(try keys(both, limit: 11) == nil)
    #expect(try keys(both, limit: 12)?.count == 12)
  }

  @Test(arguments: [
    "UPDATE track SET number = 7 WHERE id = 5", "UPDATE album SET title = '' WHERE id = 3",
    "UPDATE artist SET name = '' WHERE id = 3", "DELETE FROM album WHERE id = 3",
  ])
  func noTableIsReadAsAWhole(_ script: String) throws {
    let store = try store()
    let version = try version(of: Self.select, in: store)
    try store.run(script)
    let snapshot = try store.snapshot()
    let finders = version.plan.maintenance.finders
    try #require(!finders.isEmpty)
    var queries = [version.plan.statements.observation.text, version.plan.statements.probe.text]
    for finder in finders {
      if case .live(.queries(let all)) = finder.method {
        queries += all.map(\.sql)
      } else {
        Issue.record("there is no query for \(finder.table.name)")
      }
    }
    let update = try ResultUpdater(
      from: version, to: ResultSource(snapshot, version.plan)
    ).advance()
    #expect(!update.changes.isEmpty)
    var runCount = 0
    for side in [version.snapshot, snapshot] {
      try side.read { connection in
        for query in queries {
          let statement = try connection.cachedStatement(query)
          runCount += statement.counter(.runs)
          #expect(statement.counter(.fullScanSteps) == 0)
          #expect(statement.counter(.automaticIndexes) == 0)
        }
      }
    }
    // At least the row itself was looked for, in both versions.
    #expect(runCount >= 2)
  }
}
