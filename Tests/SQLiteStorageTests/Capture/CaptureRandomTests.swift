import TableDataTesting
import Testing

@testable import SQLiteStorage

/// Random transactions over every kind of table, against a comparison of all rows.
@Suite(.enabled(if: Connection.supportsPreupdateHook), .timeLimit(.minutes(10)))
struct CaptureRandomTests {
  private static let schema = """
    CREATE TABLE plain(id INTEGER PRIMARY KEY, a, b UNIQUE);
    CREATE TABLE keyless(a, b);
    CREATE TABLE texty(code TEXT PRIMARY KEY COLLATE NOCASE, a);
    CREATE TABLE pair(
      v AS (a || '!'), a TEXT, s AS (n * 2) STORED, n REAL, w AS (1), note,
      PRIMARY KEY(n, a)) WITHOUT ROWID;
    CREATE TABLE dated(note, day DATE, code, PRIMARY KEY(code, day DESC)) WITHOUT ROWID;
    CREATE TABLE generated(
      id INTEGER PRIMARY KEY, v AS (a * 2), a INTEGER, s AS (a + 1) STORED, u AS (a % 7) UNIQUE);
    CREATE TABLE parent(id INTEGER PRIMARY KEY, name);
    CREATE TABLE child(
      id INTEGER PRIMARY KEY, parent REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE, note);
    CREATE TABLE tag(child REFERENCES child ON DELETE SET NULL, label);
    CREATE TABLE log(entry);
    CREATE TABLE image(id INTEGER PRIMARY KEY, bytes BLOB);
    CREATE TABLE copy(id INTEGER PRIMARY KEY, a, b UNIQUE);
    CREATE TRIGGER note_update AFTER UPDATE ON plain BEGIN
      INSERT INTO log VALUES (new.id);
      DELETE FROM keyless WHERE a = old.id;
    END;
    CREATE TRIGGER note_delete BEFORE DELETE ON plain BEGIN
      UPDATE pair SET note = 'gone' WHERE n = old.id;
    END;
    """

  private static let tables = [
    TruthTable("plain"), TruthTable("keyless"), TruthTable("texty"),
    TruthTable("pair", key: ["n", "a"]), TruthTable("dated", key: ["code", "day"]),
    TruthTable("generated"), TruthTable("parent"), TruthTable("child"), TruthTable("tag"),
    TruthTable("log"), TruthTable("image"), TruthTable("copy"),
  ]

  /// Each `?` is a small random number.
  private static let statements = [
    "INSERT INTO plain VALUES (?, ?, ?)",
    "INSERT INTO plain(a, b) VALUES (?, ?), (?, ?)",
    "INSERT OR REPLACE INTO plain VALUES (?, ?, ?)",
    "INSERT OR IGNORE INTO plain VALUES (?, ?, ?), (?, ?, ?)",
    "INSERT INTO plain VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET a = excluded.a + 1",
    "UPDATE plain SET a = ? WHERE id = ?",
    "UPDATE plain SET id = ? WHERE id = ?",
    "UPDATE OR REPLACE plain SET b = ? WHERE id < ?",
    "UPDATE plain SET a = a WHERE id < ?",
    "DELETE FROM plain WHERE id = ?",
    "INSERT INTO keyless VALUES (?, ?), (?, ?)",
    "UPDATE keyless SET b = ? WHERE a = ?",
    "UPDATE keyless SET rowid = ? WHERE rowid = ?",
    "DELETE FROM keyless WHERE a < ?",
    "INSERT OR REPLACE INTO texty VALUES (char(64 + ?), ?)",
    "INSERT OR REPLACE INTO texty VALUES (char(96 + ?), ?)",
    "UPDATE OR IGNORE texty SET code = lower(code), a = ?",
    "DELETE FROM texty WHERE code = char(64 + ?)",
    "INSERT OR REPLACE INTO pair(a, n, note) VALUES (?, ?, ?)",
    "INSERT INTO pair(a, n, note) VALUES (? / 4.0, ? / 4.0, ?) ON CONFLICT DO UPDATE SET note = ?",
    "UPDATE OR REPLACE pair SET a = ? WHERE n < ?",
    "UPDATE OR IGNORE pair SET n = n + 1, a = a || ? WHERE n = ?",
    "UPDATE pair SET note = ? WHERE n < ?",
    "DELETE FROM pair WHERE n = ?",
    "INSERT OR REPLACE INTO dated VALUES (?, date('2000-01-01', ? || ' days'), x'00' || ?)",
    "INSERT OR REPLACE INTO dated VALUES (?, ? || '', ?)",
    "UPDATE OR REPLACE dated SET day = day + 1 WHERE code < ?",
    "UPDATE dated SET note = ? WHERE code = ?",
    "INSERT OR REPLACE INTO generated(id, a) VALUES (?, ?)",
    "UPDATE OR REPLACE generated SET a = ? WHERE id = ?",
    "UPDATE OR IGNORE generated SET id = id + ? WHERE s < ?",
    "INSERT OR IGNORE INTO parent VALUES (?, ?)",
    "INSERT INTO child(parent, note) SELECT id, ? FROM parent WHERE id < ?",
    "INSERT INTO tag SELECT id, ? FROM child LIMIT 3",
    "UPDATE parent SET id = ? WHERE id = ?",
    "DELETE FROM parent WHERE id = ?",
    "DELETE FROM child WHERE id < ?",
    "UPDATE tag SET label = ? FROM child WHERE child.id = tag.child AND child.note < ?",
    "INSERT OR REPLACE INTO image VALUES (?, randomblob(8 + ?))",
    "INSERT OR IGNORE INTO copy SELECT * FROM plain",
    "DELETE FROM copy WHERE 1",
    "INSERT INTO temp.scratch VALUES (?)",
    "UPDATE temp.scratch SET a = ?",
  ]

