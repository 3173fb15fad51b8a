import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Rule 30 where a record that cannot be decoded has no computed section key: it is in the section of the row
/// before it, and the error is its own.
@Suite struct UndecodableRowTests {
  /// A list of tracks by the first letter of their names, which is checked at each step.
  private final class TrackList {
    let database: Database
    private(set) var request: FetchRequest<Track>
    let provider: FetchedResultsProvider<Track>
    private let recorder = Recorder<Track>()

    init(_ database: Database, _ request: FetchRequest<Track>? = nil) throws {
      self.database = database
      self.request = request ?? Track.all.sorted(by: \.name)
      provider = try FetchedResultsProvider(
        database: database, request: self.request, sectionedBy: \.initial)
      provider.delegate = recorder
      try provider.performFetch()
    }

    var lines: [String] { get throws { try provider.lines() } }

    private var identities: [[RowIdentity]] {
      get throws {
        try provider.sections.enumerated().map { section, info in
          try (0..<info.numberOfRows).map { try provider.identity(at: [section, $0]) }
        }
      }
    }

    private var values: [RowIdentity: [Value]] {
      get throws {
        let rows = try database.read { try $0.rows("SELECT * FROM track") }
        return Dictionary(uniqueKeysWithValues: rows.map { (RowIdentity($0["id"]), $0.values) })
      }
    }

    @discardableResult
    func commit(_ script: String) throws -> TableChanges {
      let oldValues = try values
      try database.run(script)
      let newValues = try values
      return try check(isUpdated: { oldValues[$0] != newValues[$0] }, provider.refresh)
    }

    func set(_ request: FetchRequest<Track>) throws {
      self.request = request
      try check(isUpdated: { _ in false }) { try provider.setRequest(request) }
    }

