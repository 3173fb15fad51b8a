import Testing

/// SELECTs of the kinds that have derivations, with the columns that identify their rows.
struct LiveShape: Sendable, CustomTestStringConvertible {
  let sql: String
  let keys: [String]
  var isFolded = false

  var testDescription: String { sql }

  init(_ sql: String, _ keys: String..., isFolded: Bool = false) {
    self.sql = sql
    self.keys = keys
    self.isFolded = isFolded
  }

  static let all: [LiveShape] = [
    LiveShape("SELECT * FROM a WHERE v > 1", "id"),
    LiveShape(
      "SELECT a.id, a.g, b.id AS bid, b.v FROM a JOIN b ON b.aid = a.id WHERE a.w > 1", "bid"),
    LiveShape("SELECT a.id, b.id AS bid FROM a LEFT JOIN b ON b.aid = a.id", "id", "bid"),
    LiveShape("SELECT a.id FROM a LEFT JOIN b ON b.aid = a.id WHERE b.id IS NULL", "id"),
    LiveShape(
      "SELECT a.id, b.id AS bid, c.n FROM a LEFT JOIN b ON b.aid = a.id LEFT JOIN c ON c.g = b.g",
      "id"),
    LiveShape("SELECT g, count(*) AS n, sum(w) AS s FROM a GROUP BY g", "g"),
    LiveShape("SELECT g, count(*) AS n FROM a GROUP BY g HAVING count(*) > 1", "g"),
    LiveShape(
      "SELECT a.g, v2, count(*) AS n FROM (SELECT id AS i, v + 1 AS v2 FROM a) JOIN a ON a.id = i GROUP BY 1, 2",
      "g", "v2"),
    LiveShape("SELECT a.g, count(b.id) AS n FROM a JOIN b ON b.aid = a.id GROUP BY a.g", "g"),
    LiveShape(
      "SELECT a.id, count(b.id) AS n FROM a LEFT JOIN b ON b.aid = a.id GROUP BY a.id", "id"),
    LiveShape(
      "SELECT a.id, a.g, count(b.id) AS n FROM a LEFT JOIN b ON b.aid = a.id GROUP BY a.id", "id"),
    LiveShape("SELECT DISTINCT g FROM a", "g"),
    LiveShape("SELECT DISTINCT a.g, b.v FROM a JOIN b ON b.aid = a.id", "g", "v"),
    LiveShape("SELECT DISTINCT a.g, b.v FROM a JOIN b ON b.aid = a.id", "g"),
    LiveShape(
      "SELECT * FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.aid = a.id AND b.v > 1)", "id"),
    LiveShape("SELECT * FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.aid = a.id)", "id"),
    LiveShape("SELECT * FROM a WHERE id IN (SELECT aid FROM b WHERE v > 1)", "id"),
    LiveShape("SELECT * FROM a WHERE id NOT IN (SELECT aid FROM b)", "id"),
    LiveShape("SELECT * FROM a WHERE v NOT IN (SELECT w FROM a)", "id"),
    LiveShape("SELECT id, v IN (SELECT aid FROM b) AS isIn FROM a", "id"),
    LiveShape("SELECT * FROM a WHERE g IN (SELECT g FROM b WHERE b.aid = a.id)", "id"),
    LiveShape("SELECT * FROM a WHERE g NOT IN (SELECT g FROM b WHERE b.aid = a.id)", "id"),
    LiveShape("SELECT * FROM a WHERE (id, g) IN (SELECT aid, g FROM b)", "id"),
    LiveShape("SELECT id, (SELECT count(*) FROM b WHERE b.aid = a.id) AS n FROM a", "id"),
    LiveShape("SELECT id, (SELECT max(v) FROM b WHERE b.aid = a.id) AS n FROM a", "id"),
    LiveShape("SELECT id, g FROM a WHERE v > (SELECT avg(v) FROM a)", "id"),
    LiveShape("SELECT g, v FROM a UNION SELECT g, v FROM b", "g", "v"),
    LiveShape("SELECT g FROM a UNION ALL SELECT g FROM b", "g"),
    LiveShape("SELECT g FROM a EXCEPT SELECT g FROM b", "g"),
    LiveShape("SELECT g, v FROM a INTERSECT SELECT g, v FROM b", "g"),
    LiveShape("SELECT id, g, sum(w) OVER (PARTITION BY g) AS s FROM a", "g"),
    LiveShape(
      "SELECT * FROM (SELECT id, g, row_number() OVER (PARTITION BY g ORDER BY w, id) AS r FROM a) WHERE r < 3",
      "g"),
    LiveShape("SELECT id, row_number() OVER (PARTITION BY g ORDER BY w, id) AS r FROM a", "id"),
    LiveShape(
      "SELECT id, sum(w) OVER (PARTITION BY g) AS s, count(*) OVER (PARTITION BY v, w) AS n FROM a",
      "id"),
    LiveShape(
      "SELECT * FROM (SELECT id, g, row_number() OVER (PARTITION BY g ORDER BY w, id) AS r FROM a) WHERE r < 3",
      "id"),
    LiveShape(
      "SELECT g, count(*) AS n, sum(count(*)) OVER (PARTITION BY w) AS m FROM a GROUP BY g, w", "g"),
    LiveShape(
      "SELECT k, max(y) AS m FROM (SELECT g AS k, w AS y FROM a UNION SELECT g, n FROM c) GROUP BY k",
      "k"),
    LiveShape("VALUES (1, 'a'), (2, 'b') EXCEPT SELECT w, g FROM a", "column1"),
    LiveShape("SELECT id FROM a WHERE (w, 'a') IN (VALUES (1, 'a'), (2, 'a'))", "id"),
    LiveShape("SELECT column1 AS k FROM (VALUES (1), (2)) WHERE k IN (SELECT w FROM a)", "k"),
    LiveShape("SELECT a.id FROM a CROSS JOIN b ON b.aid = a.id, c USING (g) WHERE c.n = 1", "id"),
    LiveShape("SELECT a.id, (SELECT v FROM b) IS NULL AS n FROM a", "id"),
    LiveShape("SELECT max(n) AS k FROM (SELECT count(*) AS n FROM a GROUP BY g)", "k"),
    LiveShape(
      "SELECT a.id, count(*) FILTER (WHERE EXISTS (SELECT 1 FROM c WHERE c.g = b.g)) AS n FROM a JOIN b ON b.aid = a.id GROUP BY a.id",
      "id"),
    LiveShape("SELECT a.id, m.value FROM a LEFT JOIN e ON e.id = a.id, json_each(e.j) m", "id"),
    LiveShape("SELECT a.id, f.body FROM a LEFT JOIN f ON f.rowid = a.id AND f MATCH 'blue'", "id"),
    LiveShape("SELECT id FROM a WHERE id IN (SELECT rowid FROM f('red'))", "id"),
    // A copy of the SELECT stands in its own condition, for the partitions of a row.
    LiveShape(
      """
      SELECT p.id, sum(q.n) OVER (PARTITION BY p.g) AS s FROM a p
      LEFT JOIN (
        SELECT x.g, y.v, count(y.g) AS n FROM a x LEFT JOIN (SELECT DISTINCT w, v, g FROM a) y
        ON y.w = x.id GROUP BY x.g, y.v
      ) q ON q.v = p.id WHERE q.g IS NULL
      """, "id"),
    LiveShape("SELECT id FROM a WHERE w NOT IN (SELECT n FROM c)", "id"),
    LiveShape("SELECT id, w IN (SELECT id FROM b) AS isIn FROM a", "id"),
    LiveShape("SELECT id, s FROM e WHERE s IN (SELECT g FROM a)", "id"),
    LiveShape(
      "SELECT e.id, x.n FROM e JOIN (SELECT g || '' AS h, count(*) AS n FROM a GROUP BY 1) x ON x.h = e.s",
      "id"),
    LiveShape(
      "SELECT e.id, x.h FROM e JOIN (SELECT upper(g) AS h FROM a) x ON x.h = e.s", "id"),
    LiveShape(
      "SELECT id, g, sum(w) OVER x AS s, count(*) OVER (x ORDER BY id) AS n FROM a WINDOW x AS (PARTITION BY g)",
      "g"),
    LiveShape(
      "SELECT a.id, x.n FROM a JOIN (SELECT aid, count(*) AS n FROM b GROUP BY aid) x ON x.aid = a.id",
      "id"),
    LiveShape(
      "SELECT a.id, x.n FROM a LEFT JOIN (SELECT aid, count(*) AS n FROM b GROUP BY aid) x ON x.aid = a.id",
      "id"),
    LiveShape(
      "SELECT n, count(*) AS m FROM (SELECT g, count(*) AS n FROM b GROUP BY g) GROUP BY n", "n"),
    LiveShape("SELECT a.id, n, total FROM a JOIN groups ON groups.g = a.g", "id"),
    LiveShape("SELECT id, bid, v FROM pairs WHERE v IS NULL OR v > 1", "id"),
    LiveShape("SELECT p.id, c.n FROM pairs p JOIN c ON c.g = p.g", "id", "n"),
    LiveShape("SELECT p.id, q.n FROM c q LEFT JOIN pairs p ON p.g = q.g", "n"),
    LiveShape(
      "WITH x AS (SELECT g, max(v) AS m FROM b GROUP BY g) SELECT p.id, q.m FROM a p JOIN x q ON q.g = p.g WHERE EXISTS (SELECT 1 FROM x WHERE x.m = p.v)",
      "id"),
    LiveShape(
      "WITH x(i) AS (SELECT aid FROM b WHERE v = 1 UNION SELECT n FROM c) SELECT * FROM a WHERE id IN x",
      "id"),
    LiveShape(
      "SELECT * FROM a WHERE id IN (SELECT aid FROM b GROUP BY aid HAVING count(*) > 1)", "id"),
    LiveShape("SELECT * FROM a WHERE g IN (SELECT g FROM b EXCEPT SELECT g FROM c)", "id"),
    LiveShape(
      "SELECT * FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.aid = a.id AND b.g IN (SELECT g FROM c))",
      "id"),
    LiveShape(
      "SELECT * FROM a WHERE NOT EXISTS (SELECT 1 FROM b LEFT JOIN c ON c.g = b.g WHERE b.aid = a.id AND c.n IS NULL)",
      "id"),
    LiveShape(
      "SELECT a.g, count(*) AS n FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.aid = a.id) GROUP BY a.g HAVING sum(w) > (SELECT min(n) FROM c)",
      "g"),
    LiveShape(
      "SELECT g, count(*) AS n FROM a GROUP BY g HAVING EXISTS (SELECT 1 FROM c WHERE c.g = a.g)",
      "g"),
    LiveShape("SELECT count(*) AS n, sum(v) AS s FROM a", "n"),
    LiveShape("SELECT a.id, x.n FROM a, (SELECT count(*) AS n FROM b) x WHERE a.v < x.n", "id"),
    LiveShape("SELECT rowid AS r, body FROM f WHERE f MATCH 'red'", "r"),
    LiveShape("SELECT e.id, x.key, x.value FROM e, json_each(e.j) x", "id", "key"),
    LiveShape(
      "SELECT value, count(*) AS n FROM e JOIN json_each(e.j) GROUP BY value", "value"),
    LiveShape("SELECT s, count(*) AS n FROM e GROUP BY s", "s", isFolded: true),
    LiveShape("SELECT DISTINCT s FROM e", "s", isFolded: true),
    LiveShape("SELECT x.id, y.id AS other FROM a x JOIN a y ON y.g = x.g AND y.id > x.id", "id"),
    LiveShape(
      "SELECT id, CASE WHEN EXISTS (SELECT 1 FROM b WHERE aid = a.id) THEN 1 END AS m FROM a", "id"),
    LiveShape(
      "SELECT a.id, b.id AS bid FROM a LEFT JOIN b ON b.aid = a.id AND EXISTS (SELECT 1 FROM c WHERE c.g = b.g)",
      "id"),
    LiveShape(
      "SELECT a.id, b.id AS bid FROM a JOIN b ON b.aid = a.id AND b.id = (SELECT max(z.id) FROM b z WHERE z.aid = a.id)",
      "bid"),
    LiveShape(
      "SELECT a.id, b.id AS bid FROM a JOIN b ON b.aid = a.id AND NOT EXISTS (SELECT 1 FROM c WHERE c.g = a.g AND c.n > 2)",
      "bid"),
    LiveShape(
      "SELECT b.id FROM a CROSS JOIN b ON b.aid = a.id AND b.v NOT IN (SELECT n FROM c) LEFT JOIN e ON e.id = b.id",
      "id"),
    LiveShape(
      "SELECT a.id FROM a WHERE EXISTS (SELECT 1 FROM b JOIN c ON c.g = b.g AND c.n = (SELECT max(z.n) FROM c z WHERE z.g = b.g) WHERE b.aid = a.id AND c.v > 1)",
      "id"),
    LiveShape(
      "SELECT a.id, e.id AS eid FROM a LEFT JOIN b ON b.aid = a.id JOIN c ON c.g = b.g AND c.n IN (SELECT v FROM b) LEFT JOIN e ON e.id = c.n",
      "id"),
    LiveShape(
      "SELECT id, g, v FROM (SELECT id, g, v, row_number() OVER (PARTITION BY g ORDER BY id) AS r, count(*) OVER (PARTITION BY v) AS n FROM a) WHERE r = 1 AND n = 2",
      "id"),
    LiveShape(
      "SELECT id, n FROM (SELECT id, count(*) OVER (PARTITION BY g, v) AS m, sum(w) OVER (PARTITION BY g) AS n FROM a) WHERE m = 1",
      "id"),
    LiveShape(
      "SELECT g, n, m FROM (SELECT g, v, count(*) AS n, sum(count(*)) OVER (PARTITION BY v) AS m, max(count(*)) OVER (PARTITION BY g) AS x FROM a GROUP BY g, v) WHERE n = x",
      "g"),
    LiveShape(
      "SELECT c.g, c.n, c.v, count(a.id) AS m FROM c LEFT JOIN a ON a.g = c.g GROUP BY c.g, c.n",
      "g", "n"),
    LiveShape("SELECT a.id, c.n FROM a NATURAL JOIN c", "id", "n"),
    LiveShape("SELECT a.id FROM a JOIN (b AS q JOIN c ON c.g = q.g) ON q.aid = a.id", "id"),
    LiveShape(
      "SELECT id, (SELECT x.v FROM b x WHERE x.aid = a.id ORDER BY x.id LIMIT 1) AS f FROM a", "id"),
    LiveShape("SELECT id FROM a WHERE v IN (SELECT aid FROM b UNION ALL SELECT n FROM c)", "id"),
    LiveShape("SELECT id FROM a WHERE v NOT IN (SELECT n FROM c UNION SELECT w FROM a)", "id"),
    LiveShape("SELECT CAST(v AS TEXT) AS t, count(*) AS n FROM b GROUP BY CAST(v AS TEXT)", "t"),
    LiveShape("SELECT v FROM a UNION SELECT g FROM b", "v"),
    LiveShape(
      "SELECT max(v) AS m, g FROM (SELECT g, v FROM a UNION ALL SELECT g, n FROM c) GROUP BY g", "g"
    ),
    // Joins that another join joins.
    LiveShape(
      "SELECT a.id, b.id AS bid, c.g, c.n FROM a JOIN b ON b.aid = a.id RIGHT JOIN c ON c.n = b.v AND c.g = a.g",
      "g", "n"),
    LiveShape(
      "SELECT a.id, b.id AS bid, e.id AS eid FROM a LEFT JOIN b ON b.aid = a.id RIGHT JOIN e ON e.v = b.id",
      "id", "bid", "eid"),
    LiveShape(
      "SELECT e.id, e.v, count(b.id) AS n, max(a.w) AS m FROM a JOIN b ON b.aid = a.id RIGHT JOIN e ON e.v = a.id GROUP BY e.id",
      "id"),
    LiveShape(
      "SELECT a.id, a.g, count(e.id) AS n FROM a JOIN b ON b.aid = a.id RIGHT JOIN e ON e.v = b.id GROUP BY a.id",
      "id"),
    LiveShape(
      "SELECT a.id, b.id AS bid, c.n FROM a RIGHT JOIN b ON b.aid = a.id RIGHT JOIN c ON c.g = b.g",
      "id", "bid", "n"),
    LiveShape(
      "SELECT a.id, b.id AS bid, e.id AS eid FROM a RIGHT JOIN (b JOIN e ON e.v = b.aid) ON b.aid = a.id AND a.w > 1",
      "id", "bid", "eid"),
    LiveShape(
      "SELECT a.id, b.id AS bid, c.n FROM a LEFT JOIN (b JOIN c ON c.g = b.g) ON b.aid = a.id",
      "id"),
    LiveShape(
      "SELECT a.id, b.id AS bid, c.n FROM a LEFT JOIN (b LEFT JOIN c ON c.g = b.g AND c.n > 1) ON b.aid = a.id AND b.v < 3",
      "id", "bid"),
    LiveShape(
      "SELECT a.id FROM a LEFT JOIN (b JOIN c ON c.g = b.g) ON b.aid = a.id WHERE c.n IS NULL", "id"
    ),
    LiveShape("SELECT a.id, b.id AS bid, a.g FROM a FULL JOIN b ON b.aid = a.id", "id", "bid"),
    LiveShape("SELECT a.id, b.id AS bid, a.g FROM a FULL JOIN b ON b.aid = a.id", "id"),
    LiveShape(
      "SELECT a.id, b.id AS bid FROM a FULL JOIN b ON b.aid = a.id AND a.w > 1 WHERE a.id IS NULL OR b.id IS NULL",
      "id", "bid"),
    LiveShape(
      "SELECT coalesce(a.g, b.g) AS g, a.id, b.id AS bid FROM a FULL JOIN b ON b.g = a.g AND EXISTS (SELECT 1 FROM c WHERE c.g = b.g)",
      "id", "bid"),
    LiveShape(
      "SELECT a.id, b.id AS bid, c.n FROM a FULL JOIN b ON b.aid = a.id JOIN c ON c.g = a.g",
      "id", "bid", "n"),
    LiveShape(
      "SELECT a.id, b.id AS bid, e.id AS eid FROM a FULL JOIN b ON b.aid = a.id LEFT JOIN e ON e.v = b.id",
      "id", "bid", "eid"),
    LiveShape(
      "SELECT a.id, b.id AS bid, e.id AS eid FROM a JOIN b ON b.aid = a.id FULL JOIN e ON e.v = b.id",
      "id", "bid", "eid"),
    LiveShape(
      "SELECT a.id, b.id AS bid, e.id AS eid FROM a FULL JOIN b ON b.aid = a.id FULL JOIN e ON e.v = a.id",
      "id", "bid", "eid"),
    LiveShape(
      "SELECT a.id, b.id AS bid, e.id AS eid FROM e LEFT JOIN (a FULL JOIN b ON b.aid = a.id) ON e.v = a.id",
      "id", "bid", "eid"),
    LiveShape(
      "SELECT a.id, a.g, count(b.id) AS n, sum(a.w) AS s FROM a FULL JOIN b ON b.aid = a.id GROUP BY a.id",
      "id"),
    LiveShape(
      "SELECT b.id, b.v, count(a.id) AS n FROM a FULL JOIN b ON b.aid = a.id GROUP BY b.id", "id"),
    LiveShape(
      "SELECT id, g FROM a WHERE EXISTS (SELECT 1 FROM b FULL JOIN c ON c.n = b.v WHERE b.aid = a.id)",
      "id"),
    LiveShape(
      "SELECT e.s, a.id, e.id AS eid FROM a FULL JOIN e ON e.v = a.id", "s", "id", isFolded: true),
    LiveShape(
      "SELECT DISTINCT a.g, b.v FROM a FULL JOIN b ON b.aid = a.id", "g", "v"),
  ]
}