  /// They take all rows, so they come less often.
  private static let sweeps = [
    "DELETE FROM plain", "DELETE FROM keyless", "DELETE FROM pair", "DELETE FROM dated",
    "DELETE FROM generated", "DELETE FROM parent", "DELETE FROM log", "DELETE FROM copy",
    "DELETE FROM temp.scratch",
    "INSERT INTO copy SELECT * FROM plain",
  ]

  private let folder: TestFolder
  private let database: Database

  init() throws {
    folder = try TestFolder()
    var configuration = Database.Configuration()
    // Often enough that the log is reset many times.
    configuration.checkpointThreshold = 30
    configuration.prepareConnection = { try $0.execute("PRAGMA synchronous = OFF") }
    database = try Database(path: folder.file(), configuration: configuration)
    try database.withWriter { connection in
      try connection.execute(script: CaptureRandomTests.schema)
      // What only the writer sees, and a trigger from there into the store.
      try connection.execute(
        script: """
          CREATE TEMP TABLE scratch(a);
          CREATE TEMP TRIGGER from_scratch AFTER INSERT ON scratch BEGIN
            INSERT OR REPLACE INTO plain VALUES (new.a, 'scratch', new.a);
          END;
          """)
    }
  }

  @Test func whatDiffersBetweenTwoVersionsIsTouched() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var numbers = SeededGenerator(seed: seed)
    // The first pin after the schema was made finds the recorder without it.
    try database.write { try $0.execute("INSERT INTO plain VALUES (1, 1, 1)") }
    _ = try database.snapshot()
    try database.write { try $0.execute("DELETE FROM plain") }
    var last = try database.snapshot()
    var oldest = last
    var exactCount = 0
    for round in 0..<SeededGenerator.scaled(600) {
      for _ in 0..<Int.random(in: 1...3, using: &numbers) { try writeSomething(&numbers) }
      let next = try database.snapshot()
      for (name, old) in [("last", last), ("oldest", oldest)] {
        let comment: Comment = "seed \(seed), round \(round), since the \(name) one"
        let changes = old.capturedChanges(to: next)
        guard case .rows(let touched) = changes else {
          Issue.record("\(changes); \(comment)")
          continue
        }
        #expect(throws: Never.self, comment) { try touched.checkInvariants() }
        for table in CaptureRandomTests.tables {
          let missed = try table.missed(by: touched, between: old, and: next)
          #expect(missed.isEmpty, "\(table.schema).\(table.name); \(comment)")
          #expect(table.keys(in: touched) != nil, "\(table.name) as a whole; \(comment)")
        }
        #expect(touched.rows(of: "scratch", in: "temp") == nil)
        if old === next { #expect(touched.isEmpty, comment) }
      }
      #expect(throws: Never.self, "seed \(seed), round \(round)") {
        try next.chain.checkInvariants()
      }
      if last !== next { exactCount += 1 }
      last = next
      if numbers.chance(5) { oldest = next }
    }
    #expect(exactCount > 0)
  }

  private func writeSomething(_ numbers: inout SeededGenerator) throws {
    if numbers.chance(15) {
      // A transaction for each statement.
      let statement = CaptureRandomTests.randomStatement(&numbers)
      try database.withWriter { run(statement, on: $0) }
      return
    }
    let count = numbers.chance(10) ? 60 : 6
    let script = (0..<Int.random(in: 1...count, using: &numbers)).map { _ in
      CaptureRandomTests.randomStatement(&numbers)
    }
    let isRolledBack = numbers.chance(15)
    var inner = numbers
    do {
      try database.write { connection in
        for statement in script {
          guard inner.chance(15) else {
            run(statement, on: connection)
            continue
          }
          try? connection.savepoint {
            run(statement, on: connection)
            if inner.chance(60) { throw RolledBack() }
          }
        }
        if inner.chance(20) {
          try BlobWrite.write(
            (1, UInt8(inner.small())), to: "bytes", of: "image", rowID: inner.small(),
            on: connection)
        }
        if isRolledBack { throw RolledBack() }
      }
    } catch is RolledBack {
    }
    numbers = inner
  }

  private struct RolledBack: Error {}

  private struct RandomStatement {
    let sql: String
    let values: [Value]
  }

  private static func randomStatement(_ numbers: inout SeededGenerator) -> RandomStatement {
    let pool = numbers.chance(4) ? sweeps : statements
    let sql = pool[Int.random(in: pool.indices, using: &numbers)]
    let count = sql.count { $0 == "?" }
    return RandomStatement(
      sql: sql, values: (0..<count).map { _ in .integer(numbers.small()) })
  }

  /// Runs a statement; a violated constraint undoes it, and that is part of the test.
  private func run(_ statement: RandomStatement, on connection: Connection) {
    do {
      try connection.execute(statement.sql, statement.values)
    } catch let error as DatabaseError where .constraint ~= error.resultCode {
    } catch {
      Issue.record("\(error)")
    }
  }
}
