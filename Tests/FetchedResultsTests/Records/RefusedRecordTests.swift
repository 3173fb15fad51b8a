import Foundation
import SQLiteStorage
import Testing

@testable import FetchedResults

/// Records whose `init(from:)` refuses what a row has.
struct RefusedRecordTests {
  private struct Refusal: Error {}

  private struct Even: Codable, FetchableRecord, Identifiable {
    let id: Int
    let n: Int

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      id = try values.decode(Int.self, forKey: .id)
      n = try values.decode(Int.self, forKey: .n)
      if n == 3 { throw Refusal() }
    }

    static let recordDescription = RecordDescription<Even>(table: "t")
  }

  private let database: Database

  init() throws {
    database = try .store(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, n INTEGER);
      INSERT INTO t VALUES (1, 2), (2, 3), (7, 4);
      """)
  }

  /// A value that its type refuses.
  private struct Digit: ColumnValue {
    let number: Int
    static func decode(_ row: borrowing RowView, at column: Int) throws -> Digit {
      let number = try row.decode(Int.self, at: column)
      if number == 3 { throw Refusal() }
      return Digit(number: number)
    }
    var columnValue: Value { number.columnValue }
  }

  /// Its columns are listed, and one of them has a value that is refused.
  private struct Listed: FetchableRecord, Identifiable {
    let id: Int
    let n: Digit

    static let recordDescription = RecordDescription(
      table: "t", key: \Listed.id, making: Listed.init, Column("id", \.id), Column("n", \.n))
  }

  /// Its columns are listed, and it refuses a row itself.
  private struct Checked: FetchableRecord, Identifiable {
    let id: Int
    let n: Int

    init(id: Int, n: Int) throws {
      if n == 3 { throw Refusal() }
      (self.id, self.n) = (id, n)
    }

    static let recordDescription = RecordDescription(
      table: "t", key: \Checked.id, making: Checked.init, Column("id", \.id), Column("n", \.n))
  }

  @Test func theErrorNamesTheRow() throws {
    try expectError(Even.self)
    try expectError(Listed.self)
    try expectError(Checked.self)
  }

  private func expectError<Record: FetchableRecord & Identifiable>(
    _ type: Record.Type
  ) throws where Record.ID == Int {
    let list = try FetchedResultsProvider(database: database, request: Record.all)
    try list.performFetch()
    #expect(list.fetchedObjects?.count == 3)
    #expect(try list.object(at: [0, 0]).id == 1)
    #expect(try list.object(at: [0, 2]).id == 7)
    let error = #expect(throws: DatabaseError.self) { try list.object(at: [0, 1]) }
    #expect(error?.code == .typeMismatch)
    #expect(error?.message.hasPrefix("the row at [0, 1] with the key 2 cannot be read: ") == true)
    #expect(error?.cause is Refusal)

    try database.read { connection in
      let cursor = try connection.fetchCursor(Record.all)
      #expect(try cursor.next()?.id == 1)
      let error = #expect(throws: DatabaseError.self) { try cursor.next() }
      #expect(error?.message.hasPrefix("row 2 (id = 2) cannot be read: ") == true)
      #expect(try cursor.next()?.id == 7)
      let whole = #expect(throws: DatabaseError.self) { _ = try connection.fetchAll(Record.all) }
      #expect(whole?.message == error?.message)
      let one = #expect(throws: DatabaseError.self) { _ = try connection.fetchOne(type, 2) }
      #expect(one?.message.contains("id = 2") == true)
    }
  }
}
