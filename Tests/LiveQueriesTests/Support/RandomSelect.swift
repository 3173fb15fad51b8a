import TableDataTesting

/// Random SELECTs of the whole grammar, over the tables of ``schema``.
struct RandomSelect {
  var numbers: SeededGenerator

  init(seed: UInt64) { numbers = SeededGenerator(seed: seed) }

  static let schema = """
    CREATE TABLE t1(a INTEGER PRIMARY KEY, b TEXT COLLATE NOCASE, c REAL, d);
    CREATE TABLE t2(a INT, e TEXT, f, "g h" NUMERIC);
    CREATE TABLE t3(k TEXT, n INT, a, PRIMARY KEY(k, n)) WITHOUT ROWID;
    CREATE INDEX t2a ON t2(a);
    CREATE INDEX t1b ON t1(b);
    CREATE VIEW v1 AS SELECT a, b || c AS bc FROM t1 WHERE d IS NOT NULL;
    CREATE VIEW v2(x, y) AS SELECT e, count(*) FROM t2 GROUP BY e;
    INSERT INTO t1 VALUES (1,'a',1.5,'x'),(2,'A',NULL,3),(3,'b',-2,NULL),(4,NULL,0,'2'),(5,'2',3,2);
    INSERT INTO t2 VALUES (1,'a',1,1),(1,'B',NULL,2),(2,'a','x',3.5),(NULL,'b',2,NULL),(5,'A','a',0);
    INSERT INTO t3 VALUES ('a',1,1),('a',2,NULL),('b',1,'A'),('2',2,3),('A',5,2);
    """

  private static let tables: [(name: String, columns: [String])] = [
    ("t1", ["a", "b", "c", "d", "rowid"]), ("t2", ["a", "e", "f", "\"g h\"", "_rowid_"]),
    ("t3", ["k", "n", "a"]), ("v1", ["a", "bc"]), ("v2", ["x", "y"]), ("main.t1", ["a", "b"]),
  ]

  private struct Item {
    let alias: String
    let columns: [String]
  }

  private var scopes: [[Item]] = []
  private var commonTables: [Item] = []
  private var aliasCount = 0
  private var budget = 0
  private var allowsWindows = false

  mutating func next() -> String {
    scopes = []
    commonTables = []
    aliasCount = 0
    budget = 40
    return select(columnCount: nil).sql
  }

  private mutating func pick<T>(_ list: [T]) -> T {
    list[Int(numbers.small(Int64(list.count))) - 1]
  }

  private mutating func freshAlias() -> String {
    aliasCount += 1
    return pick(["x", "y_", "\"z ", "[q", "`r", "T"]).closed(aliasCount)
  }

  // MARK: - SELECT

  private mutating func select(columnCount: Int?) -> (sql: String, columns: [String]) {
    let outerTables = commonTables
    defer { commonTables = outerTables }
    var sql = ""
    if numbers.chance(15), budget > 5 {
      let alias = freshAlias()
      let hint = pick(["", "", "MATERIALIZED ", "NOT MATERIALIZED "])
      let saved = scopes
      scopes = []
      let inner = select(columnCount: nil)
      scopes = saved
      let isNamed = numbers.chance(40)
      let columns = isNamed ? inner.columns.indices.map { "w\($0)" } : inner.columns
      let list = isNamed ? "(\(columns.joined(separator: ", ")))" : ""
      sql = "WITH \(pick(["", "RECURSIVE "]))\(alias)\(list) AS \(hint)(\(inner.sql)) "
      commonTables.append(Item(alias: alias, columns: columns))
    }
    var (first, columns) = core(columnCount)
    var isCompound = false
    while numbers.chance(12), budget > 0 {
      isCompound = true
      first += pick([" UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT "])
      first += core(columns.count).sql
    }
    sql += first
    if numbers.chance(isCompound ? 20 : 30) {
      let all = columns.indices.map {
        "\($0 + 1)\(pick(["", " ASC", " DESC", " NULLS LAST", " DESC NULLS FIRST"]))"
      }
      sql += " ORDER BY \(all.joined(separator: ", "))"
      if numbers.chance(50) {
        sql += pick([" LIMIT 3", " LIMIT 1 + 1", " LIMIT 3 OFFSET 1", " LIMIT 1, 4", " LIMIT -1"])
      }
    }
    return (sql, columns)
  }

