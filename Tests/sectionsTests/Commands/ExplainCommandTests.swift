import Foundation
import SQLiteStorage
import Testing

@testable import sections

@Suite(.timeLimit(.minutes(5))) struct ExplainCommandTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.makeDatabase(
      """
      CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT);
      CREATE TABLE album(id INTEGER PRIMARY KEY, artist INT, title TEXT, year INT);
      INSERT INTO artist VALUES (1, 'a', 'NO'), (2, 'b', 'SE'), (3, 'c', NULL);
      INSERT INTO album VALUES (1, 1, 'x', 1970), (2, 1, 'y', 1980), (3, 2, 'z', 1990);
      CREATE VIRTUAL TABLE words USING fts5(word);
      INSERT INTO words VALUES ('red'), ('blue');
      """)
  }

  private func explain(_ arguments: String...) async throws -> Tool.Result {
    try await Tool.run(["explain", "a.db"] + arguments, in: folder)
  }

  // MARK: - Goldens

  /// A result, by the name of its files.
  struct Golden: Sendable, CustomTestStringConvertible {
    let name: String
    var isOfDemo = false
    let arguments: [String]

    var testDescription: String { name }

    /// The content of the file with the expected output.
    func expected(_ pathExtension: String) throws -> String {
      var folder = URL(filePath: #filePath)
      for _ in 0..<3 { folder.deleteLastPathComponent() }
      let file = folder.appending(path: "Goldens/explain/\(name).\(pathExtension)")
      return try String(contentsOf: file, encoding: .utf8)
    }
  }

  static let goldens = [
    Golden(
      name: "table", isOfDemo: true, arguments: ["track", "--by", "rating", "--sort", "name"]),
    Golden(name: "setting", isOfDemo: true, arguments: ["setting", "--by", "section"]),
    Golden(
      name: "join",
      arguments: [
        "SELECT album.id, name FROM album LEFT JOIN artist ON artist.id = album.artist", "--key",
        "id",
      ]),
    Golden(
      name: "group",
      arguments: [
        """
        SELECT country, count(*) AS n FROM artist JOIN album ON album.artist = artist.id
        GROUP BY country
        """, "--key", "country",
      ]),
    Golden(
      name: "held", isOfDemo: true,
      arguments: [
        "SELECT cover_id, count(*) AS n, max(number) AS last FROM track GROUP BY cover_id",
        "--key", "cover_id",
      ]),
    Golden(
      name: "exists",
      arguments: [
        "SELECT id FROM artist WHERE EXISTS (SELECT 1 FROM album WHERE album.artist = artist.id)",
        "--key", "id",
      ]),
    Golden(
      name: "count", isOfDemo: true,
      arguments: [
        "SELECT id, label, (SELECT count(*) FROM track WHERE cover_id = cover.id) n FROM cover",
        "--key", "id", "--sort", "n:desc",
      ]),
    Golden(
      name: "top",
      arguments: [
        """
        SELECT * FROM (
          SELECT id, artist, row_number() OVER (PARTITION BY artist ORDER BY year, id) AS r FROM album
        ) WHERE r < 3
        """, "--key", "id",
      ]),
    Golden(
      name: "union",
      arguments: ["SELECT title FROM album UNION SELECT name FROM artist", "--key", "title"]),
    Golden(
      name: "average",
      arguments: [
        "artist", "--where", "id > (SELECT avg(artist) FROM album WHERE year > :y)", "-p", "y=1975",
      ]),
    Golden(
      name: "limit",
      arguments: ["SELECT id FROM album ORDER BY year LIMIT 3", "--key", "id"]),
    Golden(
      name: "words", arguments: ["SELECT rowid AS id, word FROM words('red')", "--key", "id"]),
    Golden(name: "content", arguments: ["SELECT title FROM album"]),
  ]

  /// The content of the demo store, made once for all tests.
  private static let demo = Task {
    let folder = try TestFolder()
    let demo = try await Tool.run(
      ["demo", "demo.db", "--dir", Migrations.path, "--quiet"], in: folder)
    try #require(demo.status == 0, "\(demo.stderr)")
    // All of it is in one file.
    let files = try folder.contents()
    try #require(files.count == 1)
    return try #require(files["demo.db"])
  }

  @Test(arguments: goldens, ["txt", "json"])
  func theOutputIsAsInTheFile(_ golden: Golden, _ pathExtension: String) async throws {
    var name = "a.db"
    if golden.isOfDemo {
      name = "demo.db"
      try await Self.demo.value.write(to: URL(filePath: folder.file(name)))
    }
    let format = pathExtension == "txt" ? "list" : "json"
    let result = try await Tool.run(
      ["explain", name] + golden.arguments + ["--format", format, "--no-measure"], in: folder)
    #expect(result.status == 0 && result.stderr.isEmpty, "\(result.stderr)")
    // The steps of a plan are those of the SQLite that wrote the files.
    let isSameSQLite = Connection.sqliteVersion.hasPrefix("3.40.")
    let expected = try golden.expected(pathExtension)
    if format == "list" {
      if isSameSQLite { #expect(result.stdout == expected) }
      #expect(result.stdout.lastingLines == expected.lastingLines)
    } else {
      if isSameSQLite { #expect(result.stdout == expected) }
      _ = try JSONDecoder().decode(Printed.self, from: Data(result.stdout.utf8))
    }
  }

  /// What programs read.
  private struct Printed: Decodable {
    struct Derivation: Decodable {
      let table, schema, effect, summary: String
      let reason: String?
      let queries: [Query]
    }

    struct Query: Decodable {
      let finds, sql: String
      let obstacle: String?
      let plan: [Step]
    }

    struct Step: Decodable {
      let detail: String
      let obstacle: Bool
      let parts: [Step]
    }

    struct Index: Decodable {
      let table, sql: String
      let columns: [String]
    }

    let verdict, summary: String
    let reason, source, verdictWithIndexes: String?
    let key: [String]
    let copied: Bool
    let held: [String]
    let derivations: [Derivation]
    let row: Query?
    let indexes: [Index]
  }

  // MARK: - Measuring

  @Test func aRowOfEachTableIsMeasured() async throws {
    let text = try await explain("artist")
    #expect(
      text.lines.contains {
        $0.wholeMatch(
          of: /│  └─ measured: row 2 leads to 1 key of the result, which takes [0-9.]+ (µs|ms)/)
          != nil
      })
    let json = try await explain("artist", "--format", "json")
    let object = try JSONSerialization.jsonObject(with: Data(json.stdout.utf8)) as? [String: Any]
    let derivation = (object?["derivations"] as? [[String: Any]])?.first
    let cost = derivation?["cost"] as? [String: Any]
    #expect(cost?["keys"] as? Int == 1 && cost?["row"] as? String == "2")
    #expect((cost?["seconds"] as? Double ?? 0) > 0)
  }

  @Test func theFilesStayAsTheyAre() async throws {
    let before = try folder.contents()
    _ = try await explain("album", "--where", "artist IN (SELECT id FROM artist)")
    _ = try await explain("SELECT artist, count(*) FROM album GROUP BY 1", "--key", "artist")
    #expect(try folder.contents() == before)
    #expect(try folder.temporaryFiles().isEmpty)
  }

  @Test func theSuggestedStatementCanBeRun() async throws {
    let arguments = ["SELECT artist, count(*) FROM album GROUP BY 1", "--key", "artist"]
    let first = try await Tool.run(["explain", "a.db"] + arguments, in: folder)
    let statement = try #require(first.lines.last)
    #expect(statement.hasPrefix("CREATE INDEX "))
    let connection = try Connection(path: folder.file("a.db"))
    try connection.execute(script: statement)
    let second = try await Tool.run(["explain", "a.db"] + arguments, in: folder)
    let verdict = "A changed row of album costs look-ups only: count(*) has a counter."
    #expect(second.lines.first == verdict)
    #expect(second.lines.allSatisfy { !$0.hasPrefix("CREATE") })
  }

  // MARK: - Output

  @Test func longLinesContinueButNoStatement() async throws {
    let result = try await explain(
      "SELECT artist, count(*) FROM album GROUP BY 1", "--key", "artist", "--width", "40",
      "--no-measure")
    let statement = try #require(result.lines.last)
    #expect(statement.count > 40)
    for line in result.lines.dropLast() {
      // A word is never divided.
      #expect(line.count <= 40 || !line.drop { "│├└─ ".contains($0) }.contains(" "), "\(line)")
    }
    #expect(result.lines.first == "The versions are compared after each")
  }

  @Test func controlCharactersAreEscaped() async throws {
    try folder.makeDatabase(
      "CREATE TABLE \"a\u{1B}[2J\"(id INTEGER PRIMARY KEY, x)", named: "evil.db")
    let result = try await Tool.run(["explain", "evil.db", "a\u{1B}[2J"], in: folder)
    #expect(result.status == 0 && !result.stdout.contains("\u{1B}"))
  }

  // MARK: - Errors

  @Test func errorsAreThoseOfQuery() async throws {
    try await explain("nothing").expectFailure(65, "there is no table or view nothing")
    try await explain("SELECT gone FROM album").expectFailure(65, "no such column: gone")
    try await explain("album", "--where", "id > :n").expectFailure(65, ":n has no value")
    try await explain("album", "--where", "id > random()").expectFailure(65, "random")
    try await explain("album", "--key", "nothing").expectFailure(65, "there is no column nothing")
    try await explain("album", "--sort", "id:up").expectFailure(64, "up is not one of")
    Tool.parse(["explain", "a.db"]).expectFailure(64, "source", "sections explain --help")
    Tool.parse(["explain", "a.db", "album", "--format", "csv"]).expectFailure(
      64, "'csv' is invalid for '--format <format>'. Please provide one of 'list' and 'json'.")
    try await Tool.run(["explain", "gone.db", "t"], in: folder).expectFailure(66, "gone.db")
    try folder.write("no database, but long enough to be read as a header of one", to: "text.db")
    try await Tool.run(["explain", "text.db", "t"], in: folder).expectFailure(74, "text.db")
  }

  @Test func aSelectIsReadFromStandardInput() async throws {
    let result = try await Tool.run(
      ["explain", "a.db", "-", "--key", "id"], in: folder, stdin: "SELECT id FROM album;\n")
    #expect(result.lines.first == "A changed row of album costs look-ups only.")
  }
}

extension String {
  /// The lines that do not depend on SQLite's plans: the first two, and the statements.
  fileprivate var lastingLines: [Substring] {
    let lines = split(separator: "\n")
    return lines.prefix(2) + lines.dropFirst(2).filter { $0.hasPrefix("CREATE ") }
  }
}
