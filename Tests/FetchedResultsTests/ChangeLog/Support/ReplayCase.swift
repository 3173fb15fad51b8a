import SQLiteStorage
import TableDataTesting

/// Random tables, and random statements on them: for replaying what a change log tells of them.
struct ReplayCase {
  private var generator: SeededGenerator
  /// The tables by their names, with their columns.
  private var columns: [String: [String]] = [:]
  private var tables: [String] = []
  private var nameCount = 0

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// The statements that make the tables.
  mutating func schema() -> [String] {
    ["CREATE TABLE mark(id INTEGER PRIMARY KEY, n)", "INSERT INTO mark VALUES (1, 0)"]
      + (0..<Int.random(in: 2...4, using: &generator)).map { _ in newTable() }
  }

  /// The forms of a table: what is before and after the columns `a`, `b` and `c`.
  private static let forms = [
    ("a INTEGER PRIMARY KEY", ""), ("a INTEGER PRIMARY KEY AUTOINCREMENT", ""),
    ("a TEXT PRIMARY KEY", ""), ("a PRIMARY KEY", ""), ("a REAL PRIMARY KEY", ""),
    ("a TEXT COLLATE NOCASE PRIMARY KEY", " WITHOUT ROWID"), ("a PRIMARY KEY", " WITHOUT ROWID"),
    ("a", ", PRIMARY KEY (b DESC, a)|WITHOUT ROWID"),
    ("a TEXT COLLATE NOCASE", ", PRIMARY KEY (a, b)"),
    ("a", ""), ("a", ", UNIQUE (b)"), ("a INTEGER PRIMARY KEY DESC", ""),
    ("a INTEGER PRIMARY KEY", ", UNIQUE (c)"), ("rowid, a", ""),
    ("a INTEGER PRIMARY KEY, g AS (b || c) STORED", ""),
  ]

  private static let types = [
    "", " INTEGER", " TEXT", " REAL", " BLOB", " NUMERIC", " TEXT COLLATE NOCASE",
  ]

  mutating func newTable() -> String {
    nameCount += 1
    let name = ["T", "t \"q", "Tablé", "order"][nameCount % 4] + "\(nameCount)"
    let (first, last) = Self.forms[Int.random(in: 0..<Self.forms.count, using: &generator)]
    columns[name] = ["a", "b", "c"]
    tables.append(name)
    let b = "b" + type()
    let c = "c" + type()
    let parts = last.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    if parts.count == 2 {
      return "CREATE TABLE \(name.quotedIdentifier)(\(first), \(b), \(c)\(parts[0])) \(parts[1])"
    }
    let isOption = last.hasPrefix(" W")
    return "CREATE TABLE \(name.quotedIdentifier)(\(first), \(b), \(c)\(isOption ? "" : last))"
      + (isOption ? last : "")
  }

  private mutating func type() -> String {
    Self.types[Int.random(in: 0..<Self.types.count, using: &generator)]
  }

  /// The statements of one transaction.
  mutating func transaction() -> [String] {
    (0..<Int.random(in: 1...6, using: &generator)).map { _ in statement() }
  }

  /// A statement that may fail.
  private mutating func statement() -> String {
    guard let table = tables.randomElement(using: &generator) else { return newTable() }
    let name = table.quotedIdentifier
    let some =
      "WHERE a IS NOT \(value()) AND b IS NOT \(value()) AND a IN (SELECT a FROM \(name) LIMIT 3)"
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<40:
      let verb =
        generator.chance(50) ? "REPLACE" : generator.chance(50) ? "INSERT OR IGNORE" : "INSERT"
      return "\(verb) INTO \(name)(a, b, c) VALUES (\(value()), \(value()), \(value()))"
    case 40..<55: return "UPDATE OR IGNORE \(name) SET \(column(table)) = \(value()) \(some)"
    case 55..<62: return "UPDATE OR REPLACE \(name) SET a = \(value()), c = \(value()) \(some)"
    case 62..<74: return "DELETE FROM \(name) \(some)"
    case 74..<76: return "DELETE FROM \(name)"
    case 76..<80: return "UPDATE OR REPLACE \(name) SET a = upper(a), b = lower(b)"
    case 80..<84:
      return "INSERT OR IGNORE INTO \(name)(a, b, c) SELECT c, a, b FROM \(name) LIMIT 20"
    case 84..<86: return newTable()
    case 86..<88: return add(to: table)
    case 88..<90: return "ALTER TABLE \(name) DROP COLUMN c"
    case 90..<91:
      return "ALTER TABLE \(name) RENAME COLUMN b TO \(generator.chance(50) ? "d" : "b2")"
    case 91..<93: return rename(table)
    case 93..<94: return drop(table)
    case 94..<96: return "CREATE INDEX i\(generator.small(9)) ON \(name)(b)"
    case 96..<97: return "CREATE VIEW IF NOT EXISTS v\(generator.small(3)) AS SELECT 1"
    case 97..<98: return "DROP INDEX IF EXISTS i\(generator.small(9))"
    default: return "UPDATE \(name) SET c = c"
    }
  }

  private mutating func column(_ table: String) -> String {
    (columns[table] ?? []).randomElement(using: &generator) ?? "c"
  }

  private mutating func add(to table: String) -> String {
    nameCount += 1
    let column = "n\(nameCount)"
    columns[table]?.append(column)
    let rest = generator.chance(60) ? " DEFAULT \(value())" : ""
    return "ALTER TABLE \(table.quotedIdentifier) ADD COLUMN \(column)\(type())\(rest)"
  }

  private mutating func rename(_ table: String) -> String {
    nameCount += 1
    let new = "renamed\(nameCount)"
    columns[new] = columns[table]
    tables.append(new)
    return "ALTER TABLE \(table.quotedIdentifier) RENAME TO \(new)"
  }

  private mutating func drop(_ table: String) -> String {
    "DROP TABLE \(table.quotedIdentifier)"
  }

  private mutating func value() -> String {
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: "NULL"
    case 1...4: "\(generator.small(8))"
    case 5:
      ["9223372036854775807", "-9223372036854775808", "-1", "0"].randomElement(using: &generator)
        ?? "0"
    case 6:
      ["1.5", "-0.25", "1e300", "3.0", "9e999", "0.1"].randomElement(using: &generator) ?? "0"
    case 7...9:
      ["'a'", "'A'", "'b'", "'it''s'", "''", "'é'", "'é'", "'😀'", "'7'", "char(97,0,98)"]
        .randomElement(using: &generator) ?? "''"
    case 10: ["x''", "x'00ff'", "x'41'"].randomElement(using: &generator) ?? "x''"
    default: "hex(zeroblob(\(generator.small(1500))))"
    }
  }

  /// Whether something happens that does not in each transaction.
  mutating func chance(_ percent: Int) -> Bool { generator.chance(percent) }
}