  private mutating func core(_ columnCount: Int?) -> (sql: String, columns: [String]) {
    budget -= 1
    if numbers.chance(5) {
      let count = columnCount ?? Int(numbers.small(2))
      let rows = (0...Int(numbers.small(2))).map { _ in
        "(\((0..<count).map { _ in literal() }.joined(separator: ", ")))"
      }
      return ("VALUES \(rows.joined(separator: ", "))", (1...count).map { "column\($0)" })
    }
    var sql = "SELECT \(pick(["", "", "", "DISTINCT ", "ALL "]))"
    let from = numbers.chance(92) ? from() : ""
    let isGrouped = numbers.chance(20)
    var columns: [String] = []
    var terms: [String] = []
    if columnCount == nil, !from.isEmpty, numbers.chance(8) {
      // The columns of `*` may have the same name twice, so they are only counted.
      let item = pick(scopes[scopes.count - 1])
      if item.alias.isEmpty == false, !item.columns.contains("rowid"),
        !item.columns.contains("_rowid_")
      {
        terms.append("\(item.alias).*")
        columns += item.columns
      }
    }
    if terms.isEmpty {
      for _ in 0..<(columnCount ?? Int(numbers.small(3))) {
        let alias = freshAlias()
        let isPlain = numbers.chance(20)
        let value =
          isGrouped ? aggregate() : isPlain ? column() : numbers.chance(6) ? window() : expression()
        terms.append("\(value)\(pick([" AS ", " AS ", " "]))\(alias)")
        columns.append(alias)
      }
    }
    sql += terms.joined(separator: ", ") + from
    if numbers.chance(50) { sql += " WHERE \(expression())" }
    if isGrouped, !from.isEmpty {
      if numbers.chance(80) {
        sql += " GROUP BY \(column())\(numbers.chance(30) ? ", \(expression())" : "")"
      }
      if numbers.chance(40), sql.contains("GROUP BY") { sql += " HAVING \(aggregate()) > 0" }
    }
    if !from.isEmpty { scopes.removeLast() }
    return (sql, columns)
  }

  // MARK: - FROM

  private mutating func from() -> String {
    scopes.append([])
    var sql = " FROM " + item()
    while numbers.chance(35), budget > 0 {
      let join = pick([
        ", ", " JOIN ", " INNER JOIN ", " CROSS JOIN ", " LEFT JOIN ", " LEFT OUTER JOIN ",
        " RIGHT JOIN ", " FULL OUTER JOIN ", " NATURAL JOIN ", " NATURAL LEFT JOIN ",
      ])
      sql += join + item()
      if !join.contains("NATURAL"), join != ", ", numbers.chance(75) {
        let names = scopes[scopes.count - 1].map { Set($0.columns) }
        if numbers.chance(20), names.dropLast().allSatisfy({ $0.contains("a") }),
          names.last?.contains("a") == true
        {
          sql += " USING (a)"
        } else {
          sql += " ON \(expression())"
        }
      }
    }
    return sql
  }

  private mutating func item() -> String {
    budget -= 1
    let alias = freshAlias()
    let name = scopes.count - 1
    switch numbers.small(20) {
    case 1...3 where budget > 5:
      let saved = scopes
      scopes.removeLast()
      // A SELECT in FROM does not see the items beside it.
      let inner = select(columnCount: nil)
      scopes = saved
      scopes[name].append(Item(alias: alias, columns: inner.columns))
      return "(\(inner.sql)) \(pick(["AS ", ""]))\(alias)"
    case 4 where budget > 5:
      let saved = scopes[name]
      let first = item()
      let second = item()
      let inner = Array(scopes[name].dropFirst(saved.count))
      scopes[name] = saved + inner
      return "(\(first) JOIN \(second))"
    case 5:
      scopes[name].append(Item(alias: alias, columns: ["key", "value", "type"]))
      return "json_each('[1,\"a\",null]') AS \(alias)"
    case 6...9 where !commonTables.isEmpty:
      let table = pick(commonTables)
      scopes[name].append(Item(alias: alias, columns: table.columns))
      return "\(table.alias) AS \(alias)"
    default:
      let table = pick(RandomSelect.tables)
      if numbers.chance(20), !table.name.contains("."),
        !scopes[name].contains(where: { $0.alias == table.name })
      {
        scopes[name].append(Item(alias: table.name, columns: table.columns))
        return table.name
      }
      scopes[name].append(Item(alias: alias, columns: table.columns))
      let hint = table.name == "t2" ? pick(["", "", " NOT INDEXED"]) : ""
      return "\(table.name)\(pick([" AS ", " "]))\(alias)\(hint)"
    }
  }

  // MARK: - Expressions

  private mutating func literal() -> String {
    pick([
      "1", "2", "0", "-1", "1.5", ".5", "1e1", "0x1F", "'a'", "'it''s'", "''", "x'61'", "NULL",
      "TRUE",
      "false", "'2'", "'B'", "9223372036854775807", "-9223372036854775808",
    ])
  }

  private mutating func column() -> String {
    guard let items = (numbers.chance(80) ? scopes.last : scopes.first), !items.isEmpty else {
      return literal()
    }
    let item = pick(items)
    guard !item.columns.isEmpty else { return literal() }
    let column = pick(item.columns)
    let isUnique = scopes.joined().count { $0.columns.contains(column) } == 1
    return isUnique && numbers.chance(40) ? column : "\(item.alias).\(column)"
  }

