import FetchedResults
import FetchedResultsExplaining
import Testing

struct ExplainingSamples {
  @Test func anExplanationEndsWithTheIndexesThatHelp() throws {
    let database = try Database.library()
    let request = FetchRequest(
      select: "SELECT genre, count(*) AS tracks FROM track GROUP BY genre", key: ["genre"])
    let lines = try printed {
      let explanation = try request.explained(in: database)
      print(explanation)
      for index in explanation.indexes { print(index.sql) }
    }
    #expect(lines.count > 1 && lines.last == #"CREATE INDEX "track_genre" ON "track"("genre");"#)
  }
}
