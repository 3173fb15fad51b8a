import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// A row has the same identity, wherever it is: in an array or in a store.
struct FetchedIdentityTests {
  private struct Song: FetchableRecord, Identifiable, Codable, Hashable {
    var id: Int64
    var name: String

    static let recordDescription = RecordDescription(table: "song", key: \Song.id)
    static let all3 = [
      Song(id: 1, name: "a"), Song(id: 2, name: "b"), Song(id: 3, name: "c"),
    ]
  }

  private final class SongCell: TableViewCell, Configurable {
    func configure(with viewModel: Song) {}
  }

  private let database: Database

  init() throws {
    database = try .store(
      """
      CREATE TABLE song(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
      INSERT INTO song VALUES (1, 'a'), (2, 'b'), (3, 'c');
      """)
  }

  private func stored() throws -> FetchedResultsProvider<Song> {
    let provider = try FetchedResultsProvider(
      database: database, request: Song.all.sorted(by: \.name))
    try provider.performFetch()
    return provider
  }

  // MARK: An array and a store

  /// What a screen does with the identity of a song. It does not know where the songs are.
  private func use(_ songs: some ViewModelDataProvider<Song>) throws {
    let source = try TableViewDataSource(dataProvider: songs)
    source.registerCell(SongCell.self, identifier: "song", for: Song.self)
    let list = try ComposedTableViewDataSource([source])
    let (selection, router) = (Selection(), DestinationRouter())
    var route: TableRoute?
    router.register("song") { route = $0 }
    let screen = TableViewController(selection: selection, router: router) { Issue.record($0) }
    screen.register(destination: "song", for: Song.self)
    try screen.setDataSource(list)

    try screen.selectRow(at: [0, 1])
    #expect(selection.identity == AnyHashable(Int64(2)))
    #expect(selection.identity(as: Song.ID.self) == 2)
    #expect(route?.identity(as: Song.ID.self) == 2)
    for id in [Int64(3), 3] as [AnyHashable] {
      selection.select(nil)
      selection.select(id)
      #expect(screen.tableView.indexPathForSelectedRow == [0, 2])
    }
    selection.select("3")
    #expect(screen.tableView.indexPathForSelectedRow == nil)
    #expect(try songs.indexPath(forIdentity: Int64(4)) == nil)
    #expect(try songs.identityForRow(at: [0, 0]) == AnyHashable(Song.all3[0].id))
  }

  @Test func anArrayIsSwappedForTheStoreInOneLine() throws {
    try use(try ArrayDataProvider(items: Song.all3))
    try use(try stored())
  }

  @Test func theSelectedRecordIsFoundAfterItMoved() throws {
    let songs = try stored()
    let source = try TableViewDataSource(dataProvider: songs)
    source.registerCell(SongCell.self, identifier: "song", for: Song.self)
    let selection = Selection(Int64(1))
    let screen = TableViewController(selection: selection) { Issue.record($0) }
    try screen.setDataSource(source)
    #expect(screen.tableView.indexPathForSelectedRow == [0, 0])
    try database.run("UPDATE song SET name = 'z' WHERE id = 1")
    try songs.refresh()
    #expect(screen.tableView.indexPathForSelectedRow == [0, 2])
  }

  // MARK: Which records

