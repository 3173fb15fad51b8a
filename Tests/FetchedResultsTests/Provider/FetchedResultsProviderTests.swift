import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

struct FetchedResultsProviderTests {
  private func provider(
    _ store: Database, _ request: FetchRequest<Track> = Track.all.sorted(by: \.name),
    by key: SectionKey<Track>? = .property(\.genre)
  ) throws -> FetchedResultsProvider<Track> {
    try FetchedResultsProvider(database: store, request: request, sectionedBy: key)
  }

  // MARK: Places

  @Test func aPlaceOutOfRangeThrowsAndNamesThePathAndTheCounts() throws {
    let provider = try provider(try Track.store())
    try provider.performFetch()
    let cases: [(IndexPath, TableDataError.Code, [String])] = [
      ([3, 0], .sectionOutOfRange, ["[3, 0]", "3 sections"]),
      ([-1, 0], .sectionOutOfRange, ["[-1, 0]", "3 sections"]),
      ([Int.max, 0], .sectionOutOfRange, ["3 sections"]),
      ([1, 2], .rowOutOfRange, ["[1, 2]", "2 rows"]),
      ([1, -1], .rowOutOfRange, ["[1, -1]", "2 rows"]),
      ([0, 1], .rowOutOfRange, ["[0, 1]", "1 row"]), ([0, Int.min], .rowOutOfRange, ["1 row"]),
      ([], .malformedIndexPath, ["[]"]), ([1], .malformedIndexPath, ["[1]"]),
      ([1, 0, 0], .malformedIndexPath, ["[1, 0, 0]"]),
    ]
    for (path, code, parts) in cases {
      for error in [
        #expect(throws: TableDataError.self) { try provider.object(at: path) },
        #expect(throws: TableDataError.self) { try provider.identity(at: path) },
        #expect(throws: TableDataError.self) { try provider.itemForRow(at: path) },
      ] {
        #expect(error?.code == code)
        for part in parts { #expect(error?.message.contains(part) == true, "\(part): \(path)") }
      }
    }
  }

  @Test func aSectionOutOfRangeThrowsAndNamesTheCount() throws {
    let provider = try provider(try Track.store())
    for count in [0, 3] {
      for section in [-1, 3, Int.max] {
        for error in [
          #expect(throws: TableDataError.self) { try provider.numberOfRows(inSection: section) },
          #expect(throws: TableDataError.self) { try provider.title(forSection: section) },
          #expect(throws: TableDataError.self) { try provider.objects(inSection: section) },
          #expect(throws: TableDataError.self) { try provider.sectionKey(at: section) },
        ] {
          #expect(error?.code == .sectionOutOfRange)
          #expect(error?.message == "there is no section \(section): the list has \(count)")
        }
      }
      try provider.performFetch()
    }
  }

  @Test func anEmptyResultHasNoPlaces() throws {
    for key in [SectionKey<Track>.property(\.genre), nil] {
      let provider = try provider(try .store(Track.schema), by: key)
      try provider.performFetch()
      let error = #expect(throws: TableDataError.self) { try provider.object(at: [0, 0]) }
      #expect(error?.code == (key == nil ? .rowOutOfRange : .sectionOutOfRange))
      #expect(error?.message.contains("[0, 0]") == true)
    }
  }

  @Test func beforePerformFetchEveryPlaceSaysWhatToCall() throws {
    let provider = try provider(try Track.store())
    for path in [[0, 0], [], [9, 9, 9]] as [IndexPath] {
      let error = #expect(throws: FetchError.self) { try provider.object(at: path) }
      #expect(error?.code == .notFetched)
      #expect(error?.description.contains("performFetch") == true)
    }
    #expect(try provider.indexPath(for: Track(id: 1, name: "", genre: nil, milliseconds: 0)) == nil)
  }

  @Test func aSectionHasItsRecordsInOrder() throws {
    let provider = try provider(try Track.store())
    try provider.performFetch()
    let ids = try (0..<3).map { try provider.objects(inSection: $0).map(\.id) }
    #expect(ids == [[4], [5, 1], [2, 3]])
  }

  @Test func aRecordIsFoundByItsKeyWhateverElseChanged() throws {
    let provider = try provider(try Track.store())
    try provider.performFetch()
    let edited = Track(id: 3, name: "Aardvark", genre: "Jazz", milliseconds: 0)
    #expect(try provider.indexPath(for: edited) == [2, 1])
    let unknown = Track(id: 33, name: "Zoo", genre: "Rock", milliseconds: 0)
    #expect(try provider.indexPath(for: unknown) == nil)
  }

  @Test func aRecordWithoutItsKeyCannotBeFoundByIt() throws {
    let store = try Track.store("CREATE TABLE bare(v); INSERT INTO bare VALUES (1), (2);")
    for request in [
      FetchRequest(table: "track").columns(["name"]), FetchRequest(table: "bare"),
    ] {
      let provider = try FetchedResultsProvider(database: store, request: request)
      try provider.performFetch()
      let row = try provider.object(at: [0, 1])
      let error = #expect(throws: FetchError.self) { try provider.indexPath(for: row) }
      #expect(error?.code == .missingKey)
    }
  }

  @Test func aProviderIsAViewModelDataProvider() throws {
    let provider = try provider(try Track.store())
    try provider.performFetch()
    func titles(_ list: some ViewModelDataProvider<Track>) throws -> [String?] {
      try (0..<list.numberOfSections).map {
        "\(try list.title(forSection: $0) ?? "nil") \(try list.numberOfRows(inSection: $0)) "
          + (try list.itemForRow(at: [$0, 0]).name)
      }
    }
    #expect(try titles(provider) == [" 1 Cello", "Jazz 2 Ahead", "Rock 2 Anthem"])
  }

  // MARK: Versions

  @Test func theVersionStaysWhileWritesGoOnAndMovesWithTheNextFetch() throws {
    let store = try Track.store()
    let provider = try provider(store)
    let before = try provider.fetchedLines()
    let old = try #require(provider.fetchedObjects)
    try store.run("DELETE FROM track WHERE id = 3; UPDATE track SET name = 'Zed', genre = 'Pop'")
    try store.run("INSERT INTO track VALUES (9, 'New', NULL, 0)")
    #expect(try provider.lines() == before)
    #expect(try provider.object(at: [2, 1]).name == "Zoo")
    try provider.expectConsistent()
    try provider.performFetch()
    #expect(try provider.lines() == ["NULL: 9", "\"Pop\": 1 2 4 5"])
    try provider.expectConsistent()
    // The collection is still the version it was asked from, also for what it had not read.
    #expect(old.map(\.name) == ["Cello", "Ahead", "Blue", "Anthem", "Zoo"])
    #expect(old.map(\.id) == [4, 5, 1, 2, 3])
  }

  @Test func twoProvidersOfOneVersionShareItsSnapshot() throws {
    let store = try Track.store()
    let (first, second) = (try provider(store), try provider(store, by: nil))
    try first.performFetch()
    try second.performFetch()
    let version = try store.snapshot().version
    try store.run("DELETE FROM track")
    #expect(try store.snapshot().version != version)
    #expect(first.fetchedObjects?.count == 5)
    #expect(second.fetchedObjects?.map(\.name).first == "Ahead")
  }

  @Test func aFetchThatFailsLeavesTheOldContent() throws {
    let store = try Track.store()
    let provider = try provider(
      store, Track.all.sorted(by: \.milliseconds, .descending), by: .property(\.initial))
    try store.run("DELETE FROM track WHERE name = 'Ahead'")
    let before = try provider.fetchedLines()
    let titles = provider.sectionIndexTitles()
    for change in [
      "INSERT INTO track VALUES (9, 'Zen', NULL, 999)", "ALTER TABLE track RENAME COLUMN name TO n",
      "DROP TABLE track",
    ] {
      try store.run(change)
      #expect(throws: FetchError.self) { try provider.performFetch() }
      #expect(try provider.lines() == before)
      #expect(provider.sectionIndexTitles() == titles)
      #expect(provider.fetchedObjects?.map(\.name) == ["Cello", "Blue", "Anthem", "Zoo"])
    }
    try store.run(Track.sample)
    try store.run("DELETE FROM track WHERE id > 1")
    #expect(try provider.fetchedLines() == ["\"B\": 1"])
  }

  @Test func aSchemaChangedSinceTheProviderWasMadeIsTheNewOne() throws {
    let store = try Database.store(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, 'x'), (2, 'y');")
    let provider = try FetchedResultsProvider(
      database: store, request: FetchRequest(table: "t").sorted(by: \Row["a"]))
    try store.run(
      """
      DROP TABLE t;
      CREATE TABLE t(k TEXT COLLATE NOCASE PRIMARY KEY, a TEXT COLLATE NOCASE, b) WITHOUT ROWID;
      INSERT INTO t VALUES ('p', 'b', 1), ('Q', 'A', 2), ('R', 'b', 3);
      """)
    #expect(try provider.fetchedLines() == ["all: \"Q\" \"p\" \"R\""])
    #expect(provider.fetchedObjects?.first?.values == ["Q", "A", 2])
    try provider.expectConsistent()
    try store.run("ALTER TABLE t ADD COLUMN c DEFAULT 5")
    try provider.performFetch()
    #expect(provider.fetchedObjects?.first?.values == ["Q", "A", 2, 5])
  }

  @Test func aReleasedProviderReleasesItsVersion() throws {
    let folder = try TestFolder()
    var configuration = Database.Configuration()
    configuration.checkpointThreshold = 1
    let store = try Database(path: folder.file("a.sqlite"), configuration: configuration)
    try store.run(Track.sample)
    weak var content: AnyObject?
    weak var snapshot: Snapshot?
    do {
      let provider = try provider(store)
      try provider.performFetch()
      content = provider.content
      snapshot = try store.snapshot()
      #expect(content != nil && snapshot != nil)
    }
    #expect(content == nil && snapshot == nil)
  }

  @Test func fetchingAgainLetsTheOldVersionGo() throws {
    let store = try Track.store()
    let provider = try provider(store)
    try provider.performFetch()
    weak let old = try store.snapshot()
    #expect(old != nil)
    try store.run("DELETE FROM track")
    #expect(old != nil)
    try provider.performFetch()
    #expect(old == nil)
  }

  @Test func attachedTablesMoveWithTheNextFetchToo() throws {
    let folder = try TestFolder()
    let path = folder.file("other.sqlite")
    let other = try Database(path: path)
    try other.run("CREATE TABLE far(id INTEGER PRIMARY KEY, v); INSERT INTO far VALUES (1, 'a');")
    let store = try Database.store("CREATE TABLE near(id INTEGER PRIMARY KEY)") {
      $0.prepareConnection = { try $0.execute("ATTACH ? AS other", [.text(path)]) }
    }
    let provider = try FetchedResultsProvider(database: store, request: FetchRequest(table: "far"))
    #expect(try provider.fetchedLines() == ["all: 1"])
    try store.run("INSERT INTO far VALUES (2, 'b')")
    #expect(try provider.lines() == ["all: 1"])
    #expect(try provider.fetchedLines() == ["all: 1 2"])
    try other.run("INSERT INTO far VALUES (3, 'c')")
    #expect(try provider.fetchedLines() == ["all: 1 2 3"])
  }

  @Test(arguments: ["", "WITHOUT ROWID"])
  func rowsWhoseKeysAreNotValidUTF8AreRefreshed(options: String) throws {
    let store = try Database.store(
      """
      CREATE TABLE t(k TEXT, n INTEGER, s, v, PRIMARY KEY(k, n)) \(options);
      INSERT INTO t VALUES (CAST(x'FF' AS TEXT), 1, CAST(x'FF' AS TEXT), 1),
        (CAST(x'FE' AS TEXT), 1, CAST(x'FE' AS TEXT), 2), (char(65533), 1, char(65533), 3);
      """)
    let provider = try FetchedResultsProvider(
      database: store, request: FetchRequest(table: "t"), sectionedBy: .property(\Row["s"]))
    try provider.performFetch()
    try store.run(
      """
      UPDATE t SET v = 9, s = CAST(x'FE' AS TEXT) WHERE v = 1;
      DELETE FROM t WHERE v = 2; INSERT INTO t VALUES (CAST(x'FD' AS TEXT), 1, 'x', 4);
      """)
    try provider.refresh()
    try provider.expectConsistent()
    #expect(provider.fetchedObjects?.map { $0["v"] } == [4, 3, 9])
    #expect(provider.sections.map(\.numberOfRows) == [1, 1, 1])
  }

  // MARK: Files

  @Test func aFileInRollbackJournalModeIsReadInItsNewestVersion() throws {
    let folder = try TestFolder()
    var configuration = Database.Configuration()
    configuration.usesWAL = false
    configuration.functions = [ScalarFunction("same", argumentCount: 1) { $0[0] }]
    configuration.collations = [CustomCollation("backwards") { $0 < $1 ? 1 : $0 == $1 ? 0 : -1 }]
    let store = try Database(path: folder.file("a.sqlite"), configuration: configuration)
    try store.run(Track.sample)
    #expect(store.snapshotKind == .released)
    let provider = try provider(
      store, Track.all.filter("same(id) > 1").sorted(by: \.name, collation: .custom("backwards")))
    #expect(try provider.fetchedLines() == ["NULL: 4", "\"Jazz\": 5", "\"Rock\": 3 2"])
    try store.run("DELETE FROM track WHERE id = 3")  // Nobody is in the way.
    let error = #expect(throws: DatabaseError.self) { try provider.object(at: [0, 0]) }
    #expect(error?.code == .versionExpired)
    let changes = try provider.refresh()
    #expect(changes.deletedRows == [[2, 0]])
    // It could not be read, so it may show nothing.
    #expect(changes.updatedRows.map(\.new) == [[0, 0]])
    #expect(provider.fetchedObjects?.map(\.name) == ["Cello", "Ahead", "Anthem"])
    try provider.expectConsistent()
    try store.run("DELETE FROM track")
    #expect(try provider.fetchedLines() == [])
  }

  @Test func anotherConnectionsCommitsAreSeenByTheNextFetch() throws {
    let folder = try TestFolder()
    let path = folder.file("a.sqlite")
    let (store, other) = (try Database(path: path), try Database(path: path))
    try store.run(Track.sample)
    let provider = try provider(store, by: nil)
    try provider.performFetch()
    try other.run("DELETE FROM track WHERE id > 1")
    #expect(provider.fetchedObjects?.count == 5)
    #expect(try provider.fetchedLines() == ["all: 1"])
  }

  // MARK: Decoding

  @Test func aRecordThatCannotBeDecodedThrowsWhereItIsAskedFor() throws {
    let store = try Track.store("UPDATE track SET milliseconds = 'long' WHERE id = 4;")
    for batchSize in [1, 2, 64] {
      var request = Track.all.sorted(by: \.id)
      request.fetchBatchSize = batchSize
      let provider = try provider(store, request, by: nil)
      try provider.performFetch()
      let error = #expect(throws: DatabaseError.self) { try provider.object(at: [0, 3]) }
      #expect(error?.code == .typeMismatch)
      #expect(error?.message.contains("milliseconds") == true)
      // Its identity can be had all the same, and its neighbours.
      #expect(try provider.identity(at: [0, 3]) == 4)
      #expect(try provider.object(at: [0, 2]).name == "Zoo")
      #expect(try provider.object(at: [0, 4]).name == "Ahead")
    }
  }

  @Test func aRowWithoutAComputedSectionIsInThatOfTheRowBeforeIt() throws {
    let store = try Track.store("UPDATE track SET milliseconds = 'long' WHERE id = 4;")
    let provider = try provider(store, by: .property(\.initial))
    #expect(try provider.fetchedLines() == ["\"A\": 5 2", "\"B\": 1 4", "\"Z\": 3"])
    let error = #expect(throws: DatabaseError.self) { try provider.object(at: [1, 1]) }
    #expect(error?.code == .typeMismatch)
  }
}
