import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// The engines must find the same, and what they find must turn the old rows into the new ones.
@Suite struct EngineAgreementTests {
  @Test(arguments: EngineCase.all)
  func allEnginesAgreeWithAPlainQuery(_ engineCase: EngineCase) throws {
    for seed in 0..<UInt64(SeededGenerator.scaled(2)) {
      var run = try EngineRun(engineCase, seed: seed)
      try run.run(rounds: 15)
    }
  }

  @Test(arguments: EngineCase.all)
  func chunksAgreeWithAPlainQuery(_ engineCase: EngineCase) throws {
    var engineCase = engineCase
    var chunkCount = 0
    for seed in 0..<UInt64(SeededGenerator.scaled(2)) {
      engineCase.request = engineCase.request.chunked(
        above: Int(seed % 4) * 5, size: Int(seed % 5) + 1)
      var run = try EngineRun(engineCase, seed: seed)
      try run.run(rounds: 15)
      chunkCount += run.chunkCount
    }
    let isByKey = engineCase.request.sortTerms.isEmpty && engineCase.sectionKey == nil
    #expect((chunkCount > 0) == (engineCase.index != nil || isByKey))
  }
}

/// A request to keep true.
struct EngineCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  var request: FetchRequest<Row>
  let sectionKey: SectionKey<Row>?
  /// The columns of an index that has the order.
  var index: String?

  static let table = FetchRequest(table: "item")
  static let all: [EngineCase] = [
    EngineCase(testDescription: "flat by key", request: table, sectionKey: nil),
    EngineCase(
      testDescription: "flat by name", request: table.sorted(by: \Row["name"]), sectionKey: nil,
      index: "name"),
    EngineCase(
      testDescription: "nulls last",
      request: table.sorted(by: \Row["name"], .descending).sorted(by: \Row["rank"]),
      sectionKey: nil, index: "name DESC, rank"),
    EngineCase(
      testDescription: "sections", request: table.sorted(by: \Row["name"]),
      sectionKey: .property(\Row["section"]), index: "section, name"),
    EngineCase(
      testDescription: "sections descending, nocase",
      request: table.sorted(by: \Row["rank"], .descending),
      sectionKey: .property(\Row["section"], .descending, collation: .nocase),
      index: "section COLLATE NOCASE DESC, rank DESC"),
    EngineCase(
      testDescription: "filter", request: table.filter("rank > 2").sorted(by: \Row["name"]),
      sectionKey: .property(\Row["section"]), index: "section, name"),
    EngineCase(
      testDescription: "limit", request: table.sorted(by: \Row["name"]).limited(to: 7),
      sectionKey: nil, index: "name"),
    EngineCase(
      testDescription: "limit and offset in sections",
      request: table.sorted(by: \Row["name"]).limited(to: 6, offset: 4),
      sectionKey: .property(\Row["section"])),
    EngineCase(
      testDescription: "some columns", request: table.sorted(by: \Row["rank"]).columns(["name"]),
      sectionKey: .property(\Row["section"])),
    EngineCase(
      testDescription: "sections by a title with an order of its own",
      request: table.sorted(by: \Row["name"]),
      sectionKey: .expression("'s' || rank", order: .expression("-rank"))),
    EngineCase(
      testDescription: "sections that may be torn",
      request: table.filter("id % 6 = 0").sorted(by: \Row["name"]),
      sectionKey: .expression("section", collation: .nocase, order: .by(\Row["rank"]))),
    EngineCase(
      testDescription: "sections that may be torn, in a window",
      request: table.sorted(by: \Row["name"]).limited(to: 3, offset: 2),
      sectionKey: .expression("section", order: .by(\Row["rank"])), index: "rank, section, name"),
  ]
}

private struct EngineRun {
  let database: Database
  let engineCase: EngineCase
  let seed: UInt64
  /// How many versions had chunks.
  private(set) var chunkCount = 0
  var generator: SeededGenerator

  init(_ engineCase: EngineCase, seed: UInt64) throws {
    self.engineCase = engineCase
    self.seed = seed
    generator = SeededGenerator(seed: seed)
    database = try Database.inMemory()
    try database.write {
      try $0.execute(
        "CREATE TABLE item(id INTEGER PRIMARY KEY, section TEXT, name TEXT, rank INTEGER)")
      if let index = engineCase.index, !seed.isMultiple(of: 3) {
        try $0.execute(SQL(verbatim: "CREATE INDEX item_order ON item(\(index))"))
      }
    }
  }