  /// Both ways from an identity to a row, for all rows.
  private func expectIDs<Record: FetchableRecord & Identifiable>(
    _ request: FetchRequest<Record>, _ ids: [Record.ID],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let provider = try FetchedResultsProvider(database: database, request: request)
    try provider.performFetch()
    for (row, id) in ids.enumerated() {
      #expect(
        try provider.identityForRow(at: [0, row]) == AnyHashable(id),
        sourceLocation: sourceLocation)
      #expect(
        try provider.indexPath(forIdentity: AnyHashable(id)) == [0, row],
        sourceLocation: sourceLocation)
      let identity = try provider.identity(at: [0, row])
      #expect(
        try provider.indexPath(forIdentity: AnyHashable(identity)) == [0, row],
        sourceLocation: sourceLocation)
    }
  }

  private struct Named<ID: Hashable & Sendable & Codable>: FetchableRecord, Identifiable, Codable {
    var id: ID
    var name: String
    static var recordDescription: RecordDescription<Self> {
      RecordDescription(table: "named", key: \Named.id)
    }
  }

  private struct SongID: RawRepresentable, Hashable, Codable { var rawValue: String }

  @Test func anIDOfAnyTypeIsTheIdentity() throws {
    try expectIDs(Song.all.sorted(by: \.name), [1, 2, 3])
    try database.run("CREATE TABLE named(id PRIMARY KEY NOT NULL, name TEXT)")
    let uuid = UUID()
    try database.write { connection in
      try connection.execute("INSERT INTO named VALUES (\(uuid), 'a')")
    }
    try expectIDs(Named<UUID>.all.sorted(by: \.name), [uuid])
    try expectIDs(Named<String>.all.sorted(by: \.name), [uuid.uuidString])
    try expectIDs(Named<SongID>.all.sorted(by: \.name), [SongID(rawValue: uuid.uuidString)])
    try database.run("DELETE FROM named; INSERT INTO named VALUES (7, 'a'), (8, 'b')")
    try expectIDs(Named<Int?>.all.sorted(by: \.name), [7, 8])
    try expectIDs(Named<Int64>.all.sorted(by: \.name), [7, 8])
  }

  /// Another program may write it so. It is not found by its key then.
  @Test func aUUIDInSmallLettersIsFound() throws {
    try database.run("CREATE TABLE named(id TEXT PRIMARY KEY NOT NULL, name TEXT)")
    let ids = [UUID(), UUID()].sorted { $0.uuidString < $1.uuidString }
    try database.write { connection in
      for (id, name) in zip(ids, ["a", "b"]) {
        try connection.execute("INSERT INTO named VALUES (\(id.uuidString.lowercased()), \(name))")
      }
    }
    let provider = try FetchedResultsProvider(
      database: database, request: Named<UUID>.all.sorted(by: \.name))
    try provider.performFetch()
    #expect(try provider.identityForRow(at: [0, 1]) == AnyHashable(ids[1]))
    #expect(try provider.indexPath(forIdentity: ids[1]) == [0, 1])
    #expect(try provider.indexPath(forIdentity: UUID()) == nil)
  }

  @Test func textsThatAreNotValidStayTwoIdentities() throws {
    try database.run(
      """
      CREATE TABLE named(id TEXT PRIMARY KEY NOT NULL, name TEXT);
      INSERT INTO named VALUES ('ok', 'a'), (CAST(x'ff' AS TEXT), 'b'), (CAST(x'fe' AS TEXT), 'c');
      """)
    let provider = try FetchedResultsProvider(
      database: database, request: Named<String>.all.sorted(by: \.name))
    try provider.performFetch()
    #expect(try provider.identityForRow(at: [0, 0]) == AnyHashable("ok"))
    for row in 1...2 {
      let identity = try #require(try provider.identityForRow(at: [0, row]))
      #expect(identity.base is RowIdentity)
      #expect(try provider.indexPath(forIdentity: identity) == [0, row])
    }
  }

  // MARK: Records that keep their key

  private struct Entry: FetchableRecord, Identifiable, Hashable {
    var entry: Int64
    var id: Int64
    static let recordDescription = RecordDescription(
      select: "SELECT entry, song AS id FROM entry", key: \.entry, making: Entry.init,
      Column("entry", \.entry), Column("id", \.id))
  }

  private struct Pair: FetchableRecord, Identifiable, Codable, Hashable {
    var list: String
    var song: Int
    var id: String { "\(list)\(song)" }
    static let recordDescription = RecordDescription(table: "pair", key: \Pair.list, \Pair.song)
  }

  private struct Plain: FetchableRecord, Codable, Hashable {
    var id: Int64
    static let recordDescription = RecordDescription(table: "song", key: \Plain.id)
  }

  private func expectRowIdentity<Record: FetchableRecord>(_ request: FetchRequest<Record>) throws {
    let provider = try FetchedResultsProvider(database: database, request: request)
    try provider.performFetch()
    let identity = try #require(try provider.identityForRow(at: [0, 0]))
    #expect(identity == AnyHashable(try provider.identity(at: [0, 0])))
    #expect(try provider.indexPath(forIdentity: identity) == [0, 0])
    #expect(try provider.indexPath(forIdentity: Int64(1)) == nil)
  }

  @Test func anIDThatIsNotTheKeyIsNotTheIdentity() throws {
    // The first key is equal to the id.
    try database.run(
      """
      CREATE TABLE entry(entry INTEGER PRIMARY KEY, song INTEGER);
      INSERT INTO entry VALUES (1, 1), (2, 1);
      CREATE TABLE pair(list TEXT, song INTEGER, PRIMARY KEY (list, song)) WITHOUT ROWID;
      INSERT INTO pair VALUES ('a', 1), ('a', 2);
      """)
    try expectRowIdentity(Entry.all.sorted(by: \.entry))
    try expectRowIdentity(Pair.all.sorted(by: \.song))
    try expectRowIdentity(Plain.all.sorted(by: \.id))
  }

  // MARK: Reading

  @Test func oneRecordIsReadForAllIdentities() throws {
    let reads = Locked(0)
    let description = RecordDescription(
      table: "song", key: \.id,
      making: { (id: Int64, name: String) in
        reads.withLock { $0 += 1 }
        return Song(id: id, name: name)
      }, Column("id", \Song.id), Column("name", \.name))
    let provider = try FetchedResultsProvider(
      database: database, request: FetchRequest(description).sorted(by: \.name))
    try provider.performFetch()
    for row in 0..<3 {
      #expect(try provider.identityForRow(at: [0, row]) == AnyHashable(Int64(row + 1)))
      #expect(try provider.indexPath(forIdentity: Int64(row + 1)) == [0, row])
    }
    try database.run("DELETE FROM song WHERE id = 1")
    try provider.refresh()
    #expect(try provider.identityForRow(at: [0, 0]) == AnyHashable(Int64(2)))
    // Once as it is, and once with another key.
    #expect(reads.withLock { $0 } == 2)
  }

  @Test func aRecordThatCannotBeReadHasAnIDToo() throws {
    try database.run(
      "PRAGMA ignore_check_constraints = 1; UPDATE song SET name = x'00' WHERE id < 3")
    let provider = try FetchedResultsProvider(
      database: database, request: Song.all.sorted(by: \.id))
    try provider.performFetch()
    #expect(throws: DatabaseError.self) { try provider.object(at: [0, 0]) }
    #expect(try provider.identityForRow(at: [0, 0]) == AnyHashable(Int64(1)))
    #expect(try provider.indexPath(forIdentity: Int64(2)) == [0, 1])
  }

  @Test func anotherRequestMayHaveAnotherKey() throws {
    let provider = try stored()
    #expect(try provider.identityForRow(at: [0, 0]) == AnyHashable(Int64(1)))
    let byName = RecordDescription(
      select: "SELECT id, name FROM song", key: \.name, making: Song.init,
      Column("id", \.id), Column("name", \.name))
    try provider.setRequest(FetchRequest(byName).sorted(by: \.name))
    #expect(try provider.identityForRow(at: [0, 0]) == AnyHashable(RowIdentity("a")))
  }

  @Test func thereIsNothingToFindInAnEmptyList() throws {
    try database.run("DELETE FROM song")
    let provider = try stored()
    #expect(try provider.indexPath(forIdentity: Int64(1)) == nil)
    try database.run("INSERT INTO song VALUES (1, 'a')")
    try provider.refresh()
    #expect(try provider.indexPath(forIdentity: Int64(1)) == [0, 0])
  }

  @Test func oneUUIDInSmallLettersAmongOthersIsFound() throws {
    try database.run("CREATE TABLE named(id TEXT PRIMARY KEY NOT NULL, name TEXT)")
    let ids = (0..<3).map { _ in UUID() }
    try database.write { connection in
      try connection.execute("INSERT INTO named VALUES (\(ids[0].uuidString), 'a')")
      try connection.execute("INSERT INTO named VALUES (\(ids[1].uuidString.lowercased()), 'b')")
    }
    let provider = try FetchedResultsProvider(
      database: database, request: Named<UUID>.all.sorted(by: \.name))
    try provider.performFetch()
    for row in 0..<2 {
      #expect(try provider.identityForRow(at: [0, row]) == AnyHashable(ids[row]))
      #expect(try provider.indexPath(forIdentity: ids[row]) == [0, row])
      let record = try provider.object(at: [0, row])
      #expect(try provider.indexPath(for: record) == [0, row])
    }
    #expect(try provider.indexPath(for: Named(id: ids[2], name: "c")) == nil)
  }
}
