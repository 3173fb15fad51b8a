import FetchedResults
import SQLiteStorage
import Testing

struct PerformanceSamples {
  private func describe(_ request: FetchRequest<Row>) throws -> [String] {
    let provider = try FetchedResultsProvider(database: try Database.library(), request: request)
    try provider.performFetch()
    return printed {
      switch provider.maintenance {
      case .touchedRows: print("from the rows that were touched")
      case .partlyTouchedRows(let reason): print("sometimes by comparison:", reason)
      case .comparison(let reason): print("by comparison:", reason)
      case nil: print("nothing has been fetched yet")
      }
    }
  }

  @Test func maintenanceSaysHowAListIsKeptTrue() throws {
    let grouped = FetchRequest(
      select: "SELECT genre, count(*) AS tracks FROM track GROUP BY genre", key: ["genre"])
    let plain = FetchRequest(select: "SELECT id, name FROM track", key: ["id"])
    #expect(try describe(grouped).first?.hasPrefix("by comparison: ") == true)
    #expect(try describe(plain) == ["from the rows that were touched"])
  }
}
