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

  @Test func theErrorNamesTheRow() throws {
    let list = try FetchedResultsProvider(database: database, request: Even.all)
    try list.performFetch()
    #expect(list.fetchedObjects?.count == 3)
    #expect(try list.object(at: [0, 0]).id == 1)
    #expect(try list.object(at: [0, 2]).id == 7)
    let error = #expect(throws: DatabaseError.self) { try list.object(at: [0, 1]) }
    #expect(error?.code == .typeMismatch)
    #expect(error?.message.hasPrefix("the row at [0, 1] with the key 2 cannot be read: ") == true)
    #expect((error?.cause as? DatabaseError)?.cause is Refusal)

    try database.read { connection in
      let cursor = try connection.fetchCursor(Even.all)
      #expect(try cursor.next()?.id == 1)
      let error = #expect(throws: DatabaseError.self) { try cursor.next() }
      #expect(error?.message.hasPrefix("row 2 (id = 2) cannot be read: ") == true)
      #expect(try cursor.next()?.id == 7)
    }
  }
}
