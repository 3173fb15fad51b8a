import Foundation
import SQLiteStorage
import Testing

@testable import FetchedResults

/// Names of sections that are made from their keys.
struct SectionTitleTests {
  private enum Priority: Int, ColumnValue {
    case low, high

    var label: String { self == .low ? "Later" : "Now" }
  }

  private let database: Database
  private let item = FetchRequest(table: "item")

  init() throws {
    database = try .store(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, priority INTEGER, day TEXT);
      INSERT INTO item VALUES (1, 1, '2026-11-21'), (2, 0, '2026-11-22'), (3, NULL, NULL),
        (4, 7, 'soon'), (5, 1, '2026-11-21 10:00:00');
      """)
  }

  private func provider(
    by key: SectionKey<Row>, _ request: FetchRequest<Row>? = nil
  ) throws -> FetchedResultsProvider<Row> {
    let provider = try FetchedResultsProvider(
      database: database, request: request ?? item, sectionedBy: key)
    try provider.performFetch()
    return provider
  }

  private let byPriority = SectionKey<Row>.property(\Row["priority"], .descending)
    .titled { (priority: Priority) in priority.label }

  @Test func theSectionsOfAnEnumerationHaveWords() throws {
    let provider = try provider(by: byPriority)
    // A value that is no case of the enumeration keeps its text.
    #expect(provider.sections.map(\.name) == ["7", "Now", "Later", ""])
    #expect(provider.sectionIndexTitles() == ["7", "N", "L"])
    #expect(try provider.title(forSection: 1) == "Now")
    #expect(try provider.sectionKey(at: 1) == 1)
    try database.run("UPDATE item SET priority = 0 WHERE id = 4")
    let changes = try provider.refresh()
    #expect(changes.description == "-[0] -[0,0] +[1,1]")
    #expect(provider.sections.map(\.name) == ["Now", "Later", ""])
  }

  @Test func anOptionalTypeNamesNull() throws {
    let provider = try provider(
      by: .property(\Row["priority"], .ascending).titled { (priority: Priority?) in
        priority?.label ?? "No priority"
      })
    #expect(provider.sections.map(\.name) == ["No priority", "Later", "Now", "7"])
  }

  @Test func theSectionsOfADateHaveWords() throws {
    let byDay = SectionKey<Row>.expression("date(day)").titled { (day: Date) in
      "day \(Int(day.timeIntervalSince1970) / 86_400 - 20_777)"
    }
    #expect(try provider(by: byDay).sections.map(\.name) == ["", "day 1", "day 2"])
  }

  @Test func theNamesAreThoseOfAllThatShowsTheResult() async throws {
    let expected = ["7", "Now", "Later", ""]
    var updates = FetchedUpdates(database: database, request: item, sectionedBy: byPriority)
      .makeAsyncIterator()
    #expect(try await updates.next()?.new.sections.map(\.name) == expected)
    let list = FetchedList(database: database, request: item, sectionedBy: byPriority)
    try list.fetch()
    #expect(list.sections.map(\.name) == expected)
    // Also of a result whose rows are packed in memory.
    let packed = FetchRequest(
      select: "SELECT *, sum(id) OVER (ORDER BY id) AS total FROM item", key: ["id"])
    let provider = try provider(by: byPriority, packed)
    #expect(provider.maintenance != .touchedRows)
    #expect(provider.sections.map(\.name) == expected)
  }

  /// Nothing was reported, and the headers stayed as they were.
  @Test func otherNamesOfARequestAreUpdatedSections() throws {
    let provider = try provider(by: byPriority)
    let shouting = SectionKey<Row>.property(\Row["priority"], .descending)
      .titled { (priority: Priority) in priority == .high ? "NOW" : priority.label }
    let first = try provider.setRequest(item.filter("id <> 4"), sectionedBy: shouting)
    #expect(first.description == "-[0] [1]=[0] -[0,0]")
    #expect(first.updatedSections == [.init(old: 1, new: 0)])
    #expect(provider.sections.map(\.name) == ["NOW", "Later", ""])
    // The names are the keys.
    let second = try provider.setRequest(
      item.filter("id <> 4"), sectionedBy: .property(\Row["priority"], .descending))
    #expect(second.updatedSections == [.init(old: 0, new: 0), .init(old: 1, new: 1)])
    #expect(second.rowCount == 0)
    #expect(provider.sections.map(\.name) == ["1", "0", ""])
    #expect(try provider.setRequest(item.filter("id <> 4")).isEmpty)
  }

  @Test func otherNamesOfAListAreUpdatedSections() async throws {
    let packed = FetchRequest(
      select: "SELECT *, sum(id) OVER (ORDER BY id) AS total FROM item", key: ["id"])
    let provider = try provider(by: byPriority, packed)
    let changes = try await provider.setRequest(
      packed, sectionedBy: .property(\Row["priority"], .descending))
    #expect(changes.updatedSections.map(\.new) == [1, 2])
  }

  @Test func aComputedKeyHasNamesToo() throws {
    let bySign = SectionKey<Track>.property(\.initial).titled { (initial: String) in
      "Names with \(initial)"
    }
    let provider = try FetchedResultsProvider(
      database: try Track.store(), request: Track.all.sorted(by: \.name), sectionedBy: bySign)
    try provider.performFetch()
    #expect(provider.sections.first?.name == "Names with A")
    #expect(provider.sections.map(\.indexTitle) == ["N", "N", "N", "N"])
  }
}
