import RowQueries
import SQLiteStorage
import Testing

@testable import SectionsServer

/// What is said of an error, and when.
@Suite(.timeLimit(.minutes(10))) struct ErrorTests {
  private static let schema = """
    CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT, ms INTEGER);
    INSERT INTO track VALUES (1, 'So What', 562);
    CREATE VIEW long AS SELECT * FROM track WHERE ms > 500;
    """

  @Test(arguments: [
    (GivenSource(.init("track", condition: "ms >")), "the SQL ends too early", nil),
    (GivenSource(.init("track", condition: "name > date('now')")), "date", nil),
    (GivenSource(.init("track", condition: "nope = 1")), "no such column: nope", nil),
    (GivenSource(.init("track", by: "substr(nope, 1)")), "no such column: nope", nil),
    (GivenSource(.init("long", condition: "ms >")), "incomplete input", nil),
    (GivenSource(.init(select: "SELECT random() AS x FROM track")), "random", nil),
    (
      GivenSource(.init(select: "SELECT id FROM track", condition: "ms > 1")), "no such column: ms",
      nil
    ),
    (
      GivenSource(.init("track", condition: "ms > :n")), "the parameter :n has no value",
      "Give a value for :n"
    ),
    (
      GivenSource(.init(select: "SELECT * FROM track WHERE ms > :n")),
      "the parameter :n has no value",
      "Give a value for :n"
    ),
    (
      GivenSource(.init("track", condition: "ms > :n"), list: "a"),
      "the parameter :n has no value", "Give a value for :n"
    ),
  ])
  func theGivenSourceIsCheckedCompletely(
    _ source: GivenSource, _ message: String, _ step: String?
  ) throws {
    let database = try Database.inMemory()
    try database.withWriter { try $0.execute(script: Self.schema) }
    let thrown = #expect(throws: (any Error).self) { try source.check(in: database) }
    let error = RequestError(try #require(thrown))
    #expect(error.status == 400)
    #expect(error.message.contains(message), "\(error.message)")
    if let step { #expect(error.nextStep == step) }
  }

  @Test(arguments: [
    GivenSource(
      .init(
        "track", condition: "ms > 5", by: "substr(name, 1, 1)",
        sort: ["substr(name, 1, 1):desc", "ms"])),
    GivenSource(
      .init("long", condition: "ms > :n", parameters: ["n": .integer(5)], key: "id"), list: "a"),
    GivenSource(.init(select: "SELECT max(ms) FROM track")),
  ])
  func aCorrectSourceIsAccepted(_ source: GivenSource) throws {
    let database = try Database.inMemory()
    try database.withWriter { try $0.execute(script: Self.schema) }
    try source.check(in: database)
  }

  @Test func whatNeverPassesIsNotToBeTriedAgain() {
    for code in [ResultCode.error, .tooBig, .mismatch, .constraint, .notAuthorized, .range] {
      let error = RequestError(DatabaseError(.sqlite, "no", resultCode: code))
      #expect(error.status == 400)
      #expect(error.nextStep == "Change the request, or the source")
    }
    let wide = DatabaseError(.statementRefused, "too wide", nextStep: "Name fewer columns")
    #expect(RequestError(wide).status == 400)
    let busy = RequestError(DatabaseError(.sqlite, "no", resultCode: .busy))
    #expect(busy.status == 503)
    #expect(busy.nextStep == "Try again")
  }

  @Test func aReplacedFileIsToBeTriedAgainSoon() {
    let error = RequestError(DatabaseError(.fileReplaced, "the file was replaced"))
    #expect(error.status == 503)
    #expect(error.retryAfter == 1)
  }

  @Test func aMissingValueIsAnErrorOfTheRequest() async throws {
    let server = try await TestServer(Self.schema) {
      $0.given = [GivenSource(.init("track", condition: "ms > :n"))]
    }
    #expect(try await server.get("/api/rows?source=track").status == 400)
  }

  @Test(arguments: [
    (
      "where=name:like:x", "there is no operator like",
      "The operators are is, eq, ne, lt, le, gt, ge, between, within, contains, begins, null, notnull and "
        + "matches; not- before one negates it"
    ),
    (
      "where=name", "the condition name is not COLUMN:OPERATOR:VALUE",
      "The operators are is, eq, ne, lt, le, gt, ge, between, within, contains, begins, null, notnull and "
        + "matches; not- before one negates it"
    ),
    (
      "sort=name:up",
      "sort name:up: up is not one of asc, desc, nocase, rtrim, nullsfirst, nullslast",
      "Write sort=COLUMN, or for example sort=COLUMN:desc"
    ),
  ])
  func theParameterAndWhatToWriteAreNamed(
    _ parameter: String, _ message: String, _ step: String
  ) async throws {
    let server = try await TestServer(Self.schema)
    let answer = try await server.get("/api/rows?source=track&\(parameter)")
    #expect(answer.status == 400)
    #expect(
      try answer.json["error"] as? [String: String] == ["message": message, "nextStep": step])
  }

  @Test func thePageOfAnErrorBeginsWithACapitalLetter() async throws {
    let server = try await TestServer(Self.schema)
    let page = try await server.get("/?source=nothing")
    #expect(page.text.contains("<h1>There is no table or view nothing.</h1>"))
    #expect(page.text.contains("All tables and views"))
  }

  @Test func thePageOfWhatMaySucceedLaterHasALinkToItself() async throws {
    let server = try await TestServer(
      """
      CREATE VIEW slow AS WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c
        WHERE i < 1000000000) SELECT count(*) AS n FROM c;
      """
    ) {
      $0.limits.queryTime = .milliseconds(200)
      $0.limits.countTime = .milliseconds(50)
    }
    let page = try await server.get("/?source=slow")
    #expect(page.status == 504)
    #expect(page.text.contains("<a href=\"\">Try again</a>"))
    // It would not by itself.
    #expect(page.headers["refresh"] == nil)
    #expect(try await !server.get("/?source=nothing").text.contains("Try again"))
  }

  @Test func whoHasNoTokenIsToldWhereItIs() async throws {
    let server = try await TestServer(Self.schema) { $0.token = "0123456789abcdef" }
    let page = try await server.get("/")
    #expect(page.text.contains("<h1>The token is missing or wrong.</h1>"))
    #expect(page.text.contains("with its ?token=; a program sends Authorization: Bearer TOKEN."))
    // It would lead to the same page.
    #expect(!page.text.contains("All tables and views"))
  }

  @Test func whoUsesANameIsToldToUseANumber() async throws {
    let server = try await TestServer(Self.schema)
    let answer = try await server.get("/api/sources", ["Host": "machine.local:8080"])
    let error = try answer.json["error"] as? [String: String]
    #expect(error?["message"] == "the server does not answer to the name machine.local:8080")
    #expect(error?["nextStep"]?.contains("numeric address") == true)
    #expect(error?["nextStep"]?.contains("a proxy must send Host: localhost") == true)
  }
}

extension RequestError {
  fileprivate init(_ error: any Error) {
    self.init(error, Terms(queryTime: .seconds(5), namesFiles: true))
  }
}