    @discardableResult
    private func check(
      isUpdated: (RowIdentity) -> Bool, _ change: () throws -> TableChanges
    ) throws -> TableChanges {
      let old = try identities
      recorder.clear()
      let changes = try change()
      let new = try identities
      try #require(recorder.errors.isEmpty)
      try #require(try changes.applied(to: old) { new[$0.section][$0.row] } == new, "\(changes)")
      try #require(
        try changes.appliedInStages(to: old) { new[$0.section][$0.row] } == new, "\(changes)")
      try #require(
        try changes.appliedSequentially(to: old) { new[$0.section][$0.row] } == new, "\(changes)")
      for update in changes.updatedRows {
        try #require(isUpdated(new[update.new.section][update.new.row]), "\(changes)")
      }
      try provider.shownVersion?.checkInvariants()
      let fresh = try FetchedResultsProvider(
        database: database, request: request, sectionedBy: \.initial)
      try #require(try fresh.fetchedLines() == lines)
      return changes
    }
  }

  @Test func theRowAloneHasTheError() throws {
    let list = try TrackList(
      .store(Track.sample + "UPDATE track SET milliseconds = 'long' WHERE id = 1"))
    #expect(try list.lines == ["\"A\": 5 2 1", "\"C\": 4", "\"Z\": 3"])
    let error = #expect(throws: DatabaseError.self) { try list.provider.object(at: [0, 2]) }
    #expect(error?.message.contains("the row at [0, 2] with the key 1") == true)
    #expect(try list.provider.object(at: [1, 0]).name == "Cello")
  }

  @Test func theFirstRowsAreInTheSectionOfTheFirstThatHasOne() throws {
    let list = try TrackList(Track.store())
    try list.commit("UPDATE track SET milliseconds = 'long' WHERE id IN (2, 5)")
    #expect(try list.lines == ["\"B\": 5 2 1", "\"C\": 4", "\"Z\": 3"])
    try list.commit("UPDATE track SET milliseconds = 'long'")
    #expect(try list.lines == ["NULL: 5 2 1 4 3"])
    try list.commit("UPDATE track SET milliseconds = 1 WHERE id = 3")
    #expect(try list.lines == ["\"Z\": 5 2 1 4 3"])
    try list.commit("DELETE FROM track")
    #expect(try list.lines == [])
  }

  @Test func theRowFollowsTheOneBeforeIt() throws {
    let list = try TrackList(
      .store(Track.sample + "UPDATE track SET milliseconds = 'long' WHERE id = 1"))
    let changes = try list.commit("INSERT INTO track VALUES (6, 'Bach', NULL, 1)")
    #expect(try list.lines == ["\"A\": 5 2", "\"B\": 6 1", "\"C\": 4", "\"Z\": 3"])
    #expect(changes.description == "+[1] -[0,2] +[1,0] +[1,1]")
    #expect(try list.commit("UPDATE track SET genre = 'x' WHERE id = 4").updatedRows.count == 1)
    try list.commit("DELETE FROM track WHERE id = 6")
    #expect(try list.lines == ["\"A\": 5 2 1", "\"C\": 4", "\"Z\": 3"])
    try list.commit("UPDATE track SET milliseconds = 300 WHERE id = 1")
    #expect(try list.lines == ["\"A\": 5 2", "\"B\": 1", "\"C\": 4", "\"Z\": 3"])
    #expect(try list.commit("DELETE FROM track WHERE id = 3").description == "-[3] -[3,0]")
  }

  @Test func aFilterShowsTheRow() throws {
    let list = try TrackList(Track.store())
    let filter = try FilteredDataProvider(list.provider) { $0.milliseconds > 250 }
    #expect(filter.sections.map(\.numberOfRows) == [1, 1, 1, 0])
    try list.commit("UPDATE track SET milliseconds = 'long' WHERE id = 2")
    #expect(filter.sections.map(\.numberOfRows) == [2, 1, 1, 0])
    #expect(throws: DatabaseError.self) { try filter.itemForRow(at: [0, 1]) }
    let other = try FetchedResultsProvider(
      database: list.database, request: list.request, sectionedBy: \.initial)
    try other.performFetch()
    #expect(
      try FilteredDataProvider(other) { _ in false }.sections.map(\.numberOfRows) == [1, 0, 0, 0])
  }

  @Test(arguments: [
    Track.all.sorted(by: \.name), Track.all.sorted(by: \.name).limited(to: 4, offset: 1),
    Track.all.sorted(by: \.name).totals(.count, .max(\.name)),
    Track.all.filter("id % 3 > 0").sorted(by: \.name, .descending).limited(to: 3),
  ])
  func randomTransactionsAreFollowed(_ request: FetchRequest<Track>) throws {
    for seed in SeededGenerator.seeds(3) {
      var draw = RandomDraw(seed: seed)
      let list = try TrackList(.store(Track.schema), request)
      for round in 0..<40 {
        let script = (0..<draw.number(1...4)).map { _ in statement(&draw) }.joined(separator: ";")
        do {
          try list.commit(script)
          if draw.chance(10) { try list.set(list.request.filter("id <> \(draw.number(0...9))")) }
          if draw.chance(10) { try list.set(request) }
        } catch {
          Issue.record("seed \(seed), round \(round), \(script): \(error)")
          return
        }
      }
    }
  }

  private func statement(_ draw: inout RandomDraw) -> String {
    let id = draw.number(0...9)
    let name = draw.one(of: ["'a1'", "'a2'", "'b1'", "'b2'", "'c'", "'d'", "''"])
    let milliseconds = draw.one(of: ["1", "2", "'long'"])
    return switch draw.number(0...4) {
    case 0: "DELETE FROM track WHERE id = \(id)"
    case 1: "UPDATE track SET milliseconds = \(milliseconds) WHERE id % 3 = \(id % 3)"
    case 2: "UPDATE track SET name = \(name) WHERE id = \(id)"
    default: "REPLACE INTO track VALUES (\(id), \(name), 'x', \(milliseconds))"
    }
  }
}
