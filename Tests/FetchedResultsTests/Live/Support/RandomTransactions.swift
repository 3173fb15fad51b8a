import TableDataTesting

/// Random transactions on the table `item` of a ``LiveCase``.
struct RandomTransactions {
  private var generator: SeededGenerator
  private let table: String

  init(_ generator: SeededGenerator, _ liveCase: LiveCase) {
    self.generator = generator
    table = liveCase.isAttached ? "side.item" : "item"
  }

  /// A script of one transaction.
  mutating func next() -> String {
    (0..<Int.random(in: 1...5, using: &generator)).map { _ in statement() }
      .joined(separator: ";\n") + ";"
  }

  /// Inserts a row, unless there is one with its key.
  mutating func insert(orElse: String = "IGNORE") -> String {
    """
    INSERT OR \(orElse) INTO \(table)(a, b, section, name, rank, title)
    VALUES (\(number()), \(word()), \(section()), \(name()), \(number(5)), 't')
    """
  }

  private mutating func statement() -> String {
    switch Int.random(in: 0..<27, using: &generator) {
    case 0...4: insert()
    case 5...6: insert(orElse: "REPLACE")
    case 7...8: "DELETE FROM \(table) WHERE \(condition())"
    case 9: "UPDATE OR REPLACE \(table) SET b = \(word()), a = \(number()) WHERE \(condition())"
    case 10: "UPDATE OR IGNORE \(table) SET b = upper(b) WHERE a > 5"
    case 11...12: "UPDATE \(table) SET section = \(section()) WHERE \(condition())"
    case 13...14: "UPDATE \(table) SET name = \(name()) WHERE \(condition())"
    case 15: "UPDATE \(table) SET rank = \(number(5)) WHERE \(condition())"
    case 16: "UPDATE \(table) SET section = \(section()) WHERE section IS \(section())"
    case 17: "UPDATE \(table) SET rank = 4 - rank"
    case 18: "UPDATE \(table) SET title = title || 'x' WHERE \(condition())"
    case 19: "UPDATE \(table) SET name = name, rank = rank"
    case 20:
      """
      SAVEPOINT s; DELETE FROM \(table) WHERE a > 3; \(insert()); ROLLBACK TO s; RELEASE s
      """
    case 21: "REPLACE INTO parent VALUES (\(number(5)), \(name()))"
    case 22: "DELETE FROM parent WHERE number = \(number(5))"
    // Neighbours get other numbers together, so that they pass rows that are not touched.
    case 23: "UPDATE \(table) SET rank = (rank + \(number(5))) % 5"
    case 24: "UPDATE \(table) SET rank = rank + \(number(5)) WHERE rank < \(number(5))"
    case 25: "UPDATE \(table) SET rank = rank - \(number(5)) WHERE rank > \(number(5))"
    default: Int.random(in: 0..<4, using: &generator) == 0 ? "DELETE FROM \(table)" : insert()
    }
  }

  private mutating func condition() -> String {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: "a = \(number())"
    case 1: "b = \(word())"
    case 2: "rank = \(number(5)) AND a % 2 = 0"
    default: "name IS \(name())"
    }
  }

  private mutating func number(_ limit: Int = 12) -> String {
    "\(Int.random(in: 0..<limit, using: &generator))"
  }

  private mutating func word() -> String { one(of: ["'x'", "'X'", "'y'", "'Yy'", "'yy'", "'z'"]) }

  private mutating func section() -> String {
    one(of: ["'A'", "'B'", "'C'", "'a'", "' '", "NULL"])
  }

  private mutating func name() -> String {
    one(of: ["NULL", "'n1'", "'n2'", "'m3'", "'m'", "'p'", "'q9'", "'n4'"])
  }

  private mutating func one(of texts: [String]) -> String {
    texts.randomElement(using: &generator) ?? "NULL"
  }
}
