import Testing

/// A SELECT that means the same in SQLite and in PostgreSQL, and how its rows are identified and
/// sorted in a list.
struct SharedSelect: Sendable {
  let sql: String
  /// The columns that identify a row; none if it is identified by its content.
  let key: [String]
  /// What is sorted by before the key.
  var order: [(column: String, isDescending: Bool)] = []
  var section: String?
  /// Whether its list is kept by comparison of all rows, and not from the touched rows.
  var isCompared = false

  init(
    _ sql: String, _ key: String..., ascending: String? = nil, descending: String? = nil,
    section: String? = nil, isCompared: Bool = false
  ) {
    self.sql = sql
    self.key = key
    self.section = section
    self.isCompared = isCompared
    if let ascending { order.append((ascending, false)) }
    if let descending { order.append((descending, true)) }
  }

  /// The columns by which the list is sorted; a section's first.
  var sortedColumns: [(column: String, isDescending: Bool)] {
    (section.map { [($0, false)] } ?? []) + order + key.map { ($0, false) }
  }

  static let all = tables + groups + subqueries + derivedTables + compounds + windows

  // MARK: - One table, joins

  private static let tables = [
    SharedSelect("SELECT * FROM a WHERE v > 1", "id", ascending: "g"),
    SharedSelect("SELECT id, g, v FROM a", "id", descending: "v", section: "g"),
    SharedSelect(
      """
      SELECT id, v / 2 AS half, v % 3 AS rest, g || '!' AS loud, coalesce(g, '-') AS name,
        upper(g) AS big, nullif(w, 3) AS w, CASE WHEN v < 0 THEN -v ELSE v END AS size
      FROM a WHERE v BETWEEN -2 AND 4 OR g IS NULL
      """, "id", descending: "name"),
    SharedSelect(
      "SELECT a.id, a.g, b.id AS bid, b.v FROM a JOIN b ON b.aid = a.id WHERE a.w > 3", "bid",
      descending: "v"),
    SharedSelect("SELECT a.id, b.id AS bid FROM a LEFT JOIN b ON b.aid = a.id", "id", "bid"),
    SharedSelect("SELECT a.id FROM a LEFT JOIN b ON b.aid = a.id WHERE b.id IS NULL", "id"),
    SharedSelect(
      """
      SELECT a.id, b.id AS bid, c.n FROM a
      LEFT JOIN b ON b.aid = a.id AND b.v > 0 LEFT JOIN c ON c.g = b.g AND c.v IS NOT NULL
      """, "id", "bid", "n", section: "n"),
    SharedSelect(
      "SELECT x.id, y.id AS other FROM a x JOIN a y ON y.g = x.g AND y.id > x.id", "id", "other"),
    SharedSelect("SELECT a.id, c.n, g FROM a JOIN c USING (g)", "id", "n", ascending: "g"),
    SharedSelect("SELECT a.id, d.id AS did, d.x FROM a JOIN d ON d.aid = a.id", "did"),
    SharedSelect("SELECT id, bid, v FROM pairs WHERE v IS NULL OR v > 1", "id", "bid"),
    SharedSelect(
      "SELECT a.id, b.id AS bid FROM a JOIN b ON a.g IS NOT DISTINCT FROM b.g AND a.v = b.v", "id",
      "bid"),
  ]

  // MARK: - Groups

  private static let groups = [
    SharedSelect("SELECT g, count(*) AS n, sum(w) AS s, min(v) AS m FROM a GROUP BY g", "g"),
    SharedSelect(
      "SELECT g, count(*) AS n FROM a GROUP BY g HAVING count(*) > 1", "g", descending: "n"),
    SharedSelect(
      "SELECT a.g, count(b.id) AS n, max(b.g) AS m FROM a JOIN b ON b.aid = a.id GROUP BY a.g", "g"),
    SharedSelect(
      "SELECT a.id, a.g, count(b.id) AS n FROM a LEFT JOIN b ON b.aid = a.id GROUP BY a.id", "id",
      section: "n"),
    SharedSelect(
      """
      SELECT g, count(DISTINCT v) AS n, sum(v) FILTER (WHERE w > 5) AS s FROM a
      GROUP BY g HAVING max(w) > 5 OR g IS NULL
      """, "g"),
    SharedSelect("SELECT v % 2 AS k, count(*) AS n FROM b GROUP BY v % 2", "k"),
    SharedSelect(
      """
      SELECT a.g, count(*) AS n FROM a
      WHERE EXISTS (SELECT 1 FROM b WHERE b.aid = a.id) GROUP BY a.g
      """, "g"),
    SharedSelect(
      """
      SELECT g, count(*) AS n FROM a GROUP BY g
      HAVING EXISTS (SELECT 1 FROM c WHERE c.g = a.g)
      """, "g"),
    SharedSelect("SELECT count(*) AS n, sum(v) AS s, max(g) AS m FROM a", "n", isCompared: true),
    SharedSelect("SELECT DISTINCT g FROM a", "g"),
    SharedSelect("SELECT DISTINCT a.g, b.v FROM a JOIN b ON b.aid = a.id", "g", "v"),
  ]

  // MARK: - Subqueries