  func version(_ snapshot: Snapshot) throws -> ResultsVersion {
    // Tracked results need the order beyond the window as well.
    try ResultLoader(
      database: database, request: engineCase.request, sectionKey: engineCase.sectionKey
    ).version(of: snapshot, isTracked: true)
  }

  /// Goes to a version that nobody will show.
  private mutating func goAstray(_ old: ResultsVersion, _ touched: inout Set<RowKey>) throws {
    try database.write { connection in
      for _ in 0..<3 { try mutate(connection, &touched) }
    }
    let snapshot = try database.snapshot()
    guard snapshot !== old.snapshot else { return }
    _ = try tornMessage {
      _ = try DeltaEngine(from: old, to: snapshot).advance(touching: touched)
    }
  }

  /// What an error says of a torn section; nil if there is none.
  private func tornMessage(_ body: () throws -> Void) throws -> String? {
    do {
      try body()
      return nil
    } catch let error as FetchError where error.code == .tornSection {
      return error.message
    }
  }

  /// Whether a version tears a section. Then each engine must say the same of it.
  private func isTorn(
    _ snapshot: Snapshot, _ old: ResultsVersion, _ touched: Set<RowKey>, _ comment: Comment
  ) throws -> Bool {
    guard let message = try tornMessage({ _ = try version(snapshot) }) else { return false }
    let engines: [() throws -> Void] = [
      { _ = try MergeEngine(from: old).advance(to: ResultSource(snapshot, old.plan)) },
      { _ = try DeltaEngine(from: old, to: snapshot).advance(touching: touched) },
      { _ = try RescanEngine(from: old, to: snapshot).advance(touching: touched) },
    ]
    for engine in engines { try #require(try tornMessage(engine) == message, comment) }
    return true
  }

  mutating func run(rounds: Int) throws {
    try database.write { connection in
      // Now and then more rows than one leaf of the index holds.
      let limit = seed.isMultiple(of: 8) ? 400 : 30
      for _ in 0..<Int.random(in: 0...limit, using: &generator) { try insert(connection) }
    }
    while try tornMessage({ _ = try version(try database.snapshot()) }) != nil {
      try database.run(
        "DELETE FROM item WHERE id = (SELECT max(id) FROM item)")
    }
    var old = try version(try database.snapshot())
    var touched: Set<RowKey> = []
    for round in 0..<rounds {
      let comment: Comment = "\(engineCase.testDescription), seed \(seed), round \(round)"
      if round.isMultiple(of: 5) { try goAstray(old, &touched) }
      try database.write { connection in
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
          try mutate(connection, &touched)
        }
      }
      let snapshot = try database.snapshot()
      guard snapshot !== old.snapshot else { continue }  // Nothing was written after all.
      if try isTorn(snapshot, old, touched, comment) { continue }
      let fresh = try version(snapshot)
      let (merged, mergeDifference) = try MergeEngine(from: old)
        .advance(to: ResultSource(snapshot, old.plan))
      let (delta, deltaDifference) = try DeltaEngine(
        from: old, to: snapshot
      ).advance(touching: touched)
      let (rescanned, rescanDifference) = try RescanEngine(
        from: old, to: snapshot
      ).advance(touching: touched)
      try expectEqual(merged, fresh, comment)
      try expectEqual(rescanned, fresh, comment)
      try expectEqual(delta, fresh, comment)
      try delta.checkInvariants()
      if round.isMultiple(of: 5) {
        for version in [merged, rescanned] { try version.checkInvariants() }
      }
      if delta.hasChunks { chunkCount += 1 }
      let comparator = old.plan.parts.sectioning.comparator
      let changes = TableChanges(
        VisibleDifference(deltaDifference, from: old.index.layout, to: delta.index.layout),
        comparator: comparator, from: old.index.layout, to: delta.index.layout)
      let mergeChanges = TableChanges(
        VisibleDifference(mergeDifference, from: old.index.layout, to: merged.index.layout),
        comparator: comparator, from: old.index.layout, to: merged.index.layout)
      try #require(changes == mergeChanges, comment)
      let rescanChanges = TableChanges(
        VisibleDifference(rescanDifference, from: old.index.layout, to: rescanned.index.layout),
        comparator: comparator, from: old.index.layout, to: rescanned.index.layout)
      try #require(changes == rescanChanges, comment)
      let expected = try rows(of: fresh)
      let replayed = changes.applied(to: try rows(of: old)) { expected[$0.section][$0.row] }
      try #require(replayed == expected, "\(comment.rawValue): \(changes)")
      old = delta
      touched = []
    }
  }

