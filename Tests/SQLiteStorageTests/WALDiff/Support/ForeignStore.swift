import Foundation
import TableDataTesting
import Testing

@testable import SQLiteStorage

/// A store that somebody else writes to, at random.
struct ForeignStore {
  /// How the file is made.
  struct Form: Sendable, CustomTestStringConvertible {
    var pageSize = 4_096
    var autoVacuum = "NONE"
    var rowCount = 1_500
    var secureDelete = "OFF"
    /// How many bytes at the end of each page SQLite leaves alone.
    var reservedSize = 0

    var testDescription: String {
      """
      \(pageSize) bytes, \(reservedSize) reserved, auto_vacuum \(autoVacuum), \
      secure_delete \(secureDelete)
      """
    }
  }

  static let schema = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, n INTEGER, note);
    CREATE INDEX item_name ON item(name COLLATE NOCASE);
    CREATE INDEX item_n ON item(n DESC, name);
    CREATE TABLE plain(a, b);
    CREATE TABLE odd(id INTEGER PRIMARY KEY, a UNIQUE);
    CREATE TABLE word(note, word TEXT COLLATE NOCASE, lang TEXT, n REAL,
      PRIMARY KEY(lang DESC, word)) WITHOUT ROWID;
    CREATE INDEX word_n ON word(n);
    CREATE TABLE pair(c, a REAL, b BLOB, PRIMARY KEY(b, a)) WITHOUT ROWID;
    CREATE TABLE counted(id INTEGER PRIMARY KEY AUTOINCREMENT, a);
    """

  /// Those whose rows fit in a page, and so are always told exactly.
  static let shortTables = [
    TruthTable("item"), TruthTable("plain"), TruthTable("odd"),
    TruthTable("word", key: ["lang", "word"]), TruthTable("pair", key: ["b", "a"]),
    TruthTable("counted"),
  ]

  let folder: TestFolder
  let other: Connection
  let form: Form

  init(_ form: Form = Form(), extra: String = "") throws {
    folder = try TestFolder()
    self.form = form
    if form.reservedSize > 0 { try ForeignStore.makeEmpty(form, at: folder.file()) }
    other = try Connection(path: folder.file(), access: .readWriteCreate)
    try other.setBusyTimeout(.seconds(30))
    let count = form.rowCount
    try other.execute(
      script: """
        PRAGMA page_size = \(form.pageSize);
        PRAGMA auto_vacuum = \(form.autoVacuum);
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = OFF;
        PRAGMA wal_autocheckpoint = 50;
        PRAGMA secure_delete = \(form.secureDelete);
        \(ForeignStore.schema)
        \(extra)
        CREATE TEMP TABLE numbers AS WITH RECURSIVE n(i) AS
          (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count)) SELECT i FROM n;
        INSERT INTO item SELECT i, 'item ' || i, i % 97, NULL FROM numbers;
        INSERT INTO plain SELECT i, 'plain' FROM numbers WHERE i % 3 = 0;
        INSERT INTO odd SELECT i, i FROM numbers WHERE i % 5 = 0;
        INSERT INTO word SELECT i, 'wörd ' || i, 'l' || (i % 7), i FROM numbers;
        INSERT INTO pair SELECT i, i / 2.0, CAST(i % 50 AS BLOB) FROM numbers;
        INSERT INTO counted(a) SELECT i FROM numbers WHERE i % 4 = 0;
        """)
  }

  /// Makes an empty file with reserved bytes, which no SQL can ask for.
  private static func makeEmpty(_ form: Form, at path: String) throws {
    try Connection(path: path, access: .readWriteCreate).execute(
      script: """
        PRAGMA page_size = \(form.pageSize);
        PRAGMA auto_vacuum = \(form.autoVacuum); CREATE TABLE t(a); DROP TABLE t; VACUUM;
        """)
    var bytes = try Data(contentsOf: URL(filePath: path)).prefix(form.pageSize)
    let usableSize = form.pageSize - form.reservedSize
    bytes[20] = UInt8(form.reservedSize)
    // The one page, which has no rows: where the space for rows ends.
    (bytes[105], bytes[106]) = (UInt8(usableSize >> 8), UInt8(usableSize & 0xFF))
    try bytes.write(to: URL(filePath: path))
  }

  /// A transaction of some random statements, some of which are undone.
  func script(_ numbers: inout SeededGenerator, more: [String] = []) -> String {
    var lines: [String] = []
    for _ in 0..<numbers.small(40) {
      let statement = statement(&numbers, more: more)
      lines.append(
        numbers.chance(10)
          ? "SAVEPOINT s; \(statement); ROLLBACK TO s; RELEASE s" : statement)
    }
    let end = numbers.chance(5) ? "ROLLBACK" : "COMMIT"
    return (["BEGIN IMMEDIATE"] + lines + [end]).joined(separator: ";\n") + ";"
  }

  private func statement(_ numbers: inout SeededGenerator, more: [String]) -> String {
    let limit = Int64(form.rowCount) * 6 / 5
    let pool = ForeignStore.statements + more
    // Those that change much, now and then.
    let statement =
      numbers.chance(2)
      ? ForeignStore.sweeps[Int.random(in: ForeignStore.sweeps.indices, using: &numbers)]
      : pool[Int.random(in: pool.indices, using: &numbers)]
    return statement.split(separator: "?", omittingEmptySubsequences: false).dropFirst().reduce(
      String(statement.prefix { $0 != "?" })
    ) { $0 + String(numbers.small(limit)) + $1 }
  }

  private static let statements = [
    "INSERT OR REPLACE INTO item VALUES (?, 'new ' || ?, ?, NULL)",
    "INSERT INTO item(name, n) VALUES ('added ' || ?, ?)",
    "UPDATE item SET n = ? WHERE id = ?", "UPDATE item SET name = 'renamed ' || ? WHERE id = ?",
    "UPDATE item SET note = substr('a somewhat longer note than there was', 1 + ? % 30) WHERE id = ?",
    "UPDATE item SET n = n WHERE id = ?", "UPDATE OR IGNORE item SET id = ? WHERE id = ?",
    "DELETE FROM item WHERE id = ?", "DELETE FROM item WHERE id = ?",
    "INSERT INTO plain VALUES (?, ?)", "DELETE FROM plain WHERE rowid = ?",
    "UPDATE plain SET b = ? WHERE rowid = ?",
    "INSERT OR REPLACE INTO odd VALUES (?, ?)",
    "DELETE FROM odd WHERE id = ?",
    "INSERT OR REPLACE INTO word VALUES (?, 'wörd ' || ?, 'l' || (? % 7), ? / 4.0)",
    "UPDATE word SET n = ? WHERE word = 'wörd ' || ?", "DELETE FROM word WHERE word = 'wörd ' || ?",
    "UPDATE OR REPLACE word SET lang = 'm' WHERE word = 'wörd ' || ?",
    "INSERT OR REPLACE INTO pair VALUES (?, ? / 2, CAST(? % 50 AS BLOB))",
    "UPDATE pair SET c = ? WHERE a = ? / 2.0", "DELETE FROM pair WHERE a = ? / 2.0",
    "INSERT INTO counted(a) VALUES (?)", "DELETE FROM counted WHERE id = ?",
  ]

  private static let sweeps = [
    "DELETE FROM item WHERE id BETWEEN ? AND ? AND id % 2",
    "INSERT OR IGNORE INTO item SELECT i, 'back ' || i, 1, 1 FROM range WHERE i % 3 = ? % 3",
    "INSERT OR IGNORE INTO word SELECT i, 'wörd ' || i, 'n', i FROM range WHERE i % 9 = ? % 9",
    "DELETE FROM word WHERE lang = 'l' || (? % 7)",
    "DELETE FROM pair WHERE b = CAST(? % 50 AS BLOB)", "DELETE FROM odd",
    "DELETE FROM plain WHERE rowid > ?", "UPDATE plain SET b = ? WHERE a % 10 = 3",
  ].map {
    $0.replacing(
      "FROM range",
      with: """
        FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
        SELECT i FROM n)
        """)
  }
}

/// The rows of some tables in one version.
struct TruthRows {
  let rows: [[[Value]: [Value]]]

  init(of tables: [TruthTable], in snapshot: Snapshot) throws {
    rows = try tables.map { try $0.rows(of: snapshot) }
  }

  /// The keys of the rows that differ, by table.
  func differences(from older: TruthRows) -> [Set<[Value]>] {
    zip(older.rows, rows).map { old, new in
      var keys: Set<[Value]> = []
      for (key, values) in old where new[key] != values { keys.insert(key) }
      for key in new.keys where old[key] == nil { keys.insert(key) }
      return keys
    }
  }
}
