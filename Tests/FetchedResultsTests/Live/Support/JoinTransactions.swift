import TableDataTesting

/// Random transactions on the tables of ``JoinCase``.
struct JoinTransactions {
  private var generator: SeededGenerator

  init(_ generator: SeededGenerator) { self.generator = generator }

  /// A script of one transaction.
  mutating func next() -> String {
    (0..<Int.random(in: 1...4, using: &generator)).map { _ in statement() }
      .joined(separator: ";\n") + ";"
  }

  /// Inserts a row into one of the tables, unless there is one with its key.
  mutating func insert(orElse: String = "IGNORE") -> String {
    let table = table()
    return "INSERT OR \(orElse) INTO \(table) VALUES (\(values(of: table)))"
  }

  private mutating func values(of table: String) -> String {
    switch table {
    case "artist": "\(number()), \(name()), \(reference())"
    case "album": "\(number()), \(reference()), \(name()), \(number(5))"
    case "track": "\(number(12)), \(reference()), \(name()), \(code()), \(number(5))"
    case "genre": "\(word()), \(name())"
    case "credit": "\(number()), \(number()), \(name())"
    default: "\(word()), \(reference()), \(name())"
    }
  }

  private mutating func statement() -> String {
    let table = table()
    switch Int.random(in: 0..<12, using: &generator) {
    case 0...2: return insert()
    case 3: return insert(orElse: "REPLACE")
    case 4: return "DELETE FROM \(table) WHERE \(key(of: table))"
    case 5: return "UPDATE OR IGNORE \(table) SET \(key(of: table)) WHERE \(key(of: table))"
    case 6: return "UPDATE OR REPLACE \(table) SET \(key(of: table)) WHERE \(key(of: table))"
    case 7:
      return "SAVEPOINT s; DELETE FROM \(table) WHERE \(key(of: table)); ROLLBACK TO s; RELEASE s"
    default: return "UPDATE OR IGNORE \(table) SET \(assignment(in: table)) WHERE \(key(of: table))"
    }
  }

  private mutating func key(of table: String) -> String {
    switch table {
    case "genre", "note": "code = \(word())"
    case "credit":
      Int.random(in: 0..<2, using: &generator) == 0
        ? "track = \(number())" : "artist = \(number())"
    default: "id = \(number())"
    }
  }

  private mutating func assignment(in table: String) -> String {
    let columns: [String] =
      switch table {
      case "artist": ["name = \(name())", "mentor = \(reference())"]
      case "album": ["artist = \(reference())", "title = \(name())", "year = \(number(5))"]
      case "track":
        [
          "album = \(reference())", "name = \(name())", "genre = \(code())", "rank = \(number(5))",
        ]
      case "genre": ["label = \(name())"]
      case "credit": ["role = \(name())"]
      default: ["track = \(reference())", "body = \(name())"]
      }
    return one(of: columns)
  }

  private mutating func table() -> String {
    one(of: ["artist", "album", "album", "track", "track", "track", "genre", "credit", "note"])
  }

  private mutating func number(_ limit: Int = 8) -> String {
    "\(Int.random(in: 0..<limit, using: &generator))"
  }

  private mutating func reference() -> String { one(of: ["NULL", number(), number(), number()]) }

  private mutating func word() -> String { one(of: ["'j'", "'J'", "'r'", "'p'", "'R'"]) }

  private mutating func code() -> String { one(of: [word(), word(), word(), "NULL"]) }

  private mutating func name() -> String {
    one(of: ["NULL", "'n1'", "'n2'", "'N2'", "'x'", "'m'", "'q9'"])
  }

  private mutating func one(of texts: [String]) -> String {
    texts.randomElement(using: &generator) ?? "NULL"
  }
}
