import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// What cannot be moved, and what it says then.
@Suite struct MovingErrorTests {
  private let by = OrderedList.byPosition

  @Test func placesThatAreNotThereAreNamed() throws {
    let ordered = try OrderedList(sections: [2, 1])
    let places: [(IndexPath, IndexPath, TableDataError.Code)] = [
      ([0, 2], [0, 0], .rowOutOfRange), ([2, 0], [0, 0], .sectionOutOfRange),
      ([0, 0], [0, 2], .rowOutOfRange), ([0, 0], [1, 2], .rowOutOfRange),
      ([0, 0], [2, 0], .sectionOutOfRange), ([0, 0], [0], .malformedIndexPath),
      ([0, 0], [0, -1], .rowOutOfRange),
    ]
    for (source, destination, code) in places {
      let error = #expect(throws: TableDataError.self) {
        try ordered.provider.move(from: source, to: destination, by: by)
      }
      #expect(error?.code == code)
    }
    #expect(try ordered.list.step().isEmpty)
  }

  @Test func aProviderThatHasNotFetchedMovesNothing() throws {
    let ordered = try OrderedList(sections: [2])
    let provider = try FetchedResultsProvider(
      database: ordered.list.database, request: ordered.list.request)
    let error = #expect(throws: FetchError.self) {
      try provider.move(from: [0, 0], to: [0, 1], by: by)
    }
    #expect(error?.code == .notFetched)
  }

  private func code(
    _ request: FetchRequest<Row>, sectionedBy section: SectionKey<Row>? = nil,
    by property: AnyProperty<Row>, to destination: IndexPath = [0, 1]
  ) throws -> FetchError.Code? {
    let ordered = try OrderedList(sections: [2, 2])
    try ordered.list.database.run(
      """
      CREATE VIEW shown AS SELECT * FROM item;
      ALTER TABLE item ADD COLUMN twice TEXT AS (position || position);
      """)
    let provider = try FetchedResultsProvider(
      database: ordered.list.database, request: request, sectionedBy: section)
    try provider.performFetch()
    let error = #expect(throws: FetchError.self) {
      try provider.move(from: [0, 0], to: destination, by: property)
    }
    return error?.code
  }

  @Test func theRequestMustBeSortedByThePosition() throws {
    let items = FetchRequest(table: "item")
    #expect(try code(items, by: by) == .notOrdered)
    #expect(try code(items.sorted(by: \Row["id"]).sorted(by: by), by: by) == .notOrdered)
    #expect(try code(items.sorted(by: by), by: \Row["section"]) == .notOrdered)
    #expect(
      try code(
        items.sorted(by: \Row["id"]).sorted(by: by), sectionedBy: .property(\Row["section"]), by: by
      )
        == .notOrdered)
    #expect(try code(items.sorted(.expression("position")), by: by) == .notOrdered)
    #expect(try code(items.sorted(by: by), by: \Row.values) == .computedProperty)
    #expect(try code(items.sorted(by: \Row["twice"]), by: \Row["twice"]) == .notWritable)
  }

  @Test func whatIsNoTableCannotBeMoved() throws {
    #expect(
      try code(FetchRequest(table: "shown", key: ["id"]).sorted(by: by), by: by) == .notWritable)
    #expect(
      try code(FetchRequest(select: "SELECT * FROM item", key: ["id"]).sorted(by: by), by: by)
        == .notWritable)
  }

  @Test func aRowStaysInItsSectionWhereThatIsNoColumn() throws {
    let byExpression = SectionKey<Row>.expression("upper(section)")
    #expect(
      try code(
        FetchRequest(table: "item").sorted(by: by), sectionedBy: byExpression, by: by, to: [1, 0])
        == .computedProperty)
    let ordered = try OrderedList(sections: [2, 3])
    let list = try LiveList(
      ordered.list.database, FetchRequest(table: "item").sorted(by: by), sectionedBy: byExpression)
    #expect(try OrderedList(list).move(from: [1, 2], to: [1, 1]) == 1)
    #expect(try list.step().description == "[1,2]>[1,1]")
  }

  @Test func anOrderThatIsNotByBytesIsRefused() throws {
    let database = try Database.store(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, position TEXT COLLATE backwards);
      INSERT INTO item(position) VALUES ('n0'), ('n1');
      """
    ) { configuration in
      configuration.collations = [CustomCollation("backwards") { $0 > $1 ? -1 : $0 < $1 ? 1 : 0 }]
    }
    let provider = try FetchedResultsProvider(
      database: database, request: FetchRequest(table: "item").sorted(by: by))
    try provider.performFetch()
    let error = #expect(throws: FetchError.self) {
      try provider.move(from: [0, 0], to: [0, 1], by: by)
    }
    #expect(error?.code == .notOrdered)
    #expect(error?.message.contains("backwards") == true)
  }

  @Test func aDeletedRowIsNotMoved() throws {
    let ordered = try OrderedList(sections: [3])
    try ordered.list.database.run("DELETE FROM item WHERE id = 1")
    let error = #expect(throws: FetchError.self) {
      try ordered.provider.move(from: [0, 0], to: [0, 2], by: by)
    }
    #expect(error?.code == .noSuchRow)
    #expect(error?.message.contains("row 1") == true)
    // One that others need not be there for.
    try ordered.list.step()
  }

  struct Numbered: FetchableRecord {
    let id: Int64
    let position: Int?

    static let recordDescription = RecordDescription(
      table: "item", key: \.id, making: Numbered.init,
      Column("id", \.id), Column("position", \.position))
  }

  @Test func aPropertyThatCouldNotBeReadAfterwardsIsRefused() throws {
    let database = try Database.store(
      """
      CREATE TABLE item(id INTEGER PRIMARY KEY, position INTEGER);
      INSERT INTO item VALUES (1, 1), (2, 2);
      """)
    let provider = try FetchedResultsProvider(
      database: database, request: Numbered.all.sorted(by: \.position))
    try provider.performFetch()
    let error = #expect(throws: FetchError.self) {
      try provider.move(from: [0, 0], to: [0, 1], by: \.position)
    }
    #expect(error?.code == .notOrdered)
    #expect(error?.message.contains("Int") == true)
  }

  @Test func aSectionOfBytesThatAreNoTextIsLeftAlone() throws {
    let ordered = try OrderedList(sections: [2])
    try ordered.list.commit("UPDATE item SET section = CAST(x'ff' AS TEXT)")
    let error = #expect(throws: FetchError.self) {
      try ordered.provider.move(from: [0, 0], to: [0, 1], by: by)
    }
    #expect(error?.code == .notOrdered)
  }

  @Test func aRowWithoutAKeyIsMovedAndDeleted() throws {
    let list = try LiveList(
      """
      CREATE TABLE item(code TEXT PRIMARY KEY, position TEXT);
      INSERT INTO item VALUES ('x', 'a'), (NULL, 'b');
      """, "position")
    try list.provider.move(from: [0, 1], to: [0, 0], by: by)
    try list.step()
    #expect(try list.provider.identity(at: [0, 0]) == RowIdentity(.null))
    struct Item: Codable, FetchableRecord {
      static let recordDescription = RecordDescription<Item>(table: "item", key: \.code)

      var code: String?
      var position: String
    }
    // Which of two rows is meant is not known.
    try list.database.run("INSERT INTO item VALUES (NULL, 'c')")
    let error = #expect(throws: FetchError.self) {
      try list.database.write { try $0.delete(Item.self, RowIdentity(.null)) }
    }
    #expect(error?.code == .invalidKey)
    try list.database.run("DELETE FROM item WHERE position = 'c'")
    let isDeleted = try list.database.write { try $0.delete(Item.self, RowIdentity(.null)) }
    #expect(isDeleted)
    #expect(try list.step().description == "-[0,0]")
  }

  @Test func aMoveThatATriggerLeavesOutIsAnError() throws {
    let ordered = try OrderedList(sections: [3])
    try ordered.list.database.run(
      "CREATE TRIGGER t BEFORE UPDATE ON item BEGIN SELECT RAISE(IGNORE); END")
    try ordered.list.step()
    let error = #expect(throws: FetchError.self) {
      try ordered.provider.move(from: [0, 0], to: [0, 1], by: by)
    }
    #expect(error?.code == .noSuchRow)
  }

  @Test func aConstraintThatAMoveBreaksIsNamed() throws {
    let ordered = try OrderedList(
      sections: [3, 1], constraint: " CHECK (section <> 'b' OR id > 3)")
    let error = #expect(throws: DatabaseError.self) {
      try ordered.provider.move(from: [0, 0], to: [1, 0], by: by)
    }
    #expect(error.map { .constraint ~= $0.resultCode } == true)
    #expect(error?.message.contains("CHECK") == true)
    #expect(try ordered.list.step().isEmpty)
  }
}
