/// A random SELECT of a ``RandomSchema`` whose answer does not depend on the order in which rows are
/// read, but for the spelling of equal values if it is not exact.
struct SchemaSelect {
  typealias Column = RandomSchema.Column
  typealias Source = RandomSchema.Source

  /// A table or SELECT with an alias.
  struct Item {
    let sql: String
    let alias: String
    let source: Source

    func name(_ column: Column) -> String { "\(alias).\(column.name)" }
  }

  let sql: String
  let columns: [Column]
  /// Whether each value is one value: not any of several equal ones.
  var isExact = true
  /// The terms of its ORDER BY.
  var order: [String] = []

  private init(_ sql: String, _ columns: [Column], isExact: Bool = true, order: [String] = []) {
    (self.sql, self.columns, self.isExact, self.order) = (sql, columns, isExact, order)
  }

  /// Draws a SELECT.
  ///
  /// - Parameter isInner: whether it stands in another one, so that it must be exact.
  init(
    _ schema: RandomSchema, _ draw: inout RandomDraw, depth: Int = 1, isInner: Bool = false
  ) {
    var writer = Writer(schema: schema, depth: depth, prefix: isInner ? "q" : "a")
    switch draw.number(0...11) {
    case 0...4: self = writer.join(&draw)
    case 5, 6: self = writer.groups(&draw, isInner: isInner)
    case 7: self = writer.distinct(&draw, isInner: isInner)
    case 8, 9: self = writer.compound(&draw, isInner: isInner)
    case 10: self = writer.window(&draw)
    default: self = isInner ? writer.join(&draw) : writer.natural(&draw)
    }
  }

  private struct Writer {
    let schema: RandomSchema
    let depth: Int
    let prefix: String
    var aliasCount = 0

    // MARK: FROM

    mutating func item(_ draw: inout RandomDraw, mayNest: Bool = true) -> Item {
      aliasCount += 1
      let alias = "\(prefix)\(depth)\(aliasCount)"
      if mayNest, depth > 0, draw.chance(15) {
        let inner = SchemaSelect(schema, &draw, depth: depth - 1, isInner: true)
        return Item(
          sql: "(\(inner.sql)) \(alias)", alias: alias,
          source: Source(name: "", columns: inner.columns))
      }
      let source = draw.one(of: schema.tables + schema.tables + schema.tables + schema.views)
      return Item(sql: "\(source.name) \(alias)", alias: alias, source: source)
    }

    func equation(_ item: Item, _ other: Item, _ draw: inout RandomDraw) -> String {
      // Often a reference and a key.
      let key =
        item.source.key.first.flatMap(item.source.column) ?? draw.one(of: item.source.columns)
      let reference =
        draw.one(of: other.source.columns) { $0.name.hasPrefix("p") }
        ?? draw.one(of: other.source.columns)
      let pair =
        draw.chance(60)
        ? (item.name(key), other.name(reference))
        : (
          item.name(draw.one(of: item.source.columns)),
          other.name(draw.one(of: other.source.columns))
        )
      return draw.chance(85) ? "\(pair.0) = \(pair.1)" : "\(pair.1) IS \(pair.0)"
    }

    // MARK: WHERE

