import TableDataTesting

/// Random SELECTs of the kinds that have derivations, nested in each other. Each has the columns k, x and
/// y, and its rows are identified by k.
struct RandomLiveSelect {
  private var aliasCount = 0

  mutating func next(_ numbers: inout SeededGenerator) -> String {
    aliasCount = 0
    return source(depth: Int(numbers.small(4)), &numbers)
  }

  private mutating func alias() -> String {
    aliasCount += 1
    return "q\(aliasCount)"
  }

  private func pick(_ list: [String], _ numbers: inout SeededGenerator) -> String {
    list[Int(numbers.small(Int64(list.count))) - 1]
  }

  private func table(_ numbers: inout SeededGenerator) -> String {
    pick(
      [
        "SELECT id AS k, g AS x, v AS y FROM a", "SELECT id AS k, aid AS x, v AS y FROM b",
        "SELECT g AS k, aid AS x, v AS y FROM b", "SELECT g AS k, n AS x, v AS y FROM c",
        "SELECT n AS k, g AS x, v AS y FROM c", "SELECT w AS k, v AS x, g AS y FROM a",
        "SELECT id AS k, bid AS x, v AS y FROM pairs",
        "SELECT g AS k, n AS x, total AS y FROM groups",
        "SELECT e.id AS k, m.value AS x, m.key AS y FROM e, json_each(e.j) AS m",
        "SELECT rowid AS k, body AS x, 1 AS y FROM f WHERE f MATCH 'red'",
        "SELECT a.id AS k, b.g AS x, b.id AS y FROM a LEFT JOIN b ON b.aid = a.id",
        "SELECT b.id AS k, a.g AS x, a.w AS y FROM b, a WHERE b.aid = a.id",
      ], &numbers)
  }

  private mutating func condition(_ q: String, _ depth: Int, _ numbers: inout SeededGenerator)
    -> String
  {
    switch numbers.small(depth > 0 ? 14 : 5) {
    case 1: return "\(q).y > 1"
    case 2: return "\(q).x IS NOT NULL"
    case 3: return "(\(q).y = 2 OR \(q).x = 'a')"
    case 4: return "\(q).k <> 3"
    case 5: return "coalesce(\(q).y, 0) < 3"
    default:
      let r = alias()
      let inner = source(depth: depth - 1, &numbers)
      let column = pick(["k", "x", "y"], &numbers)
      let own = pick(["k", "x", "y"], &numbers)
      switch numbers.small(14) {
      case 12:
        return """
          (CAST(\(q).k AS TEXT), CAST(\(q).y AS TEXT)) IN \
          (SELECT CAST(\(column) AS TEXT), CAST(x AS TEXT) FROM (\(inner)))
          """
      case 13:
        return """
          CASE WHEN EXISTS (SELECT 1 FROM (\(inner)) \(r) WHERE \(r).\(column) = \(q).\(own)) \
          THEN \(q).y > 1 ELSE \(q).x IN (SELECT g FROM c) END
          """
      case 14:
        return """
          NOT EXISTS (SELECT \(r).x FROM (\(inner)) \(r) WHERE \(r).\(column) = \(q).\(own) \
          GROUP BY \(r).x HAVING count(*) > (SELECT count(*) FROM c WHERE c.n = \(r).x))
          """
      case 11:
        let no = pick(["", "NOT "], &numbers)
        return """
          \(q).\(own) \(no)IN (SELECT \(r).y FROM (\(inner)) \(r) WHERE \(r).\(column) = \(q).x \
          ORDER BY \(r).y LIMIT 2)
          """
      case 1: return "EXISTS (SELECT 1 FROM (\(inner)) \(r) WHERE \(r).\(column) = \(q).\(own))"
      case 2: return "NOT EXISTS (SELECT 1 FROM (\(inner)) \(r) WHERE \(r).\(column) = \(q).\(own))"
      case 3: return "\(q).\(own) IN (SELECT \(column) FROM (\(inner)))"
      case 4: return "\(q).\(own) NOT IN (SELECT \(column) FROM (\(inner)))"
      case 5:
        return "\(q).y < (SELECT count(*) FROM (\(inner)) \(r) WHERE \(r).\(column) = \(q).\(own))"
      case 6: return "\(q).y <= (SELECT max(\(column)) FROM (\(inner)))"
      case 7:
        return "\(q).\(own) IN (SELECT \(r).y FROM (\(inner)) \(r) WHERE \(r).\(column) = \(q).x)"
      case 8:
        return
          "\(q).\(own) NOT IN (SELECT \(r).y FROM (\(inner)) \(r) WHERE \(r).\(column) = \(q).x)"
      case 9:
        let nested = condition(r, depth - 1, &numbers)
        return
          "EXISTS (SELECT 1 FROM (\(inner)) \(r) WHERE \(r).\(column) = \(q).\(own) AND \(nested))"
      default:
        return """
          EXISTS (SELECT 1 FROM a z LEFT JOIN (\(inner)) \(r) ON \(r).\(column) = z.g \
          WHERE z.id = \(q).\(own) AND \(r).k IS NULL)
          """
      }
    }
  }

