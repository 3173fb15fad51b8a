import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// What looking up and scanning cost, by SQLite's own counters: never by the clock.
struct ResultsVersionTests {
  private static let rowCount = 5_000
  /// Where Linux tells about this process.
  private static let statusFile = "/proc/self/status"

  private func store(_ more: String = "") throws -> Database {
    try .store(
      """
      CREATE TABLE track(
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, genre TEXT, milliseconds INTEGER NOT NULL);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(Self.rowCount))
      INSERT INTO track SELECT i, 'name ' || (i * 7919 % 5003), 'g' || (i % 10), i % 1000 FROM n;
      \(more)
      """)
  }

  private func version(
    _ store: Database, _ request: FetchRequest<Track>, by key: SectionKey<Track>? = nil
  ) throws -> ResultsVersion {
    try ResultLoader(database: store, request: request, sectionKey: key)
      .version(of: try store.snapshot(), isTracked: false)
  }

  private func counter(
    _ counter: Statement.Counter, of sql: BoundSQL, in version: ResultsVersion,
    reset: Bool = false
  ) throws -> Int {
    try version.snapshot.read {
      try $0.cachedStatement(sql.text).counter(counter, reset: reset)
    }
  }

  @Test func findingARowTakesALogarithmOfProbes() throws {
    let version = try version(
      try store(), Track.all.sorted(by: \.name, .descending), by: .property(\.genre))
    let limit = Int(log2(Double(Self.rowCount)).rounded(.up)) + 4
    for position in stride(from: 0, to: Self.rowCount, by: 611) {
      let key = try version.keys(at: position..<(position + 1))[0]
      _ = try counter(.runs, of: version.plan.statements.probe, in: version, reset: true)
      _ = try counter(
        .virtualMachineSteps, of: version.plan.statements.probe, in: version, reset: true)
      #expect(try version.position(of: key) == position)
      #expect(try counter(.runs, of: version.plan.statements.probe, in: version) <= limit)
      // Each of them is a look-up by key, not a scan.
      #expect(
        try counter(.virtualMachineSteps, of: version.plan.statements.probe, in: version) < limit
          * 40)
      #expect(try counter(.fullScanSteps, of: version.plan.statements.probe, in: version) == 0)
    }
  }

  @Test func versionsWithTheSameRowsShareTheirSortKeys() throws {
    let store = try store("CREATE TABLE other(x)")
    let loader = ResultLoader(database: store, request: Track.all.sorted(by: \.name))
    let old = try loader.version(of: try store.snapshot())
    let key = try old.keys(at: 2_500..<2_501)[0]
    #expect(try old.position(of: key) == 2_500)
    try store.run("INSERT INTO other VALUES (1)")
    let new = try #require(try loader.advance(old, to: try store.snapshot())).version
    #expect(new !== old)
    for version in [new, old] {
      _ = try counter(.runs, of: version.plan.statements.probe, in: version, reset: true)
      #expect(try version.position(of: key) == 2_500)
      #expect(try counter(.runs, of: version.plan.statements.probe, in: version) <= 1)
    }
  }

  @Test func anUnknownRowTakesOneProbe() throws {
    let version = try version(try store(), Track.all.sorted(by: \.name).filter("id <> 5"))
    for key in [5, -1, 1_000_000] as [RowKey] {
      _ = try counter(.runs, of: version.plan.statements.probe, in: version, reset: true)
      #expect(try version.position(of: key) == nil)
      #expect(try counter(.runs, of: version.plan.statements.probe, in: version) <= 1)
    }
  }

  @Test(arguments: [false, true])
  func aKeyInAnotherCaseHasNoPosition(isInChunks: Bool) throws {
    var request = FetchRequest(table: "t", key: ["k"])
    if isInChunks { request.chunkPolicy = ChunkPolicy(identityLimit: 0, chunkSize: 4) }
    let provider = try FetchedResultsProvider(
      database: try .store(
        "CREATE TABLE t(k TEXT COLLATE NOCASE PRIMARY KEY); INSERT INTO t VALUES ('a'), ('b')"),
      request: request)
    try provider.performFetch()
    #expect(try provider.indexPath(forIdentity: RowIdentity(.text("b")))?.row == 1)
    #expect(try provider.indexPath(forIdentity: RowIdentity(.text("B"))) == nil)
  }

  @Test func readingRecordsLooksEachOfThemUpByKey() throws {
    let version = try version(try store(), Track.all.sorted(by: \.name))
    var count = 0
    try version.read(100..<164) { _ in count += 1 }
    #expect(count == 64)
    #expect(try counter(.runs, of: version.plan.statements.fetch, in: version) <= 65)
    #expect(
      try counter(.virtualMachineSteps, of: version.plan.statements.fetch, in: version) < 64 * 30)
    #expect(try counter(.fullScanSteps, of: version.plan.statements.fetch, in: version) == 0)
  }

  @Test func anIndexWithTheOrderIsScannedWithoutASort() throws {
    let store = try store(
      """
      CREATE INDEX a ON track(genre, name); CREATE INDEX b ON track(genre, name COLLATE NOCASE DESC);
      CREATE INDEX c ON track(milliseconds DESC); CREATE INDEX d ON track(substr(name, 1, 2));
      """)
    let all = Track.all
    let plans: [(FetchRequest<Track>, SectionKey<Track>?)] = [
      (all, nil), (all.sorted(by: \.id), nil), (all.sorted(by: \.milliseconds, .descending), nil),
      (all.sorted(by: \.name), .property(\.genre)),
      (all.sorted(by: \.name, .ascending, collation: .binary), .property(\.genre)),
      (all.sorted(by: \.name, .descending, collation: .nocase), .property(\.genre)),
      (all, .expression("substr(name, 1, 2)")),
      (all.filter("genre > \("g5")").sorted(by: \.name), .property(\.genre)),
    ]
    for (request, key) in plans {
      let version = try version(store, request, by: key)
      #expect(
        try counter(.sorts, of: version.plan.statements.scan, in: version) == 0,
        "\(version.plan.statements.scan.text)")
    }
    let unsorted = try version(store, all.sorted(by: \.name))
    #expect(try counter(.sorts, of: unsorted.plan.statements.scan, in: unsorted) == 1)
  }

  @Test func aLimitEndsTheScanOfAnIndex() throws {
    let version = try version(try store(), Track.all.limited(to: 10, offset: 5))
    #expect(version.index.layout.rowCount == 15)
    #expect(try counter(.virtualMachineSteps, of: version.plan.statements.scan, in: version) < 200)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: statusFile)))
  func aLargeBlobThatIsNotAskedForIsNotLoaded() throws {
    let size = 200 << 20
    let store = try Database.store(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, huge BLOB);
      INSERT INTO t VALUES (2, 'b', NULL), (1, 'c', zeroblob(\(size))), (3, 'a', NULL);
      """)
    let before = try peakMemory()
    for request in [FetchRequest(table: "t"), FetchRequest(select: "SELECT * FROM t", key: ["id"])]
    {
      let provider = try FetchedResultsProvider(
        database: store, request: request.columns(["id", "name"]).sorted(by: \Row["name"]),
        sectionedBy: .expression("name < 'c'", .descending))
      #expect(try provider.fetchedLines() == ["1: 3 2", "0: 1"])
      try provider.expectConsistent()
      #expect(provider.fetchedObjects?.map { $0["name"] } == ["a", "b", "c"])
    }
    #expect(try peakMemory() - before < size / 2)
  }

  /// The largest part of this process that was ever in memory, in bytes.
  private func peakMemory() throws -> Int {
    let status = try String(contentsOfFile: Self.statusFile, encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM") })
    return try #require(line.split(separator: " ").compactMap { Int($0) }.first) * 1_024
  }

  /// An average is a REAL whose last bits depend on the order of the rows, so no position is searched by it.
  @Test func aRowIsFoundInTheOrderOfAnAverage() throws {
    let database = try Database.store(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, g INTEGER, v);
      CREATE INDEX item_g ON item(g, v);
      INSERT INTO item VALUES (1, 1, 10), (2, 1, 20), (3, 2, 5), (4, 3, 30);
      """)
    let request = FetchRequest(
      select: "SELECT g, avg(v) AS a FROM item GROUP BY g", key: ["g"])
    let provider = try FetchedResultsProvider(
      database: database, request: request.sorted(by: \Row["a"], .descending))
    try provider.performFetch()
    for (row, group) in [3 as Int64, 1, 2].enumerated() {
      #expect(try provider.indexPath(forIdentity: RowIdentity(.integer(group))) == [0, row])
    }
    #expect(try provider.indexPath(forIdentity: RowIdentity(9)) == nil)
    try provider.setRequest(request.sorted(by: \Row["a"]).limited(to: 1, offset: 1))
    #expect(try provider.indexPath(forIdentity: RowIdentity(1)) == [0, 0])
    #expect(try provider.indexPath(forIdentity: RowIdentity(3)) == nil)
  }
}
