import SQLiteStorage
import Testing

@testable import FetchedResults

struct KeyedTotalsTests {
  struct Piece: Codable, Identifiable, FetchableRecord {
    let id: Int64
    var kind: String
    var amount: Int
    var weight: Double?

    static let recordDescription = RecordDescription(table: "piece", key: \Piece.id)
  }

  private let database: Database

  init() throws {
    database = try .store(
      """
      CREATE TABLE piece(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, amount INTEGER NOT NULL, weight REAL);
      INSERT INTO piece VALUES (1, 'a', 2, 0.5), (2, 'a', 3, NULL), (3, 'b', 4, NULL);
      """)
  }

  private let request = Piece.all.sorted(by: \.id).totals(
    .count, .count(\.weight), .sum(\.amount), .sum(\.weight), .average(\.amount), .min(\.kind),
    .max(\.weight), .sum("\(\.amount) * \(2)"))

  @Test func aTotalIsFoundByWhatWasRequested() throws {
    let provider = try FetchedResultsProvider(
      database: database, request: request, sectionedBy: \.kind)
    try provider.performFetch()
    let first = try provider.totals(at: 0)
    #expect(try first.count == 2)
    #expect(try first.count(\.weight) == 1)
    #expect(try first.sum(\.amount) == 5)
    #expect(try first.sum(\.weight) == 0.5)
    #expect(try first.average(\.amount) == 2.5)
    #expect(try first.min(\.kind) == "a")
    #expect(try first.max(\.weight) == 0.5)
    #expect(try first[.sum("\(\.amount) * \(2)")] == 10)
    #expect(try first.decode(.sum("\(\.amount) * \(2)"), as: Int.self) == 10)
    let second = try provider.totals(at: 1)
    #expect(try second.sum(\.weight) == nil)
    #expect(try second.max(\.weight) == nil)
    #expect(try provider.totals?.sum(\.amount) == 9)
    #expect(first != second)
  }

  /// Not nil, and not the value of another total.
  @Test func aTotalThatWasNotRequestedThrows() throws {
    let provider = try FetchedResultsProvider(
      database: database, request: request, sectionedBy: \.kind)
    try provider.performFetch()
    let totals = try provider.totals(at: 0)
    for other in [.max(\.amount), .sum("\(\.amount) * \(3)"), .sum("\(\.amount)")]
      as [SectionTotal<Piece>]
    {
      let error = #expect(throws: FetchError.self) { try totals[other] }
      #expect(error?.code == .unknownTotal)
      #expect(error?.nextStep?.contains("amount)") == true)
    }
    let error = #expect(throws: FetchError.self) { try totals.min(\.amount) }
    #expect(error?.message == #"the request does not compute min(\Piece.amount)"#)
  }

  @Test func aTotalOfAnotherTypeThrows() throws {
    try database.write { try $0.execute("UPDATE piece SET amount = 1.5 WHERE id = 1") }
    let totals = try database.read { try $0.fetchTotals(request) }
    let error = #expect(throws: DatabaseError.self) { try totals.sum(\.amount) }
    #expect(error?.code == .typeMismatch)
    #expect(error?.message.contains("amount)") == true)
  }

  @Test func totalsOfAListAreThoseOfItsRequest() throws {
    let list = FetchedList(database: database, request: request, sectionedBy: \.kind)
    #expect(list.totals == nil)
    try list.fetch()
    #expect(try list.totals?.sum(\.amount) == 9)
    #expect(try list.sections.map { try $0.totals.count } == [2, 1])
    list.request = Piece.all.totals(.max(\.amount))
    #expect(throws: FetchError.self) { try list.totals?.sum(\.amount) }
    #expect(try list.totals?.max(\.amount) == 4)
  }
}
