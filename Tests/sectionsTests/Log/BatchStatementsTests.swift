import FetchedResults
import SQLiteStorage
import TableDataTesting
import Testing

@testable import sections

/// Random transactions on tables with unique columns, triggers and foreign keys: the statements of each batch, run in a
/// copy of the file as it was, make it the file as it is.
@Suite(.timeLimit(.minutes(20))) struct BatchStatementsTests {
  private static let schema = """
    CREATE TABLE u(
      id INTEGER PRIMARY KEY, a TEXT UNIQUE COLLATE NOCASE, b UNIQUE, c, UNIQUE (b, c));
    CREATE UNIQUE INDEX part ON u(c) WHERE b > 3; CREATE UNIQUE INDEX sums ON u(a || '/' || b);
    CREATE TABLE v(
      k TEXT PRIMARY KEY, x COLLATE RTRIM, y, g AS (x || y) UNIQUE, UNIQUE (x, y) ON CONFLICT REPLACE)
      WITHOUT ROWID;
    CREATE TABLE child(
      id INTEGER PRIMARY KEY, parent REFERENCES u(id) ON DELETE CASCADE ON UPDATE CASCADE, n);
    CREATE TABLE audit(id INTEGER PRIMARY KEY, what UNIQUE, n);
    CREATE TABLE total(id INTEGER PRIMARY KEY, n); INSERT INTO total VALUES (1, 0);
    CREATE VIEW names AS SELECT a AS name FROM u;
    CREATE TRIGGER inserted AFTER INSERT ON u BEGIN
      INSERT INTO audit(what, n) SELECT new.id || '.' || n, 1 FROM total; END;
    CREATE TRIGGER updated BEFORE UPDATE OF b ON u WHEN new.b IS NOT old.b BEGIN
      UPDATE OR IGNORE v SET y = new.b WHERE k = old.id % 5; END;
    CREATE TRIGGER deleted AFTER DELETE ON v BEGIN DELETE FROM audit WHERE id % 3 = 0; END;
    CREATE TRIGGER counted AFTER INSERT ON audit BEGIN UPDATE total SET n = n + 1; END;
    CREATE TRIGGER named INSTEAD OF INSERT ON names BEGIN
      INSERT OR IGNORE INTO u(a) VALUES (new.name); END;
    CREATE VIRTUAL TABLE words USING fts5(a, content = 'u', content_rowid = 'id');
    CREATE TRIGGER words_1 AFTER INSERT ON u BEGIN
      INSERT INTO words(rowid, a) VALUES (new.id, new.a); END;
    CREATE TRIGGER words_2 AFTER DELETE ON u BEGIN
      INSERT INTO words(words, rowid, a) VALUES ('delete', old.id, old.a); END;
    CREATE TRIGGER words_3 AFTER UPDATE ON u BEGIN
      INSERT INTO words(words, rowid, a) VALUES ('delete', old.id, old.a);
      INSERT INTO words(rowid, a) VALUES (new.id, new.a); END;
    """

  @Test(arguments: SeededGenerator.seeds(20))
  func aCopyFollowsTheFile(seed: UInt64) async throws {
    let folder = try TestFolder()
    let path = try folder.makeDatabase(Self.schema, journalMode: "WAL")
    let writer = try Connection(path: path)
    try writer.execute(SQL(verbatim: "PRAGMA foreign_keys = \(seed % 3 == 0)"))
    try writer.execute("PRAGMA recursive_triggers = ON")
    let copy = try Connection(path: folder.file("copy.db"), access: .readWriteCreate)
    try writer.copy(to: copy)
    try copy.execute("PRAGMA synchronous = OFF")
    let database = try Database(path: path)
    var log = database.changes().makeAsyncIterator()
    _ = try await log.begin()
    var random = SeededGenerator(seed: seed)
    for number in 1...15 {
      var trace: [String] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        try writer.transaction {
          for _ in 0..<Int.random(in: 1...6, using: &random) {
            trace += try Self.change(writer, &random)
          }
        }
      }
      try writer.execute("UPDATE total SET n = n + 100")
      let changes = try #require(try await log.next())
      var batch = try BatchStatements(changes) { _ in true }
      let script = String(decoding: try batch.bytes(), as: UTF8.self)
      // As if the user's connection enforced them.
      try copy.execute("PRAGMA foreign_keys = ON")
      let comment: Comment = "seed \(seed), batch \(number): \(trace)\n\(script)"
      do {
        try copy.execute(script: script)
        // Throws if the index does not have the words of the table.
        try copy.execute("INSERT INTO words(words, rank) VALUES ('integrity-check', 1)")
      } catch {
        Issue.record("\(error) \(comment)")
        return
      }
      try #require(try Self.contents(copy) == Self.contents(writer), comment)
    }
  }

  /// Changes something, or nothing if a constraint forbids it.
  ///
  /// - Returns: the statements.
  private static func change(
    _ writer: Connection, _ random: inout SeededGenerator
  ) throws -> [String] {
    let number = Int.random(in: 0..<7, using: &random)
    let values = (0..<3).map { _ in value(&random) }
    let list = values.joined(separator: ", ")
    let statements: [String]
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<3: statements = ["INSERT OR IGNORE INTO u(a, b, c) VALUES (\(list))"]
    case 3: statements = ["INSERT INTO names VALUES (\(values[0]))"]
    case 4: statements = ["DELETE FROM u WHERE id % 7 = \(number)"]
    case 5: statements = ["INSERT INTO v(k, x, y) VALUES (\(list))"]
    case 6: statements = ["UPDATE OR IGNORE v SET x = \(values[0]) WHERE k = \(number)"]
    case 7: statements = ["UPDATE OR REPLACE u SET c = \(values[0]) WHERE id % 5 = \(number)"]
    case 8: statements = ["INSERT INTO child(parent, n) SELECT id, \(number) FROM u LIMIT 2"]
    case 9: statements = ["DELETE FROM v WHERE k = \(number)"]
    default:
      let columns = [("u", "id", "a"), ("u", "id", "b"), ("u", "id", "c"), ("v", "k", "x")]
      let (table, key, column) = columns[Int.random(in: 0..<4, using: &random)]
      statements = try exchange(column, key, of: table, writer, &random)
    }
    for sql in statements {
      do { try writer.execute(SQL(verbatim: sql)) } catch { continue }
    }
    return statements
  }

  /// Gives the values of a column to other rows.
  private static func exchange(
    _ column: String, _ key: String, of table: String, _ writer: Connection,
    _ random: inout SeededGenerator
  ) throws -> [String] {
    let count = Int.random(in: 0..<7, using: &random)
    let rows = try writer.rows("SELECT \(key), \(column) FROM \(table) ORDER BY 1" as String)
      .shuffled(using: &random).prefix(count)
    let keys = rows.map { $0.values[0].literal }
    let values = rows.map { $0.values[1].literal }.shuffled(using: &random)
    let list = keys.joined(separator: ", ")
    return ["UPDATE \(table) SET \(column) = NULL WHERE \(key) IN (\(list))"]
      + zip(keys, values).map { "UPDATE \(table) SET \(column) = \($1) WHERE \(key) = \($0)" }
  }

  private static func value(_ random: inout SeededGenerator) -> String {
    let number = Int.random(in: 0..<7, using: &random)
    return switch Int.random(in: 0..<8, using: &random) {
    case 0: "NULL"
    case 1...3: "\(number)"
    case 4: "\(number).0"
    case 5: ["'a'", "'A'", "'b '", "'b'", "'7'"].randomElement(using: &random) ?? "''"
    case 6: "x'0\(number)'"
    default: "'t\(Int.random(in: 0..<40, using: &random))'"
    }
  }

  private static func contents(_ connection: Connection) throws -> [[Row]] {
    try ["u", "v", "child", "audit", "total", "words"].map { table in
      try connection.rows(SQL(verbatim: "SELECT * FROM \(table) ORDER BY 1"))
    }
  }
}
