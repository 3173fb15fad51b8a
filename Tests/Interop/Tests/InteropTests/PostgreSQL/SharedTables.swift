import SQLiteStorage
import TableDataTesting

/// The tables that SQLite and PostgreSQL both have, and random transactions that mean the same in
/// both: integers, text and NULL, written in the words of the SQL standard.
///
/// Text never reads like a number, and is compared by its bytes.
struct SharedTables {
  private var numbers: SeededGenerator

  init(seed: UInt64) { numbers = SeededGenerator(seed: seed) }

  /// - Parameter options: what is after the columns of c.
  static func creation(_ options: String = "") -> String {
    """
    CREATE TABLE a(id INTEGER PRIMARY KEY, g TEXT, v INTEGER, w INTEGER NOT NULL);
    CREATE TABLE b(id INTEGER PRIMARY KEY, aid INTEGER, g TEXT, v INTEGER);
    CREATE TABLE c(g TEXT NOT NULL, n INTEGER NOT NULL, v INTEGER, PRIMARY KEY(g, n))\(options);
    CREATE TABLE d(
      id INTEGER PRIMARY KEY, aid INTEGER REFERENCES a(id) ON DELETE CASCADE ON UPDATE CASCADE,
      x INTEGER);
    CREATE INDEX a_g ON a(g);
    CREATE INDEX a_v ON a(v);
    CREATE INDEX a_w ON a(w);
    CREATE INDEX b_aid ON b(aid, g);
    CREATE INDEX b_g ON b(g);
    CREATE INDEX b_v ON b(v);
    CREATE INDEX b_rest ON b((v % 2));
    CREATE INDEX c_n ON c(n);
    CREATE INDEX d_aid ON d(aid);
    CREATE VIEW totals(g, n, total) AS SELECT g, count(*), sum(v) FROM b GROUP BY g;
    CREATE VIEW pairs AS
      SELECT a.id, a.g, b.id AS bid, b.v FROM a LEFT JOIN b ON b.aid = a.id;

    """
  }

  // MARK: - Transactions

  /// The statements of the next transaction, without `BEGIN` and `COMMIT`.
  mutating func transaction() -> String {
    var sql = statements(1...4)
    if chance(10) {
      sql += "SAVEPOINT s;\n\(statements(1...3))ROLLBACK TO SAVEPOINT s;\n\(statements(0...1))"
    }
    return sql
  }

  mutating func statements(_ counts: ClosedRange<Int>) -> String {
    (0..<Int.random(in: counts, using: &numbers)).map { _ in statement() + ";\n" }.joined()
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &numbers) < percent
  }

  private mutating func id() -> Int { .random(in: 1...12, using: &numbers) }

  /// A key of b, which has several rows for one of a.
  private mutating func otherID() -> Int { .random(in: 1...30, using: &numbers) }

  private mutating func number() -> String {
    chance(15) ? "NULL" : "\(Int.random(in: -2...4, using: &numbers))"
  }

  private mutating func text() -> String {
    chance(70)
      ? ["'a'", "'b'", "'A'"][Int.random(in: 0..<3, using: &numbers)]
      : ["'é'", "''", "'it''s'", "'ab c'"][Int.random(in: 0..<4, using: &numbers)]
  }

  private mutating func textOrNull() -> String { chance(15) ? "NULL" : text() }

  private mutating func statement() -> String {
    switch Int.random(in: 0..<20, using: &numbers) {
    case 0...3:
      """
      INSERT INTO a VALUES (\(id()), \(textOrNull()), \(number()), \(id()))
      ON CONFLICT (id) DO UPDATE SET g = excluded.g, v = excluded.v, w = excluded.w
      """
    case 4...7:
      """
      INSERT INTO b VALUES (\(otherID()), \(chance(10) ? "NULL" : "\(id())"), \(textOrNull()), \(number()))
      ON CONFLICT (id) DO UPDATE SET aid = excluded.aid, g = excluded.g, v = excluded.v
      """
    case 8:
      """
      INSERT INTO c VALUES (\(text()), \(id() % 4), \(number()))
      ON CONFLICT (g, n) DO UPDATE SET v = excluded.v
      """
    case 9...10:
      """
      INSERT INTO d SELECT \(id()), id, \(number()) FROM a WHERE id = \(id())
      ON CONFLICT (id) DO UPDATE SET aid = excluded.aid, x = excluded.x
      """
    case 11: "UPDATE a SET v = w - v, g = \(textOrNull()) WHERE id = \(id())"
    case 12: "UPDATE a SET w = w + 1 WHERE g = \(text()) AND w < 20"
    case 13: "UPDATE b SET v = \(number()) WHERE aid = \(id())"
    case 14: "UPDATE b SET g = (SELECT g FROM a WHERE a.id = b.aid) WHERE id < \(otherID())"
    case 15: changeOfKey("a", from: id(), to: id())
    case 16: changeOfKey("b", from: otherID(), to: otherID())
    case 17: "DELETE FROM a WHERE id = \(id())"
    case 18: "DELETE FROM b WHERE id = \(otherID()) OR v = \(number()) AND aid = \(id())"
    default: "DELETE FROM c WHERE g = \(text()) AND n = \(id() % 4)"
    }
  }

  private func changeOfKey(_ table: String, from old: Int, to new: Int) -> String {
    """
    UPDATE \(table) SET id = \(new)
    WHERE id = \(old) AND NOT EXISTS (SELECT 1 FROM \(table) x WHERE x.id = \(new))
    """
  }
}

/// What a SELECT returns, in either database.
struct SharedRows: Equatable {
  let columns: [String]
  var rows: [[Value]]

  /// Sorts the rows by these columns as SQLite does, and by all columns after them: `NULL` is smallest
  /// and text is compared by its bytes.
  mutating func sort(by order: [(column: String, isDescending: Bool)]) {
    let terms =
      order.compactMap { term in
        columns.firstIndex(of: term.column).map { ($0, term.isDescending) }
      } + columns.indices.map { ($0, false) }
    rows.sort { lhs, rhs in
      for (column, isDescending) in terms where lhs[column] != rhs[column] {
        return SharedRows.isLess(lhs[column], rhs[column]) != isDescending
      }
      return false
    }
  }

  private static func isLess(_ lhs: Value, _ rhs: Value) -> Bool {
    switch (lhs, rhs) {
    case (.null, _): rhs != .null
    case (_, .null): false
    case (.integer(let lhs), .integer(let rhs)): lhs < rhs
    case (.text(let lhs), .text(let rhs)): lhs.utf8.lexicographicallyPrecedes(rhs.utf8)
    case (.integer, _): true
    default: false
    }
  }
}

extension SharedRows: CustomStringConvertible {
  /// The columns, and a line for each row.
  var description: String {
    let lines = rows.map { $0.map(SharedRows.literal).joined(separator: " | ") }
    return "  " + ([columns.joined(separator: " | ")] + lines).joined(separator: "\n  ")
  }

  private static func literal(_ value: Value) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .text(let text): "'\(text)'"
    default: "\(value)"
    }
  }
}