  private func expectEqual(
    _ version: ResultsVersion, _ fresh: ResultsVersion, _ comment: Comment
  ) throws {
    try #require(try version.keys() == fresh.keys(), comment)
    let (layout, freshLayout) = (version.index.layout, fresh.index.layout)
    let names = (0..<layout.sectionCount).map(layout.section(at:))
    try #require(names == (0..<freshLayout.sectionCount).map(freshLayout.section(at:)), comment)
    for (position, key) in try version.keys(at: 0..<layout.count).enumerated() {
      try #require(try version.position(of: key) == position, comment)
    }
  }

  /// The rows in sections, each as its values in text.
  private func rows(of version: ResultsVersion) throws -> [[String]] {
    try (0..<version.index.layout.sectionCount).map { section in
      var rows: [String] = []
      try version.read(version.index.layout.rows(inSection: section)) {
        rows.append("\(Row($0).values)")
      }
      return rows
    }
  }

  private mutating func insert(_ connection: Connection) throws {
    try connection.execute(
      "INSERT INTO item(section, name, rank) VALUES (?, ?, ?)", [section(), name(), rank()])
  }

  private mutating func mutate(_ connection: Connection, _ touched: inout Set<RowKey>) throws {
    let ids = try connection.rows("SELECT id FROM item").compactMap { row -> Int64? in
      if case .integer(let id) = row["id"] { id } else { nil }
    }
    guard let id = ids.randomElement(using: &generator),
      Int.random(in: 0..<10, using: &generator) > 2
    else {
      try insert(connection)
      touched.insert(.integer(connection.lastInsertRowID))
      return
    }
    touched.insert(.integer(id))
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: try connection.execute("DELETE FROM item WHERE id = ?", [.integer(id)])
    case 1:
      try connection.execute("UPDATE item SET section = ? WHERE id = ?", [section(), .integer(id)])
    case 2: try connection.execute("UPDATE item SET rank = ? WHERE id = ?", [rank(), .integer(id)])
    case 3: try connection.execute("UPDATE item SET name = name WHERE id = ?", [.integer(id)])
    case 4:
      // A whole section changes, dies or is renamed.
      let old = section()
      for row in try connection.rows("SELECT id FROM item WHERE section IS ?", [old]) {
        if case .integer(let id) = row["id"] { touched.insert(.integer(id)) }
      }
      try connection.execute("UPDATE item SET section = ? WHERE section IS ?", [section(), old])
    default:
      try connection.execute("UPDATE item SET name = ? WHERE id = ?", [name(), .integer(id)])
    }
  }

  private mutating func section() -> Value {
    ["A", "B", "C", "a", "", nil].randomElement(using: &generator) ?? nil
  }

  private mutating func name() -> Value {
    [.text("n\(Int.random(in: 0..<9, using: &generator))"), nil].randomElement(using: &generator)
      ?? nil
  }

  private mutating func rank() -> Value { .integer(Int64.random(in: 0..<5, using: &generator)) }
}

extension TableChanges {
  /// The rows after the changes, applied as one batch.
  fileprivate func applied<Item>(
    to old: [[Item]], newItem: (IndexPath) -> Item
  ) -> [[Item]] {
    var kept: [[Item]?] = old
    var marked = old.map { $0.map { Optional($0) } }
    for path in deletedRows + movedRows.map(\.from) { marked[path.section][path.row] = nil }
    for update in updatedRows { marked[update.old.section][update.old.row] = newItem(update.new) }
    for (section, rows) in marked.enumerated() { kept[section] = rows.compactMap(\.self) }
    for section in deletedSections { kept[section] = nil }
    var result = kept.compactMap(\.self)
    for section in insertedSections { result.insert([], at: section) }
    for path in (insertedRows + movedRows.map(\.to)).sorted() {
      result[path.section].insert(newItem(path), at: path.row)
    }
    return result
  }
}
