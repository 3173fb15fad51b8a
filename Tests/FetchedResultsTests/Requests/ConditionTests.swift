import FetchedResults
import Foundation
import SQLiteStorage
import TableDataTesting
import Testing

/// Conditions in Swift, against the same conditions evaluated by Swift.
struct ConditionTests {
  private func ids(_ request: FetchRequest<Track>) throws -> [Int64] {
    try Track.store().read { try $0.fetchAll(request).map(\.id) }
  }

  private func expect(
    _ condition: (RecordColumns<Track>) -> SQLFragment<Track>, _ expected: [Int64],
    _ sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try ids(Track.all.where(condition)) == expected, sourceLocation: sourceLocation)
  }

  @Test func aValueIsComparedAsInSwift() throws {
    try expect({ $0.genre == "Jazz" }, [1, 5])
    try expect({ $0.genre != "Jazz" }, [2, 3, 4])
    try expect({ $0.milliseconds > 200 }, [1, 4, 5])
    try expect({ $0.milliseconds >= 200 }, [1, 2, 4, 5])
    try expect({ $0.milliseconds < 200 }, [3])
    try expect({ $0.milliseconds <= 200 }, [2, 3])
  }

  @Test func nilIsNull() throws {
    let none: String? = nil
    try expect({ $0.genre == nil }, [4])
    try expect({ $0.genre == none }, [4])
    try expect({ $0.genre != nil }, [1, 2, 3, 5])
    try expect({ $0.genre > "Jazz" }, [2, 3])
    try expect({ !($0.genre > "Jazz") }, [1, 4, 5])
    try expect({ $0.genre == $0.genre }, [1, 2, 3, 4, 5])
    try expect({ $0.genre != $0.genre }, [])
    try expect({ $0.genre.isIn(["Jazz", nil]) }, [1, 4, 5])
    try expect({ !$0.genre.isIn(["Jazz"]) }, [2, 3, 4])
    try expect({ $0.genre.isIn([]) }, [])
    try expect({ !$0.genre.isIn([]) }, [1, 2, 3, 4, 5])
    try expect({ $0.genre.isIn([nil]) }, [4])
  }

  @Test func aTextIsSearchedLiterally() throws {
    try expect({ $0.name.contains("e") }, [1, 2, 4, 5])
    try expect({ $0.name.hasPrefix("a") }, [2, 5])
    try expect({ $0.name.contains("%") }, [])
    try expect({ $0.genre.contains("azz") || $0.genre.hasPrefix("Ro") }, [1, 2, 3, 5])
    try expect({ !$0.genre.contains("azz") }, [2, 3, 4])
  }

  @Test func conditionsAreCombinedWithOthersAndWithSQL() throws {
    try expect({ $0.genre == "Jazz" && $0.milliseconds > 300 }, [5])
    try expect({ $0.genre == "Jazz" || $0.milliseconds < 150 && $0.name == "Zoo" }, [1, 3, 5])
    try expect({ ($0.genre == "Jazz" || $0.milliseconds < 150) && $0.name == "Zoo" }, [3])
    let fragment: SQLFragment<Track> = "length(\(\.name)) > \(3) -- long"
    try expect({ fragment && $0.genre == "Rock" }, [2])
    try expect({ _ in !fragment }, [3])
    #expect(
      try ids(Track.all.where { $0.milliseconds > 100 }.filter(fragment).where { $0.id < 5 })
        == [1, 2, 4])
  }

  @Test func aPropertyWithoutAColumnIsAnError() throws {
    let error = #expect(throws: FetchError.self) {
      try self.ids(Track.all.where { $0.initial == "B" })
    }
    #expect(error?.code == .computedProperty)
  }

  /// A UUID that another program wrote in small letters.
  private struct Guest: Codable, FetchableRecord {
    var id: UUID
    static let recordDescription = RecordDescription(table: "guest", key: \Guest.id)
  }

  @Test func aValueIsFoundInAnyFormThatIsRead() throws {
    let ids = [UUID(), UUID(), UUID()]
    let store = try Database.store("CREATE TABLE guest(id NOT NULL PRIMARY KEY);")
    try store.write { connection in
      try connection.execute("INSERT INTO guest VALUES (\(ids[0].uuidString.lowercased()))")
      try connection.execute("INSERT INTO guest VALUES (\(ids[1].uuidString))")
      try connection.execute("INSERT INTO guest VALUES (\(ids[2].uuidString))")
    }
    func count(_ condition: (RecordColumns<Guest>) -> SQLFragment<Guest>) throws -> Int {
      try store.read { try $0.fetchCount(Guest.all.where(condition)) }
    }
    #expect(try count { $0.id == ids[0] } == 1)
    #expect(try count { $0.id != ids[0] } == 2)
    #expect(try count { $0.id.isIn([ids[0], ids[1], UUID()]) } == 2)
  }

  @Test func aListByAConditionIsMaintained() throws {
    let store = try Track.store()
    let request = Track.all.where { $0.genre == "Jazz" && !($0.milliseconds < 300) }
    let provider = try FetchedResultsProvider(database: store, request: request)
    try provider.performFetch()
    #expect(provider.maintenance == .touchedRows)
    try store.write { try $0.execute("UPDATE track SET genre = 'Jazz' WHERE id = 4") }
    try provider.refresh()
    #expect(provider.fetchedObjects?.map(\.id) == [1, 4, 5])
  }

  // MARK: - Random conditions

  private typealias Condition = (sql: SQLFragment<Track>, swift: @Sendable (Track) -> Bool)

  private static func condition(
    _ depth: Int, _ columns: RecordColumns<Track>, _ random: inout SeededGenerator
  ) -> Condition {
    let number = Int.random(in: 0...5, using: &random) * 100
    let letter = "BACZRJ".randomElement(using: &random).map(String.init) ?? ""
    let genre = ["Jazz", "Rock", nil].randomElement(using: &random) ?? nil
    switch Int.random(in: depth > 0 ? 0...10 : 3...10, using: &random) {
    case 0:
      let (a, b) = (condition(depth - 1, columns, &random), condition(depth - 1, columns, &random))
      return (a.sql && b.sql, { a.swift($0) && b.swift($0) })
    case 1:
      let (a, b) = (condition(depth - 1, columns, &random), condition(depth - 1, columns, &random))
      return (a.sql || b.sql, { a.swift($0) || b.swift($0) })
    case 2:
      let a = condition(depth - 1, columns, &random)
      return (!a.sql, { !a.swift($0) })
    case 3: return (columns.genre == genre, { $0.genre == genre })
    case 4: return (columns.genre != genre, { $0.genre != genre })
    case 5: return (columns.milliseconds < number, { $0.milliseconds < number })
    case 6: return (columns.milliseconds >= number, { $0.milliseconds >= number })
    case 7: return (columns.genre <= "Jazz", { $0.genre.map { $0 <= "Jazz" } ?? false })
    case 8:
      return (columns.genre.isIn([genre, "Pop"]), { [genre, "Pop"].contains($0.genre) })
    case 9:
      return (
        columns.name.hasPrefix(letter),
        { $0.name.lowercased().hasPrefix(letter.lowercased()) }
      )
    default:
      return (
        columns.genre.contains(letter),
        { $0.genre?.lowercased().contains(letter.lowercased()) ?? false }
      )
    }
  }

  @Test(arguments: SeededGenerator.seeds(40))
  func aRandomConditionMeansWhatItMeansInSwift(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try Track.store()
    let all = try store.read { try $0.fetchAll(Track.all) }
    for _ in 0..<25 {
      var expected: [Track] = []
      let request = Track.all.where { columns in
        let condition = Self.condition(3, columns, &random)
        expected = all.filter(condition.swift)
        return condition.sql
      }
      #expect(try store.read { try $0.fetchAll(request) } == expected, "seed \(seed): \(request)")
    }
  }

  @Test func aBooleanIsACondition() throws {
    let store = try Database.store(
      """
      CREATE TABLE chore(id INTEGER PRIMARY KEY, isDone, isLate);
      INSERT INTO chore VALUES (1, 0, 0), (2, 0, 1), (3, 1, 0), (4, 1, 1);
      """)
    func ids(_ request: FetchRequest<DoneOrLate>) throws -> [Int64] {
      try store.read { try $0.fetchAll(request).map(\.id) }
    }
    #expect(try ids(DoneOrLate.all.where { $0.isDone }) == [3, 4])
    #expect(try ids(DoneOrLate.all.where { !$0.isDone }) == [1, 2])
    #expect(try ids(DoneOrLate.all.where { $0.isDone && $0.isLate }) == [4])
    #expect(try ids(DoneOrLate.all.where { $0.isDone || $0.isLate }) == [2, 3, 4])
    #expect(try ids(DoneOrLate.all.where { !$0.isDone && $0.isLate }) == [2])
    #expect(try ids(DoneOrLate.all.where { $0.isDone && $0.id > 3 }) == [4])
    #expect(try ids(DoneOrLate.all.where { $0.isLate || $0.id == 1 }) == [1, 2, 4])
    #expect(try ids(DoneOrLate.all.where { $0.id == 1 || $0.isDone }) == [1, 3, 4])
  }

  @Test func manyConditionsCanBeCombined() throws {
    var (some, all): (SQLFragment<Track>, SQLFragment<Track>) = ("\(\.id) = 1 -- or", "\(\.id) = 1")
    for id in 2...200 {
      let next: SQLFragment<Track> = "\(\.id) = \(id) -- or others"
      some = some || next
      all = all && !next
    }
    #expect(try ids(Track.all.filter(some)) == [1, 2, 3, 4, 5])
    #expect(try ids(Track.all.filter(all)) == [1])
    let request = Track.all.filter(some)
    let provider = try FetchedResultsProvider(database: Track.store(), request: request)
    try provider.performFetch()
    #expect(provider.maintenance == .touchedRows)
  }
}

private struct DoneOrLate: Codable, FetchableRecord {
  var id: Int64
  var isDone: Bool
  var isLate: Bool

  static let recordDescription = RecordDescription(table: "chore", key: \DoneOrLate.id)
}
