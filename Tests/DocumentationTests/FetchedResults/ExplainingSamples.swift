import FetchedResults
import FetchedResultsExplaining
import Testing

struct ExplainingSamples {
  @Test func theIndexThatHelpsIsPrinted() throws {
    let database = try Database.library()
    let request = FetchRequest(
      select: "SELECT genre, count(*) AS tracks FROM track GROUP BY genre", key: ["genre"])
    let lines = try printed {
      let explanation = try request.explained(in: database)
      print(explanation.verdict)
      for index in explanation.indexes { print(index.sql) }
    }
    #expect(
      lines == [
        "The versions are compared after each commit: finding a row by genre reads all of track.",
        #"CREATE INDEX "track_genre" ON "track"("genre");"#,
      ])
    try database.write { try $0.execute(#"CREATE INDEX "track_genre" ON "track"("genre")"#) }
    #expect(
      try request.explained(in: database).verdict
        == "A changed row of track costs look-ups only: count(*) has a counter.")
  }
}