  private mutating func source(depth: Int, _ numbers: inout SeededGenerator) -> String {
    guard depth > 0 else { return table(&numbers) }
    let q = alias()
    let inner = source(depth: depth - 1, &numbers)
    switch numbers.small(25) {
    case 1...4:
      return
        "SELECT \(q).k, \(q).x, \(q).y FROM (\(inner)) \(q) WHERE \(condition(q, depth, &numbers))"
    case 5, 6:
      let r = alias()
      let other = source(depth: depth - 1, &numbers)
      let on = "\(r).\(pick(["k", "x"], &numbers)) = \(q).\(pick(["k", "x", "y"], &numbers))"
      let also = numbers.chance(50) ? " AND \(condition(r, depth, &numbers))" : ""
      return """
        SELECT \(q).k, \(pick([q, r], &numbers)).x, \(r).y FROM (\(inner)) \(q) JOIN (\(other)) \(r) ON \(on)\(also)
        """
    case 7, 8, 9:
      let r = alias()
      let other = source(depth: depth - 1, &numbers)
      let on = "\(r).\(pick(["k", "x"], &numbers)) = \(q).\(pick(["k", "x", "y"], &numbers))"
      let also = pick(
        [
          "", "", " AND EXISTS (SELECT 1 FROM c z WHERE z.n = \(r).y)",
          " AND \(q).y IN (SELECT v FROM a)", " AND \(r).y < (SELECT max(n) FROM c)",
          " AND \(r).x NOT IN (SELECT z.g FROM b z WHERE z.aid = \(q).k)",
        ], &numbers)
      let end = pick(
        ["", " WHERE \(r).k IS NULL", " WHERE \(r).y > 1 OR \(r).y IS NULL"], &numbers)
      return """
        SELECT \(q).k, \(q).x, \(r).y FROM (\(inner)) \(q) LEFT JOIN (\(other)) \(r) ON \(on)\(also)\(end)
        """
    case 10, 11, 12:
      let key = pick(["x", "y", "k"], &numbers)
      let value = pick(["sum(y)", "count(DISTINCT y)", "max(y)", "min(x)", "total(k)"], &numbers)
      let having = pick(
        [
          "",
          " HAVING EXISTS (SELECT 1 FROM a z WHERE z.g = CAST(\(q).\(key) AS TEXT) AND z.w > 1)",
          " HAVING CAST(\(q).\(key) AS TEXT) NOT IN (SELECT g FROM c) AND count(*) < 4",
          " HAVING count(*) > 1",
          " HAVING max(y) > 1",
          " HAVING group_concat(y) > '1'",
        ], &numbers)
      return """
        SELECT \(q).\(key) AS k, count(*) AS x, \(value) AS y FROM (\(inner)) \(q) GROUP BY \(q).\(key)\(having)
        """
    case 13:
      return
        "SELECT DISTINCT \(pick(["x AS k, y AS x, 1 AS y", "x AS k, y AS x, k AS y"], &numbers)) FROM (\(inner))"
    case 14, 15:
      let r = alias()
      let other =
        numbers.chance(30)
        ? source(depth: depth - 1, &numbers)
        : "SELECT \(r).k, \(r).x, \(r).y FROM (\(inner)) \(r) WHERE \(condition(r, depth, &numbers))"
      let sign = pick(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"], &numbers)
      return "SELECT k, x, y FROM (\(inner)) \(sign) SELECT k, x, y FROM (\(other))"
    case 16:
      let value = pick(
        [
          "sum(y) OVER (PARTITION BY x)", "count(*) OVER (PARTITION BY x ORDER BY y)",
          "rank() OVER (PARTITION BY x ORDER BY y, k)", "max(y) OVER (PARTITION BY x)",
          // With rows that are equal in the window.
          "row_number() OVER (PARTITION BY x ORDER BY y)",
          "row_number() OVER (PARTITION BY x ORDER BY y, k)",
          "lag(y) OVER (PARTITION BY x ORDER BY k)",
          "count(*) OVER (PARTITION BY x ORDER BY y ROWS UNBOUNDED PRECEDING)",
          "sum(y) OVER (PARTITION BY x ORDER BY y GROUPS 1 PRECEDING)",
          "count(*) OVER (PARTITION BY x ORDER BY y RANGE UNBOUNDED PRECEDING EXCLUDE TIES)",
          """
          count(y) OVER (PARTITION BY x ORDER BY y \
          ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW)
          """,
        ], &numbers)
      let other = pick(
        [
          "y", "count(*) OVER (PARTITION BY y)", "max(k) OVER (PARTITION BY y, x)",
          "first_value(k) OVER (PARTITION BY x ORDER BY y)",
          "cume_dist() OVER (PARTITION BY x ORDER BY y)",
        ], &numbers)
      let windows =
        "SELECT \(pick(["k", "x"], &numbers)) AS k, \(value) AS x, \(other) AS y FROM (\(inner))"
      return numbers.chance(50)
        ? windows
        : "SELECT \(q).k, \(q).x, \(q).y FROM (\(windows)) \(q) WHERE \(condition(q, depth, &numbers))"
    case 17:
      let r = alias()
      let other = source(depth: depth - 1, &numbers)
      return """
        SELECT \(q).k, \(q).x, (SELECT \(pick(["count(*)", "max(\(r).y)", "min(\(r).x)"], &numbers)) \
        FROM (\(other)) \(r) WHERE \(r).\(pick(["k", "x"], &numbers)) = \(q).\(pick(["k", "x"], &numbers))) AS y \
        FROM (\(inner)) \(q)
        """
    case 18:
      let r = alias()
      return """
        WITH \(q) AS (\(inner)) SELECT \(q).k, \(r).x, \(r).y FROM \(q) JOIN \(q) AS \(r) \
        ON \(r).x = \(q).x AND \(r).k = \(q).y
        """
    case 19:
      let r = alias()
      let other = source(depth: depth - 1, &numbers)
      return """
        SELECT \(q).k, \(q).x, \(q).x IN (SELECT \(r).\(pick(["k", "y"], &numbers)) FROM (\(other)) \(r)) AS y \
        FROM (\(inner)) \(q)
        """
    case 20:
      return """
        SELECT c.g AS k, c.v AS x, count(\(q).y) AS y FROM c LEFT JOIN (\(inner)) \(q) \
        ON \(q).x = c.n GROUP BY c.g, c.n
        """
    case 21, 22:
      let r = alias()
      let other = source(depth: depth - 1, &numbers)
      let on = "\(r).\(pick(["k", "x"], &numbers)) = \(q).\(pick(["k", "x", "y"], &numbers))"
      let also = pick(
        [
          "", "", " AND \(r).y > 1", " AND EXISTS (SELECT 1 FROM c z WHERE z.n = \(r).y)",
          " AND \(q).y IN (SELECT v FROM a)",
        ], &numbers)
      let end = pick(
        ["", " WHERE \(r).k IS NULL", " WHERE \(q).k IS NULL", " WHERE \(r).y > 1 OR \(q).y > 1"],
        &numbers)
      return """
        SELECT \(pick(["\(q).k", "\(r).k", "coalesce(\(q).k, \(r).k)"], &numbers)) AS k, \(q).x, \(r).y \
        FROM (\(inner)) \(q) FULL JOIN (\(other)) \(r) ON \(on)\(also)\(end)
        """
    case 23, 24:
      let (r, s) = (alias(), alias())
      let other = numbers.chance(50) ? "SELECT id AS k, aid AS x, v AS y FROM b" : table(&numbers)
      let last = source(depth: depth - 1, &numbers)
      let first = "(\(inner)) \(q) JOIN (\(other)) \(r) ON \(r).x = \(q).k"
      let on =
        "\(s).\(pick(["k", "x"], &numbers)) = \(pick([q, r], &numbers)).\(pick(["k", "y"], &numbers))"
      let from = pick(
        [
          "\(first) RIGHT JOIN (\(last)) \(s) ON \(on)",
          "(\(last)) \(s) LEFT JOIN (\(first)) ON \(on)",
          "\(first) FULL JOIN (\(last)) \(s) ON \(on)",
          "\(first) RIGHT JOIN (\(last)) \(s) ON \(on) LEFT JOIN c ON c.n = \(r).y",
        ], &numbers)
      let k = pick(["\(s).k", "\(q).k"], &numbers)
      return numbers.chance(70)
        ? "SELECT \(k), \(q).x, \(pick([r, s], &numbers)).y FROM \(from)"
        : "SELECT \(k), count(\(r).x) AS x, min(\(q).y) AS y FROM \(from) GROUP BY \(k)"
    default:
      return """
        SELECT a.g AS k, \(q).x, count(\(q).y) AS y FROM a LEFT JOIN (\(inner)) \(q) \
        ON \(q).k = a.id GROUP BY a.g, \(q).x
        """
    }
  }
}
