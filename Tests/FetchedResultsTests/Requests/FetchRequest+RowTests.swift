import FetchedResults
import Foundation
import SQLiteStorage
import Testing

struct FetchRequestRowTests {
  private func values(
    _ request: FetchRequest<Row>, by key: SectionKey<Row>? = nil
  ) throws -> [[Value]]? {
    let provider = try FetchedResultsProvider(
      database: try Track.store(), request: request, sectionedBy: key)
    try provider.performFetch()
    try provider.expectConsistent()
    return provider.fetchedObjects?.map(\.values)
  }

  @Test func aRowHasAllColumns() throws {
    #expect(
      try values(FetchRequest(table: "track").filter("id < 3"))
        == [[1, "Blue", "Jazz", 300], [2, "Anthem", "Rock", 200]])
  }

  @Test func columnsAreReadInTheOrderAskedFor() throws {
    let request = FetchRequest(table: "track").filter("id < 3")
    #expect(try values(request.columns(["NAME", "id"])) == [["Blue", 1], ["Anthem", 2]])
    #expect(try values(request.columns(["id", "id"])) == [[1, 1], [2, 2]])
    #expect(try values(request.columns([] as [String]))?.count == 2)
  }

  @Test func conditionsOrdersAndSectionsMayUseColumnsThatAreNotRead() throws {
    let request = FetchRequest(table: "track").columns(["id"]).filter("milliseconds > 100")
      .sorted(by: \Row["name"])
    #expect(try values(request, by: .property(\Row["genre"])) == [[4], [5], [1], [2]])
    #expect(
      try values(
        FetchRequest(select: "SELECT * FROM track").columns(["id"]).sorted(by: \Row["name"]))
        == [[5], [2], [1], [4], [3]])
  }

  @Test func theRowIDOfATableWithoutADeclaredKeyMayBeSortedBy() throws {
    let store = try Database.store("CREATE TABLE t(a); INSERT INTO t VALUES ('x'), ('y');")
    let provider = try FetchedResultsProvider(
      database: store,
      request: FetchRequest(table: "t").filter("\(\Row["rowid"]) > \(0)")
        .sorted(by: \Row["rowid"], .descending))
    #expect(try provider.fetchedLines() == ["all: 2 1"])
    #expect(provider.fetchedObjects?.map(\.values) == [["y"], ["x"]])
    try provider.expectConsistent()
  }

  @Test func tablesOfZeroRowsOrOfOneColumnWork() throws {
    #expect(try values(FetchRequest(table: "track").filter("0")) == [])
    #expect(try values(FetchRequest(select: "SELECT 1 WHERE 0")) == [])
    #expect(try values(FetchRequest(select: "SELECT NULL")) == [[.null]])
    #expect(try values(FetchRequest(select: "VALUES (1), (2)")) == [[1], [2]])
  }

  @Test func aRowIsFoundByItsKey() throws {
    let provider = try FetchedResultsProvider(
      database: try Track.store(), request: FetchRequest(table: "track").columns(["name", "ID"]))
    try provider.performFetch()
    let row = try provider.object(at: [0, 3])
    #expect(try provider.indexPath(for: row) == [0, 3])
  }
}