  private static let subqueries = [
    SharedSelect(
      "SELECT * FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.aid = a.id AND b.v > 1)", "id"),
    SharedSelect("SELECT * FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.aid = a.id)", "id"),
    SharedSelect(
      """
      SELECT * FROM a WHERE NOT EXISTS (
        SELECT 1 FROM b LEFT JOIN c ON c.g = b.g WHERE b.aid = a.id AND c.n IS NULL)
      """, "id"),
    SharedSelect("SELECT * FROM a WHERE id IN (SELECT aid FROM b WHERE v > 1)", "id"),
    SharedSelect("SELECT * FROM a WHERE id NOT IN (SELECT aid FROM b WHERE g = 'a')", "id"),
    SharedSelect(
      """
      SELECT id, CASE WHEN v IN (SELECT aid FROM b WHERE b.g = a.g) THEN 'yes'
        WHEN v NOT IN (SELECT aid FROM b WHERE b.g = a.g) THEN 'no' END AS answer
      FROM a
      """, "id"),
    SharedSelect("SELECT * FROM a WHERE (id, g) IN (SELECT aid, g FROM b)", "id"),
    SharedSelect(
      "SELECT * FROM a WHERE id IN (SELECT aid FROM b GROUP BY aid HAVING count(*) > 1)", "id"),
    SharedSelect("SELECT * FROM a WHERE g IN (SELECT g FROM b EXCEPT SELECT g FROM c)", "id"),
    SharedSelect(
      """
      SELECT id, (SELECT count(*) FROM b WHERE b.aid = a.id) AS n,
        (SELECT max(v) FROM b WHERE b.aid = a.id) AS m
      FROM a
      """, "id", descending: "n"),
    SharedSelect(
      """
      SELECT id, (SELECT x.g FROM b x WHERE x.aid = a.id ORDER BY x.id DESC LIMIT 1) AS newest
      FROM a
      """, "id"),
    SharedSelect("SELECT id, g FROM a WHERE v > (SELECT avg(v) FROM a)", "id", isCompared: true),
    SharedSelect(
      """
      SELECT a.id, b.id AS bid FROM a
      LEFT JOIN b ON b.aid = a.id AND EXISTS (SELECT 1 FROM c WHERE c.g = b.g)
      """, "id", "bid"),
  ]

  // MARK: - Derived tables, WITH

  private static let derivedTables = [
    SharedSelect(
      """
      SELECT a.id, x.n FROM a
      JOIN (SELECT aid, count(*) AS n FROM b GROUP BY aid) AS x ON x.aid = a.id
      """, "id", descending: "n"),
    SharedSelect(
      """
      SELECT a.id, x.n FROM a
      LEFT JOIN (SELECT aid, count(*) AS n FROM b GROUP BY aid) AS x ON x.aid = a.id
      """, "id"),
    SharedSelect(
      """
      SELECT n, count(*) AS m FROM (SELECT g, count(*) AS n FROM b GROUP BY g) AS x GROUP BY n
      """, "n", isCompared: true),
    SharedSelect("SELECT a.id, n, total FROM a JOIN totals ON totals.g = a.g", "id"),
    SharedSelect(
      """
      WITH x AS (SELECT g, max(v) AS m FROM b GROUP BY g)
      SELECT p.id, q.m FROM a p JOIN x q ON q.g = p.g WHERE q.m >= p.v
      """, "id"),
    SharedSelect(
      """
      WITH x(i) AS (SELECT aid FROM b WHERE v = 1 UNION SELECT n FROM c)
      SELECT * FROM a WHERE id IN (SELECT i FROM x)
      """, "id"),
    SharedSelect(
      "SELECT a.id, x.n FROM a CROSS JOIN (SELECT count(*) AS n FROM b) AS x WHERE a.v < x.n", "id",
      isCompared: true),
    SharedSelect(
      "SELECT x.id, x.w FROM (SELECT id, w FROM a ORDER BY w DESC, id LIMIT 5) AS x", "id",
      isCompared: true),
  ]

  // MARK: - Compounds

  private static let compounds = [
    SharedSelect("SELECT g, v FROM a UNION SELECT g, v FROM b", "g", "v"),
    SharedSelect(
      "SELECT 1 AS arm, id, g FROM a UNION ALL SELECT 2, id, g FROM b", "arm", "id", section: "g"),
    SharedSelect("SELECT g FROM a UNION ALL SELECT g FROM b", isCompared: true),
    SharedSelect("SELECT g FROM a EXCEPT SELECT g FROM b", "g"),
    SharedSelect("SELECT g, v FROM a INTERSECT SELECT g, v FROM b", "g", "v"),
    SharedSelect("SELECT g FROM a INTERSECT SELECT g FROM b UNION SELECT g FROM c", "g"),
    SharedSelect(
      """
      SELECT k, max(y) AS m FROM (SELECT g AS k, w AS y FROM a UNION SELECT g, n FROM c) AS x
      GROUP BY k
      """, "k"),
  ]

  // MARK: - Windows

  private static let windows = [
    SharedSelect(
      "SELECT id, g, sum(w) OVER (PARTITION BY g) AS s, count(v) OVER (PARTITION BY w) AS n FROM a",
      "id"),
    SharedSelect(
      """
      SELECT id, row_number() OVER (PARTITION BY g ORDER BY v NULLS FIRST, id) AS r,
        dense_rank() OVER (PARTITION BY g ORDER BY w) AS d,
        lag(v) OVER (PARTITION BY g ORDER BY id) AS before,
        sum(w) OVER (PARTITION BY g ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS s
      FROM a
      """, "id"),
    SharedSelect(
      """
      SELECT * FROM (
        SELECT id, g, w, row_number() OVER (PARTITION BY g ORDER BY w DESC, id) AS r FROM a
      ) AS x WHERE r < 3
      """, "id", ascending: "r", section: "g"),
    SharedSelect(
      """
      SELECT * FROM (
        SELECT a.g, b.id, rank() OVER (PARTITION BY a.g ORDER BY b.v NULLS LAST) AS r
        FROM a JOIN b ON b.aid = a.id
      ) AS x WHERE r = 1
      """, "id"),
    SharedSelect(
      "SELECT g, w, count(*) AS n, sum(count(*)) OVER (PARTITION BY w) AS m FROM a GROUP BY g, w",
      "g", "w"),
  ]
}