  private mutating func aggregate() -> String {
    let inner = numbers.chance(70) ? column() : expression()
    return pick([
      "count(*)", "count(\(inner))", "sum(\(inner))", "min(\(inner))", "max(\(inner))",
      "count(DISTINCT \(inner))", "total(\(inner)) FILTER (WHERE \(column()) > 1)", "count()",
      "count(*) + sum(\(inner)) * 2",
    ])
  }

  private mutating func window() -> String {
    let partition = numbers.chance(60) ? "PARTITION BY \(column()) " : ""
    let order = "ORDER BY \(column())"
    return pick([
      "count(*) OVER ()", "row_number() OVER (\(partition)\(order), 1)",
      "sum(\(column())) OVER (\(partition)\(order))",
      "max(\(column())) OVER (\(partition)\(order) ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)",
      "count(*) FILTER (WHERE \(column()) > 0) OVER (\(partition))",
      "count(*) OVER (\(partition)\(order) RANGE UNBOUNDED PRECEDING EXCLUDE TIES)",
      "count(*) OVER (\(order) GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING)",
    ])
  }

  private mutating func subselect(columnCount: Int?) -> String {
    select(columnCount: columnCount).sql
  }

  mutating func expression() -> String {
    budget -= 1
    guard budget > 0 else { return numbers.chance(50) ? column() : literal() }
    switch numbers.small(30) {
    case 1...5: return column()
    case 6...7: return literal()
    case 8...13:
      // Several operators without parentheses: the tree must combine them as SQLite does.
      var text = operand()
      for _ in 0..<Int(numbers.small(3)) {
        text += " \(pick(RandomSelect.operators)) \(operand())"
      }
      return text
    case 14: return "\(operand()) \(pick(["", "NOT "]))BETWEEN \(operand()) AND \(operand())"
    case 15:
      return "\(operand()) \(pick(["", "NOT "]))\(pick(["LIKE", "GLOB"])) \(operand())"
    case 16: return "\(operand()) LIKE \(operand()) ESCAPE '\\'"
    case 17: return "\(operand()) \(pick(["ISNULL", "NOTNULL", "NOT NULL", "IS NOT NULL"]))"
    case 18: return "\(operand()) \(pick(["", "NOT "]))IN (\(operand()), \(operand()))"
    case 19 where budget > 4:
      return "\(operand()) \(pick(["", "NOT "]))IN (\(subselect(columnCount: 1)))"
    case 20 where budget > 4:
      return "\(pick(["", "NOT "]))EXISTS (\(subselect(columnCount: nil)))"
    case 21 where budget > 4: return "(\(subselect(columnCount: 1)))"
    case 22:
      return """
        CASE\(pick(["", " \(operand())"])) WHEN \(operand()) THEN \(operand())\
        \(pick(["", " ELSE \(operand())"])) END
        """
    case 23: return "CAST(\(operand()) AS \(pick(["TEXT", "INTEGER", "VARCHAR(10, 2)", ""])))"
    case 24: return "\(operand()) COLLATE \(pick(["NOCASE", "BINARY", "\"RTRIM\""]))"
    case 25: return "(\(operand()), \(operand())) \(pick(["=", "<", "IS"])) (\(operand()), 1)"
    case 26: return "\(pick(["NOT ", "-", "+", "~", "- -", "NOT NOT "]))\(operand())"
    case 27: return "\(operand()) IS \(pick(["", "NOT "]))DISTINCT FROM \(operand())"
    case 28: return "coalesce(\(operand()), \(operand()))"
    case 29: return pick(["like('a', \(operand()))", "replace(\(operand()), 'a', 'b')"])
    default: return "abs(\(operand()))"
    }
  }

  private static let operators = [
    "=", "==", "<>", "!=", "<", "<=", ">", ">=", "&", "|", "<<", ">>", "+", "-", "*", "/", "%",
    "||", "AND", "OR", "IS", "IS NOT", "AND NOT", "= NOT", "+ -", "LIKE", "IS NOT DISTINCT FROM",
    "NOT LIKE", "COLLATE NOCASE =", "ISNULL AND", "NOT NULL OR", "NOT NULL =", "NOT IN (1, 2) <",
    "BETWEEN 1 AND", "NOT BETWEEN 0 = 1 AND", "BETWEEN NOT 1 AND 3 IS", "IN (1, 'a') =",
    "LIKE 'a' ESCAPE", "-> 0 ||", "->> '$' +", "COLLATE NOCASE ||",
  ]

  private mutating func operand() -> String {
    switch numbers.small(10) {
    case 1...5: return column()
    case 6...8: return literal()
    case 9: return "(\(expression()))"
    default: return pick(["-", "NOT ", "+", "~"]) + column()
    }
  }
}

extension String {
  /// An alias with a number, and the quote that closes it.
  fileprivate func closed(_ number: Int) -> String {
    switch first {
    case "\"": "\(self)\(number)\""
    case "[": "\(self)\(number)]"
    case "`": "\(self)\(number)`"
    default: "\(self)\(number)"
    }
  }
}
