import Foundation
import RowQueries
import Testing

@testable import SectionsServer

/// A list as a SELECT.
@Suite(.timeLimit(.minutes(20))) struct SelectTests {
  private static let schema = """
    CREATE TABLE "a ?"(id INTEGER PRIMARY KEY, "it's ?" TEXT, n INTEGER, "x""y");
    INSERT INTO "a ?" VALUES (1, 'Ella', 5, '5'), (2, 'O''Hara', NULL, 5), (3, '50% off', 7, 5.5),
      (4, 'ella', -3, x'00ff'), (5, '?', 9, NULL);
    CREATE VIRTUAL TABLE words USING fts5("it's ?", content="a ?", content_rowid=id);
    INSERT INTO words(words) VALUES ('rebuild');
    """
  private static let name = "it's ?"

  /// - Returns: the rows of a list, and their order.
  private func rows(_ server: TestServer, _ list: String) async throws -> [String] {
    let answer = try await server.get("/api/rows?\(list)", ["Sections-SQL": "run"])
    try #require(answer.status == 200, "\(list): \(answer.text)")
    let window = try #require(try answer.json["window"] as? [[String: Any]])
    return try window.compactMap { $0["row"] }.map {
      String(
        decoding: try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys),
        as: UTF8.self)
    }
  }

  @Test(arguments: [
    "", "sort=n:desc", "sort=n:nullslast", "sort=\(name):nocase:desc&sort=id:desc", "by=n",
    "by=n&sort=n:desc", "by=n&sort=id:desc", "columns=id&columns=\(name)", "where=n:eq:5",
    "where=x\"y:eq:5", "where=x\"y:is:5", "where=x\"y:is:'5'", "where=x\"y:ne:5",
    "where=n:not-lt:6",
    "where=n:between:5:7", "where=n:within:5:7", "where=\(name):eq:O'Hara", "where=\(name):eq:?",
    "where=\(name):contains:%25 o", "where=\(name):begins:ell", "where=:contains:ell",
    "where=:not-contains:ell", "where=\(name):matches:ella", "where=:matches:ella",
    "where=n:null", "where=x\"y:notnull&where=n:gt:0&or=n:null",
    "where=n:eq:5&or=n:eq:7&where=id:lt:3", "where=id:eq:2&where=:contains:ell",
    "where=:contains:off&or=:contains:hara&where=id:eq:3",
  ]) func aListAndItsSelectHaveTheSameRows(_ parameters: String) async throws {
    let server = try await TestServer(Self.schema)
    let items = parameters.replacing("%25", with: "%").split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1)
      return "\(parts[0])=\(QueryItems.encoded(String(parts[1])))"
    }
    let list = (["source=\(QueryItems.encoded("a ?"))"] + items).joined(separator: "&")
    let answer = try await server.json("/api/sql?\(list)")
    let sql = try #require(answer["sql"] as? String)
    #expect(
      try await rows(server, "sql=\(QueryItems.encoded(sql))") == rows(server, list), "\(sql)")
  }

  @Test func aSelectIsWrittenForPeople() async throws {
    let server = try await TestServer(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, n INTEGER)")
    let list = "source=t&columns=id&columns=name&where=n:gt:5&where=name:eq:O%27Hara&sort=n:desc"
    #expect(
      try await server.json("/api/sql?\(list)")["sql"] as? String == """
        SELECT "id", "name"
        FROM "t"
        WHERE "n" > 5
          AND "name" = 'O''Hara'
        ORDER BY "n" DESC
        """)
    #expect(try await server.get("/api/sql?source=t&where=x:eq:1").status == 400)
    #expect(try await server.get("/api/sql?source=missing").status == 404)
  }

  @Test func aGivenSourceKeepsItsConditionAndItsColumns() async throws {
    let server = try await TestServer("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)") { options in
      options.given = [GivenSource(.init("t", condition: "a > 1 -- so", columns: ["b,a"]))]
    }
    try server.write("INSERT INTO t VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3)")
    let sql = try #require(try await server.json("/api/sql?where=b:lt:3")["sql"] as? String)
    let given = try await rows(server, "where=b:lt:3")
    #expect(given.count == 1)
    #expect(try await rows(server, "sql=\(QueryItems.encoded(sql))") == given, "\(sql)")
  }

  /// The given order is by the expression of the given sections.
  @Test(arguments: ["by=length(a)", "by=b", ""])
  func aGivenOrderThatDoesNotFitOtherSectionsIsLeftOut(_ by: String) async throws {
    let server = try await TestServer("CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)") { options in
      options.given = [
        GivenSource(.init("t", by: "length(a)", sort: ["length(a):desc", "a:desc"]))
      ]
    }
    try server.write("INSERT INTO t VALUES (1, 'x', 2), (2, 'yyy', 2), (3, 'z', 1)")
    let list = "source=t&\(by)&sort=length(a):desc&sort=a:desc"
    let sql = try #require(try await server.json("/api/sql?\(list)")["sql"] as? String)
    let shown = try await rows(server, list)
    #expect(shown.count == 3)
    #expect(try await rows(server, "sql=\(QueryItems.encoded(sql))") == shown, "\(sql)")
  }

  @Test func aGivenSelectMayEndInASemicolon() async throws {
    let server = try await TestServer("CREATE TABLE t(id INTEGER PRIMARY KEY, a)") { options in
      options.given = [GivenSource(.init(select: "SELECT id, a FROM t;\n"))]
    }
    try server.write("INSERT INTO t VALUES (1, 1), (2, 2)")
    let sources = try await server.json("/api/sources")["sources"] as? [[String: Any]]
    #expect(sources?.first?["count"] as? Int == 2)
    let sql = try #require(try await server.json("/api/sql?where=a:lt:2")["sql"] as? String)
    #expect(try await rows(server, "sql=\(QueryItems.encoded(sql))").count == 1, "\(sql)")
  }
}
