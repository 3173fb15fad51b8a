import FetchedResults
import Testing

struct LiveQueriesSamples {
  @Test func maintenanceSaysWhyVersionsAreCompared() throws {
    let database = try Database.library()
    let request = FetchRequest(
      select: "SELECT genre, count(*) AS tracks FROM track GROUP BY genre", key: ["genre"])
    let provider = try FetchedResultsProvider(database: database, request: request)
    try provider.performFetch()
    guard case .comparison(let reason)? = provider.maintenance else {
      Issue.record("\(String(describing: provider.maintenance))")
      return
    }
    #expect(reason.contains("genre"))
  }
}