    mutating func condition(_ items: [Item], _ draw: inout RandomDraw) -> String {
      let item = draw.one(of: items)
      let column = draw.one(of: item.source.columns)
      let name = item.name(column)
      let value = draw.value(for: column.type)
      switch draw.number(0...(depth > 0 ? 15 : 6)) {
      case 0: return "\(name) IS NOT NULL"
      case 1: return "\(name) \(draw.one(of: ["=", "<>", ">", "<=", "IS NOT"])) \(value)"
      case 2: return "(\(name) IS NULL OR \(name) <> \(value))"
      case 3: return "\(name) IN (\(value), \(draw.value(for: column.type)))"
      case 4: return "\(name) BETWEEN \(value) AND \(draw.value(for: column.type))"
      case 5: return "\(name) LIKE 'a%'"
      case 6: return "typeof(\(name)) <> 'null'"
      case 7, 8, 9:
        var inner = Writer(schema: schema, depth: depth - 1, prefix: prefix + "e")
        let other = inner.item(&draw)
        let more = draw.chance(40) ? " AND \(inner.condition([other], &draw))" : ""
        return """
          \(draw.one(of: ["", "NOT "]))EXISTS \
          (SELECT 1 FROM \(other.sql) WHERE \(equation(other, item, &draw))\(more))
          """
      case 10, 11, 12:
        var inner = Writer(schema: schema, depth: depth - 1, prefix: prefix + "i")
        let other = inner.item(&draw)
        let more = draw.chance(50) ? " WHERE \(inner.condition([other], &draw))" : ""
        return """
          \(name) \(draw.one(of: ["", "NOT "]))IN \
          (SELECT \(other.name(draw.one(of: other.source.columns))) FROM \(other.sql)\(more))
          """
      case 13, 14:
        return "\(number(of: item, &draw)) \(draw.one(of: ["<", ">="])) \(draw.number(0...2))"
      default: return "(\(condition(items, &draw)) OR \(condition(items, &draw)))"
      }
    }

    /// A scalar subquery for a row of an item.
    private func number(of item: Item, _ draw: inout RandomDraw) -> String {
      var inner = Writer(schema: schema, depth: 0, prefix: prefix + "s")
      let other = inner.item(&draw)
      let column = other.name(draw.one(of: other.source.columns))
      let value = draw.one(of: ["count(*)", "sum(\(column))", "count(\(column))"])
      return "(SELECT \(value) FROM \(other.sql) WHERE \(equation(other, item, &draw)))"
    }

    private mutating func tail(_ items: [Item], _ percent: Int, _ draw: inout RandomDraw) -> String
    {
      draw.chance(percent) ? " WHERE \(condition(items, &draw))" : ""
    }

    // MARK: SELECTs

    private mutating func from(_ count: Int, _ draw: inout RandomDraw) -> (sql: String, [Item]) {
      var items = [item(&draw)]
      var sql = items[0].sql
      for _ in 1..<max(1, count) {
        let next = item(&draw)
        let word = draw.one(of: [
          "JOIN", "JOIN", "JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "LEFT JOIN", "LEFT JOIN",
          "CROSS JOIN", "FULL JOIN", "FULL JOIN", "RIGHT JOIN", "RIGHT JOIN",
        ])
        var on = equation(next, draw.one(of: items), &draw)
        if draw.chance(25) { on += " AND \(condition([next], &draw))" }
        sql += " \(word) \(next.sql) ON \(on)"
        items.append(next)
      }
      return (sql, items)
    }

    mutating func join(_ draw: inout RandomDraw) -> SchemaSelect {
      let (from, items) = from(draw.one(of: [1, 1, 2, 2, 3]), &draw)
      let hasKeys = draw.chance(92)
      var columns: [Column] = []
      var list: [String] = []
      func add(_ sql: String, _ column: Column) {
        let name = "c\(columns.count)"
        list.append("\(sql) AS \(name)")
        columns.append(Column(name: name, type: column.type, collation: column.collation))
      }
      for item in items {
        let key = hasKeys ? item.source.identity : []
        for column in key { add(item.name(column), column) }
        for column in draw.some(of: item.source.columns, 40) { add(item.name(column), column) }
      }
      if depth > 0, draw.chance(15) {
        add(number(of: draw.one(of: items), &draw), Column(name: "", type: "NUMERIC"))
      }
      let sql = "SELECT \(list.joined(separator: ", ")) FROM \(from)\(tail(items, 50, &draw))"
      return limited(SchemaSelect(sql, columns), &draw)
    }

