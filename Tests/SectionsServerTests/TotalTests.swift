import RowQueries
import SQLiteStorage
import Testing

@testable import SectionsServer

/// The totals that a URL names, and the sections with them.
@Suite(.timeLimit(.minutes(10))) struct TotalTests {
  private static let schema = """
    CREATE TABLE track(id INTEGER PRIMARY KEY, genre TEXT, ms INTEGER, "a)b:c" INTEGER, cover);
    INSERT INTO track VALUES (1, 'Jazz', 100, 1, NULL), (2, 'Jazz', 300, 2, NULL), (3, 'Rock', 50, 3, NULL);
    """

  @Test func eachSectionAndAllRowsHaveTheirTotals() async throws {
    let server = try await TestServer(Self.schema)
    let list =
      "source=track&by=genre&total=sum:ms&total=avg:ms&total=min:ms&total=max:ms&total=count:ms"
    let rows = try await server.json("/api/rows?\(list)")
    let totals = try #require(rows["totals"] as? [String: Double])
    #expect(
      totals == ["sum(ms)": 450, "avg(ms)": 150, "min(ms)": 50, "max(ms)": 300, "count(ms)": 3])
    let answer = try await server.json("/api/sections?\(list)")
    #expect(answer["more"] as? Bool == false)
    let sections = try #require(answer["sections"] as? [[String: Any]])
    #expect(sections.map { $0["section"] as? String } == ["Jazz", "Rock"])
    #expect(sections.map { $0["line"] as? Int } == [0, 3])
    #expect(sections.map { $0["count"] as? Int } == [2, 1])
    #expect(sections.map { ($0["totals"] as? [String: Double])?["sum(ms)"] } == [400, 50])
    let first = try await server.json("/api/sections?\(list)&count=1")
    #expect((first["sections"] as? [Any])?.count == 1)
    #expect(first["more"] as? Bool == true)
    let whole = try await server.json("/api/sections?source=track")
    #expect((whole["sections"] as? [Any])?.isEmpty == true)
  }

  @Test func totalsFollowTheRows() async throws {
    let server = try await TestServer(Self.schema)
    let client = try await server.events(
      "/api/events?source=track&by=genre&total=sum:ms&from=0&count=20")
    let first = try await client.event("window").json
    #expect((first["totals"] as? [String: Int]) == ["sum(ms)": 450])
    try server.write("UPDATE track SET ms = 1000 WHERE id = 3")
    let next = try await client.event("changes").json
    #expect((next["totals"] as? [String: Int]) == ["sum(ms)": 1400])
    let patch = try #require(next["patch"] as? [Any])
    let headers = patch.compactMap { ($0 as? [String: Any])?["header"] as? [String: Any] }
    #expect(headers.contains { $0["totals"] as? [String: Int] == ["sum(ms)": 1000] })
  }

  /// A total is a column, and never SQL.
  @Test(arguments: [
    "sum", "sum:", "sum(ms)", "total:ms", "sum:ms + 1", "sum:(SELECT 1)", "sum:nope", ":ms",
    "sum:ms&total=sum:ms",
  ])
  func anythingElseIsRefused(_ total: String) async throws {
    let server = try await TestServer(Self.schema)
    let text = total.contains("&") ? total : QueryItems.encoded(total)
    #expect(try await server.get("/api/rows?source=track&total=\(text)").status == 400)
  }

  @Test func aColumnMayHaveAnyName() async throws {
    let server = try await TestServer(Self.schema)
    let rows = try await server.json(
      "/api/rows?source=track&total=\(QueryItems.encoded("sum:a)b:c"))")
    #expect(rows["totals"] as? [String: Int] == ["sum(a)b:c)": 6])
  }

  @Test func longValuesAreShownAsInARow() async throws {
    let server = try await TestServer(Self.schema)
    try server.write("UPDATE track SET cover = zeroblob(100000) WHERE id = 1")
    for path in ["rows", "sections"] {
      let list = "source=track&by=genre&total=max:cover&count=10"
      let answer = try await server.get("/api/\(path)?\(list)")
      #expect(answer.body.count < 3_000)
      #expect(answer.text.contains("{\"blob\":100000"))
    }
  }

  @Test func theTotalsOfASourceAreKept() async throws {
    let server = try await TestServer(Self.schema) {
      $0.given = [
        GivenSource(
          .init(
            "track", totals: ["count", "sum(ms)"].compactMap { .init(argument: $0) }))
      ]
    }
    let rows = try await server.json("/api/rows?source=track&total=sum:ms&total=max:ms")
    #expect(rows["totals"] as? [String: Int] == ["count": 3, "sum(ms)": 450, "max(ms)": 300])
    let typed = try await server.get(
      "/api/rows?sql=SELECT+ms+AS+x+FROM+track&total=sum:x", ["Sections-SQL": "run"])
    #expect(try typed.json["totals"] as? [String: Int] == ["sum(x)": 450])
  }
}