    /// Tables joined by the columns that they have in common, with all of their columns.
    mutating func natural(_ draw: inout RandomDraw) -> SchemaSelect {
      let items = (item(&draw, mayNest: false), item(&draw, mayNest: false))
      let common = items.0.source.columns.map(\.name).filter { items.1.source.column($0) != nil }
      let word = draw.one(of: ["JOIN", "LEFT JOIN"])
      var sql = "SELECT * FROM \(items.0.sql) "
      let used: [String]
      if common.isEmpty || draw.chance(40) {
        sql += "NATURAL \(word) \(items.1.sql)"
        used = common
      } else {
        used = draw.some(of: common, 30)
        sql += "\(word) \(items.1.sql) USING (\(used.joined(separator: ", ")))"
      }
      var columns = items.0.source.columns
      for column in items.1.source.columns where !used.contains(column.name) {
        columns.append(column)
      }
      // Of a name that occurs twice nothing can be asked.
      let names = columns.map(\.name)
      columns = columns.filter { column in names.count { $0 == column.name } == 1 }
      return SchemaSelect(sql + tail([items.0], 30, &draw), columns)
    }

    /// With an order, and a limit in which it decides on the rows.
    private mutating func limited(_ select: SchemaSelect, _ draw: inout RandomDraw) -> SchemaSelect
    {
      let columns = select.columns
      if draw.chance(10), columns.allSatisfy({ Affinity($0.type) != .none }) {
        let order = columns.shuffled(&draw).map {
          "\($0.name) COLLATE BINARY\(draw.one(of: ["", " DESC", " NULLS LAST"]))"
        }
        let limit = draw.one(of: [" LIMIT 3", " LIMIT 4 OFFSET 1", " LIMIT 8", ""])
        return SchemaSelect(
          "\(select.sql) ORDER BY \(order.joined(separator: ", "))\(limit)", columns, order: order)
      }
      return select
    }

    mutating func groups(_ draw: inout RandomDraw, isInner: Bool) -> SchemaSelect {
      let (from, items) = from(draw.one(of: [1, 1, 2]), &draw)
      var columns: [Column] = []
      var list: [String] = []
      var keys: [String] = []
      var isExact = true
      for _ in 0..<draw.number(1...2) {
        let item = draw.one(of: items)
        guard
          let column = draw.one(of: item.source.columns, where: { !isInner || $0.isExact })
        else { continue }
        isExact = isExact && column.isExact
        let name = "g\(keys.count)"
        keys.append(item.name(column))
        list.append("\(item.name(column)) AS \(name)")
        columns.append(Column(name: name, type: column.type, collation: column.collation))
      }
      for _ in 0..<draw.number(1...2) {
        let item = draw.one(of: items)
        let column = draw.one(of: item.source.columns)
        let name = "m\(columns.count)"
        var value = draw.one(of: ["count(*)", "sum(#)", "count(#)", "avg(#)", "count(DISTINCT #)"])
        if draw.chance(25), !isInner || column.isExact {
          value = draw.one(of: ["min(#)", "max(#)"])
          isExact = isExact && column.isExact
        }
        list.append("\(value.replacing("#", with: item.name(column))) AS \(name)")
        columns.append(Column(name: name, type: "NUMERIC"))
      }
      var sql = "SELECT \(list.joined(separator: ", ")) FROM \(from)\(tail(items, 35, &draw))"
      if !keys.isEmpty { sql += " GROUP BY \(keys.joined(separator: ", "))" }
      if !keys.isEmpty, draw.chance(30) {
        sql += draw.one(of: [" HAVING count(*) > 1", " HAVING count(*) < 3"])
      }
      return SchemaSelect(sql, columns, isExact: isExact)
    }

    mutating func distinct(_ draw: inout RandomDraw, isInner: Bool) -> SchemaSelect {
      let (from, items) = from(draw.one(of: [1, 2]), &draw)
      var columns: [Column] = []
      var list: [String] = []
      for _ in 0..<draw.number(1...3) {
        let item = draw.one(of: items)
        guard
          let column = draw.one(of: item.source.columns, where: { !isInner || $0.isExact })
        else { continue }
        list.append("\(item.name(column)) AS c\(columns.count)")
        columns.append(
          Column(name: "c\(columns.count)", type: column.type, collation: column.collation))
      }
      if list.isEmpty {
        list = ["typeof(\(items[0].name(items[0].source.columns[0]))) AS c0"]
        columns = [Column(name: "c0", type: "TEXT")]
      }
      return SchemaSelect(
        "SELECT DISTINCT \(list.joined(separator: ", ")) FROM \(from)\(tail(items, 40, &draw))",
        columns, isExact: columns.allSatisfy(\.isExact))
    }

    mutating func compound(_ draw: inout RandomDraw, isInner: Bool) -> SchemaSelect {
      let width = draw.number(1...3)
      var collations: [String] = []
      var arms: [String] = []
      for arm in 0..<draw.one(of: [2, 2, 3]) {
        let item = item(&draw, mayNest: false)
        let list = (0..<width).map { position in
          let column = draw.one(of: item.source.columns)
          if arm == 0 { collations.append(column.collation) }
          return "\(item.name(column)) AS c\(position)"
        }
        arms.append(
          "SELECT \(list.joined(separator: ", ")) FROM \(item.sql)\(tail([item], 40, &draw))")
      }
      // Of equal values of different arms, any is shown, unless all are.
      let signs = isInner ? ["UNION ALL"] : ["UNION", "UNION ALL", "EXCEPT", "INTERSECT"]
      var sql = arms[0]
      for arm in arms.dropFirst() { sql += " \(draw.one(of: signs)) \(arm)" }
      return SchemaSelect(
        sql,
        collations.enumerated().map { Column(name: "c\($0)", type: "", collation: $1) },
        isExact: isInner)
    }

    mutating func window(_ draw: inout RandomDraw) -> SchemaSelect {
      let item = item(&draw)
      let columns = draw.some(of: item.source.columns, 60)
      let partition = draw.one(of: item.source.columns)
      let order = draw.one(of: item.source.columns)
      let key = item.source.key.map { "\(item.alias).\($0)" }.joined(separator: ", ")
      let over = "PARTITION BY \(item.name(partition))"
      var values = [
        "count(*) OVER (\(over))", "sum(\(item.name(order))) OVER (\(over))",
        "rank() OVER (\(over) ORDER BY \(item.name(order)))",
        "count(*) OVER (\(over) ORDER BY \(item.name(order)) DESC)",
        "dense_rank() OVER (ORDER BY \(item.name(order)))",
        // Rows that are equal in a window are in a frame together.
        "cume_dist() OVER (\(over) ORDER BY \(item.name(order)))",
        "count(*) OVER (\(over) ORDER BY \(item.name(order)) GROUPS 1 PRECEDING)",
        "count(*) OVER (\(over) ORDER BY \(item.name(order)) RANGE UNBOUNDED PRECEDING EXCLUDE TIES)",
      ]
      if !key.isEmpty {
        values += [
          "row_number() OVER (\(over) ORDER BY \(item.name(order)), \(key))",
          "lag(\(item.name(order))) OVER (\(over) ORDER BY \(key))",
        ]
      }
      var shown = columns
      for name in item.source.key where !columns.contains(where: { $0.name == name }) {
        if let column = item.source.column(name) { shown.append(column) }
      }
      var list = shown.enumerated().map { "\(item.name($1)) AS c\($0)" }
      list.append("\(draw.one(of: values)) AS w")
      let output =
        shown.enumerated().map {
          Column(name: "c\($0)", type: $1.type, collation: $1.collation)
        } + [Column(name: "w", type: "")]
      let sql = "SELECT \(list.joined(separator: ", ")) FROM \(item.sql)\(tail([item], 30, &draw))"
      guard draw.chance(40) else { return SchemaSelect(sql, output) }
      return SchemaSelect("SELECT * FROM (\(sql)) WHERE w < 3", output)
    }
  }
}

extension Array {
  fileprivate func shuffled(_ draw: inout RandomDraw) -> [Element] {
    var rest = self
    var result: [Element] = []
    while !rest.isEmpty { result.append(rest.remove(at: draw.number(0...rest.count - 1))) }
    return result
  }
}
