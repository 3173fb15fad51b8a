import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults
@testable import LiveQueries

/// SELECTs of which a change was missed once, or a value was wrong.
@Suite struct LiveSelectTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let schema: String
    /// Whether it must not be compared.
    var isLive = false
    let select: String
    var key = ["id"]
    let commits: [String]
  }

  /// The rows that a list shows are those of the SELECT, before and after each commit.
  @Test(arguments: cases) func theListIsTheSelect(_ live: Case) throws {
    let database = try Database.inMemory()
    try database.write { try $0.execute(script: live.schema) }
    let provider = try FetchedResultsProvider(
      database: database,
      request: live.key.isEmpty
        ? FetchRequest<Row>(select: SQL(verbatim: live.select))
        : FetchRequest<Row>(select: SQL(verbatim: live.select), key: live.key))
    try provider.performFetch()
    func check(_ place: String) throws {
      let expected = try database.read { try $0.rows(SQL(verbatim: live.select)).map(\.values) }
      let shown = provider.fetchedObjects?.map(\.values) ?? []
      #expect(Set(shown) == Set(expected), "\(place): \(provider.maintenance as Any)")
      #expect(shown.count == expected.count)
    }
    #expect(!live.isLive || provider.maintenance == .touchedRows, "\(provider.maintenance as Any)")
    try check("at first")
    for commit in live.commits {
      try database.write { try $0.execute(script: commit) }
      try provider.refresh()
      try check(commit)
    }
  }

  private static let join = """
    CREATE TABLE a(id INTEGER PRIMARY KEY, n INT);
    CREATE TABLE b(id INTEGER PRIMARY KEY, aid INT, n INT);
    CREATE TABLE c(id INTEGER PRIMARY KEY, v, n INT);
    CREATE INDEX b_aid ON b(aid);
    CREATE INDEX b_n ON b(n);
    CREATE INDEX c_n ON c(n);
    INSERT INTO a VALUES (1, 7), (2, 8), (10, 9);
    INSERT INTO b VALUES (10, 1, 1), (11, 2, 2);
    INSERT INTO c VALUES (10, 'old', 1), (11, 'old', 2);
    """

  private static let joined =
    join + "CREATE INDEX b_aid_id ON b(aid, id); CREATE INDEX c_n_id ON c(n, id);"

  private static let windows = """
    CREATE TABLE a(id INTEGER PRIMARY KEY, g INT, v INT);
    CREATE INDEX a_g ON a(g);
    CREATE INDEX a_v ON a(v);
    INSERT INTO a VALUES (1, 1, 1), (2, 1, 2), (3, 2, 1), (4, 2, 2);
    """

  private static let ties = """
    CREATE TABLE x(id INTEGER PRIMARY KEY, g, t, v);
    CREATE INDEX i ON x(g, t);
    INSERT INTO x VALUES (1, 1, 5, 'a'), (2, 1, 5, 'b'), (3, 1, 6, 'c');
    """

  private static let unread = """
    CREATE TABLE chat(id TEXT PRIMARY KEY, name TEXT);
    CREATE TABLE message(id INTEGER PRIMARY KEY, chat TEXT);
    CREATE TABLE u(id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, name TEXT);
    CREATE INDEX message_chat ON message(chat);
    INSERT INTO chat VALUES ('a', 'A'), ('b', 'B');
    INSERT INTO u VALUES (1, 'a', 'A'), (2, 'b', 'B');
    INSERT INTO message VALUES (1, 'a'), (2, 'a');
    """

  private static let prices = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, v INT);
    CREATE TABLE price(id INTEGER PRIMARY KEY, kind TEXT, day INT, x INT);
    CREATE INDEX price_kind ON price(kind, day);
    CREATE VIEW spot AS SELECT * FROM price WHERE kind = 'spot' ORDER BY day DESC;
    INSERT INTO t VALUES (1, 5), (2, 15);
    INSERT INTO price VALUES (1, 'spot', 1, 10), (2, 'spot', 2, 10);
    """

  private static let tags = """
    CREATE TABLE item(id INTEGER PRIMARY KEY);
    CREATE TABLE tag(id INTEGER PRIMARY KEY, item INT, name TEXT);
    CREATE INDEX tag_item ON tag(item);
    CREATE VIEW sorted AS SELECT * FROM tag ORDER BY name;
    INSERT INTO item VALUES (1), (2);
    INSERT INTO tag VALUES (1, 1, 'z'), (2, 1, 'a'), (3, 1, 'k'), (4, 2, 'c');
    """

  private static let optional = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, x INT);
    CREATE TABLE a(id INTEGER PRIMARY KEY, tid INT);
    CREATE TABLE b(id INTEGER PRIMARY KEY, aid INT, y INT);
    CREATE INDEX a_tid ON a(tid);
    CREATE INDEX b_aid ON b(aid);
    INSERT INTO t VALUES (1, 0), (2, 5), (3, 1);
    INSERT INTO a VALUES (1, 1), (2, 2), (3, 3);
    INSERT INTO b VALUES (1, 1, 5), (2, 2, 5), (3, 3, 5);
    """

  private static let lists = """
    CREATE TABLE cfg(id INTEGER PRIMARY KEY, j TEXT);
    INSERT INTO cfg VALUES (1, '[1]'), (2, 'x'), (3, 'y');
    """

  private static let groups = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, g INT, name TEXT COLLATE NOCASE, v);
    CREATE INDEX t_g ON t(g);
    INSERT INTO t VALUES (1, 1, 'a', 1), (2, 2, 'b', 1);
    """

  private static let types = """
    CREATE TABLE a(id INTEGER PRIMARY KEY, r INT, s TEXT);
    CREATE TABLE b(id INTEGER PRIMARY KEY, r INT);
    CREATE TABLE f(id INTEGER PRIMARY KEY, g);
    CREATE TABLE c(id INTEGER PRIMARY KEY, g INTEGER, n INT);
    CREATE TABLE d(id INTEGER PRIMARY KEY, k TEXT, x INT);
    CREATE INDEX b_r ON b(r);
    CREATE INDEX c_g ON c(g);
    CREATE INDEX d_k ON d(k);
    CREATE INDEX f_g ON f(g);
    CREATE VIRTUAL TABLE words USING fts5(s);
    INSERT INTO a VALUES (1, 1, 'x'), (2, 2, 'y');
    INSERT INTO b VALUES (1, 1);
    INSERT INTO c VALUES (1, 2, 1), (2, 3, 1);
    INSERT INTO d VALUES (1, '2', 1), (2, '3', 1), (3, 'z', 1);
    INSERT INTO f VALUES (1, '2'), (2, 2), (3, 5);
    INSERT INTO words VALUES ('x');
    """

  static let cases: [Case] = [
    Case(
      testDescription: "a RIGHT JOIN after a join", schema: joined, isLive: true,
      select: """
        SELECT a.id, b.id AS bid, c.id AS cid, a.n, c.v FROM a JOIN b ON b.aid = a.id
        RIGHT JOIN c ON c.n = b.n
        """, key: ["id", "bid", "cid"],
      commits: [
        "UPDATE b SET n = 5 WHERE id = 10", "UPDATE c SET n = 5 WHERE id = 11",
        "DELETE FROM a WHERE id = 2", "INSERT INTO a VALUES (2, 4)",
        "INSERT INTO b VALUES (12, 2, 5)", "UPDATE c SET v = 'new'", "DELETE FROM c WHERE id = 10",
      ]),
    Case(
      testDescription: "groups of a RIGHT JOIN after a join", schema: joined, isLive: true,
      select: """
        SELECT c.id, c.v, count(a.id) AS k FROM a JOIN b ON b.aid = a.id RIGHT JOIN c ON c.n = b.n
        GROUP BY c.id
        """, key: [],
      commits: [
        "DELETE FROM a WHERE id = 1", "INSERT INTO b VALUES (12, 2, 1), (13, 10, 1)",
        "UPDATE c SET v = 'new' WHERE id = 11", "INSERT INTO c VALUES (12, 'new', 9)",
      ]),
    Case(
      testDescription: "a LEFT JOIN of a join", schema: joined, isLive: true,
      select: """
        SELECT a.id, b.id AS bid, c.id AS cid FROM a LEFT JOIN (b JOIN c ON c.n = b.n) ON b.aid = a.id
        """, key: [],
      commits: [
        "UPDATE c SET n = 8 WHERE id = 10", "UPDATE c SET n = 1 WHERE id = 10",
        "UPDATE b SET aid = 2", "DELETE FROM b", "INSERT INTO b VALUES (10, 10, 1)",
      ]),
    Case(
      testDescription: "a FULL JOIN", schema: joined, isLive: true,
      select: "SELECT a.id, b.id AS bid, a.n, b.n AS m FROM a FULL JOIN b ON b.aid = a.id", key: [],
      commits: [
        "UPDATE b SET aid = 10 WHERE id = 10", "UPDATE b SET aid = 77",
        "DELETE FROM a WHERE id = 2",
        "INSERT INTO a VALUES (77, 1)", "UPDATE a SET n = 3", "DELETE FROM b",
      ]),
    Case(
      testDescription: "a FULL JOIN of a join", schema: joined, isLive: true,
      select: """
        SELECT a.id, b.id AS bid, c.id AS cid FROM a JOIN b ON b.aid = a.id FULL JOIN c ON c.n = b.n
        """, key: ["id", "bid", "cid"],
      commits: [
        "UPDATE c SET n = 9", "DELETE FROM a WHERE id = 1", "UPDATE c SET n = 2 WHERE id = 10",
        "INSERT INTO b VALUES (12, 10, 9)",
      ]),
    // SQLite compares coalesce(a.n, b.n), which has no affinity, with c.n: '1' is not 1 then.
    Case(
      testDescription: "USING of three tables beside a RIGHT JOIN",
      schema: """
        CREATE TABLE a(id INTEGER PRIMARY KEY, n INT);
        CREATE TABLE b(id INTEGER PRIMARY KEY, n INT);
        CREATE TABLE c(id INTEGER PRIMARY KEY, n);
        CREATE TABLE d(id INTEGER PRIMARY KEY);
        CREATE INDEX a_n ON a(n);
        CREATE INDEX b_n ON b(n);
        CREATE INDEX c_n ON c(n);
        INSERT INTO a VALUES (1, 1);
        INSERT INTO b VALUES (1, 1);
        INSERT INTO d VALUES (1), (2);
        """,
      select: """
        SELECT a.id, b.id AS bid, c.id AS cid, d.id AS did
        FROM a JOIN b USING (n) JOIN c USING (n) RIGHT JOIN d ON d.id = c.id
        """, key: [],
      commits: ["INSERT INTO c VALUES (1, '1')", "INSERT INTO c VALUES (2, 1)"]),
    Case(
      testDescription: "a table joined by USING, of which no column is named", schema: types,
      select: "SELECT a.id, a.s FROM a JOIN b USING (r)", key: [],
      commits: ["INSERT INTO b VALUES (2, 2)", "DELETE FROM b WHERE id = 1"]),
    Case(
      testDescription: "a table joined by NATURAL, cut at a limit", schema: types,
      select: "SELECT count(*) AS n FROM (SELECT * FROM a NATURAL JOIN b LIMIT 5)", key: [],
      commits: ["DELETE FROM b", "INSERT INTO b VALUES (1, 1)"]),
    Case(
      testDescription: "a virtual table joined by NATURAL", schema: types,
      select: "SELECT a.r FROM a NATURAL JOIN words", key: [],
      commits: ["DELETE FROM words", "INSERT INTO words VALUES ('y')"]),
    Case(
      testDescription: "a view joined by USING",
      schema: types + "CREATE VIEW v AS SELECT r FROM b;",
      select: "SELECT a.id, a.s FROM a JOIN (SELECT DISTINCT r FROM v) USING (r)",
      commits: ["INSERT INTO b VALUES (2, 2)", "DELETE FROM b WHERE id = 1"]),
    Case(
      testDescription: "a view has a text in double quotes",
      schema: types + "CREATE VIEW v AS SELECT id, s || \"!\" AS t FROM a;", isLive: true,
      select: "SELECT id, t FROM v WHERE t <> 'x!'",
      commits: ["UPDATE a SET s = 'y' WHERE id = 1", "DELETE FROM a"]),
    Case(
      testDescription: "GROUP BY names a column twice", schema: types, isLive: true,
      select: "SELECT k FROM d GROUP BY k, k", key: [],
      commits: ["INSERT INTO d VALUES (4, 'w', 1)", "DELETE FROM d WHERE id = 1"]),
    Case(
      testDescription: "the key names a column twice", schema: types,
      select: "SELECT id, x FROM d LIMIT 10", key: ["id", "ID"],
      commits: ["UPDATE d SET x = 2 WHERE id = 1", "DELETE FROM d WHERE id = 2"]),
    Case(
      testDescription: "the group is a TEXT that HAVING compares with an INTEGER", schema: types,
      select: "SELECT k, count(*) AS n FROM d GROUP BY k HAVING k IN (SELECT g FROM c)",
      key: ["k"],
      commits: ["DELETE FROM c WHERE id = 1", "INSERT INTO c VALUES (1, 2, 5)", "DELETE FROM d"]),
    Case(
      testDescription: "the group is a TEXT that a subquery compares with an INTEGER",
      schema: types,
      select: """
        SELECT k, x FROM (
          SELECT d.k, (SELECT n FROM c WHERE c.g = d.k ORDER BY n LIMIT 1) AS x FROM d
        ) GROUP BY k, x
        """, key: [],
      commits: ["DELETE FROM d WHERE id = 1", "INSERT INTO d VALUES (1, '2', 1)", "DELETE FROM c"]),
    Case(
      testDescription: "groups of different types that EXISTS compares with an INTEGER",
      schema: types,
      select: """
        SELECT g, count(*) AS n FROM f GROUP BY g HAVING EXISTS (SELECT 1 FROM c WHERE c.g = f.g)
        """, key: [],
      commits: ["DELETE FROM f WHERE id = 2", "INSERT INTO f VALUES (2, 2)", "DELETE FROM c"]),
    Case(
      testDescription: "USING in parentheses", schema: join,
      select: """
        SELECT a.id AS aid, b.id AS bid, c.v FROM a JOIN (b JOIN c USING (id)) ON b.aid = a.id
        """,
      key: ["aid", "bid"], commits: ["UPDATE c SET v = 'new' WHERE id = 10"]),
    Case(
      testDescription: "NATURAL in parentheses", schema: join,
      select: "SELECT a.id AS aid, b.id AS bid, c.v FROM a JOIN (b NATURAL JOIN c) ON b.aid = a.id",
      key: ["aid", "bid"], commits: ["UPDATE c SET v = 'new' WHERE id = 10"]),
    Case(
      testDescription: "the first row of an ordered view", schema: prices,
      select: "SELECT id FROM t WHERE v > (SELECT x FROM spot LIMIT 1)",
      commits: ["INSERT INTO price VALUES (3, 'spot', 3, 20)"]),
    Case(
      testDescription: "the first row of an ordered SELECT, without LIMIT", schema: prices,
      select: """
        SELECT id FROM t
        WHERE v > (SELECT x FROM (SELECT x FROM price WHERE kind = 'spot' ORDER BY day DESC))
        """, commits: ["INSERT INTO price VALUES (3, 'spot', 3, 20)"]),
    Case(
      testDescription: "the first row of an ordered WITH table", schema: prices,
      select: """
        WITH newest AS (SELECT x FROM price WHERE kind = 'spot' ORDER BY day DESC)
        SELECT id FROM t WHERE v > (SELECT x FROM newest LIMIT 1)
        """, commits: ["INSERT INTO price VALUES (3, 'spot', 3, 20)"]),
    Case(
      testDescription: "a list of ordered values",
      schema: """
        CREATE TABLE a(id INTEGER PRIMARY KEY, n INT);
        CREATE TABLE c(id INTEGER PRIMARY KEY, aid INT, name TEXT);
        CREATE INDEX c_aid ON c(aid);
        INSERT INTO a VALUES (1, 1), (2, 2);
        INSERT INTO c VALUES (1, 1, 'b'), (2, 1, 'a'), (3, 2, 'x');
        """,
      select: """
        SELECT a.id, a.n, x.names FROM a JOIN (
          SELECT aid, group_concat(name) AS names
          FROM (SELECT aid, name FROM c ORDER BY aid, name) GROUP BY aid
        ) x ON x.aid = a.id
        """, commits: ["INSERT INTO c VALUES (4, 2, 'c')", "UPDATE c SET name = 'z' WHERE id = 2"]),
    Case(
      testDescription: "a list of ordered values by their group", schema: tags,
      select: """
        SELECT item, group_concat(name) AS names
        FROM (SELECT item, name FROM tag ORDER BY name) GROUP BY item
        """, key: ["item"],
      commits: ["INSERT INTO tag VALUES (9, 1, 'b')", "UPDATE tag SET name = 'y' WHERE id = 2"]),
    Case(
      testDescription: "a window over an ordered view", schema: tags,
      select: "SELECT id, item, row_number() OVER (PARTITION BY item) AS n FROM sorted",
      key: ["id", "item"],
      commits: ["UPDATE tag SET name = 'y' WHERE id = 2", "INSERT INTO tag VALUES (9, 1, 'b')"]),
    Case(
      testDescription: "a list of ordered values as a column", schema: tags, isLive: true,
      select: """
        SELECT id, (SELECT group_concat(name) FROM (
          SELECT name FROM tag WHERE tag.item = item.id ORDER BY name)) AS tags FROM item
        """,
      commits: ["INSERT INTO tag VALUES (9, 1, 'b')", "UPDATE tag SET name = 'y' WHERE id = 2"]),
    Case(
      testDescription: "the number of rows of an ordered view", schema: tags, isLive: true,
      select: "SELECT id, (SELECT count(*) FROM sorted v WHERE v.item = item.id) AS n FROM item",
      commits: ["INSERT INTO tag VALUES (9, 1, 'b')", "DELETE FROM tag WHERE id = 2"]),
    Case(
      testDescription: "a full-text search by rank",
      schema: """
        CREATE VIRTUAL TABLE f USING fts5(body);
        CREATE TABLE d(id INTEGER PRIMARY KEY, title TEXT);
        INSERT INTO f(rowid, body) VALUES (1, 'x'), (2, 'y'), (3, 'x x');
        INSERT INTO d VALUES (1, 'a'), (2, 'b'), (3, 'c');
        """, isLive: true,
      select: """
        SELECT d.id, d.title FROM f JOIN d ON d.id = f.rowid WHERE f MATCH 'x' ORDER BY rank
        """,
      commits: [
        "UPDATE d SET title = 'new' WHERE id = 3", "UPDATE f SET body = 'x' WHERE rowid = 2",
      ]),
    Case(
      testDescription: "IN over a value in place of a missing row", schema: optional,
      select: """
        SELECT id, x FROM t WHERE x IN (
          SELECT coalesce(b.y, 0) FROM a LEFT JOIN b ON b.aid = a.id WHERE a.tid = t.id)
        """,
      commits: ["DELETE FROM b WHERE id = 1", "INSERT INTO b VALUES (1, 1, 0)"]),
    Case(
      testDescription: "IN over whether a row is missing", schema: optional,
      select: """
        SELECT id, x FROM t WHERE x IN (
          SELECT b.y IS NULL FROM a LEFT JOIN b ON b.aid = a.id WHERE a.tid = t.id)
        """,
      commits: ["DELETE FROM b WHERE id = 3", "INSERT INTO b VALUES (3, 3, 0)"]),
    Case(
      testDescription: "a row value",
      schema: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, a INT, b INT);
        CREATE TABLE cur(id INTEGER PRIMARY KEY, x INT, y INT);
        INSERT INTO t VALUES (1, 1, 1), (2, 1, 2);
        INSERT INTO cur VALUES (1, 1, 1);
        """,
      select: "SELECT id FROM t WHERE (a, b) = (SELECT x, y FROM cur WHERE id = 1)",
      commits: ["UPDATE cur SET y = 2 WHERE id = 1"]),
    Case(
      testDescription: "the argument of a function is a subquery", schema: lists,
      select: """
        SELECT id, j FROM cfg WHERE id > 1
          AND (SELECT count(*) FROM json_each((SELECT j FROM cfg WHERE id = 1))) > 2
        """, commits: ["UPDATE cfg SET j = '[1,2,3]' WHERE id = 1"]),
    Case(
      testDescription: "the argument of a full-text table is a subquery",
      schema: """
        CREATE TABLE cfg(id INTEGER PRIMARY KEY, q TEXT, name TEXT);
        INSERT INTO cfg VALUES (1, 'x', 'a'), (2, '', 'b'), (3, '', 'c');
        CREATE VIRTUAL TABLE ft USING fts5(body);
        INSERT INTO ft(rowid, body) VALUES (1, 'x'), (2, 'y'), (3, 'x');
        """,
      select: """
        SELECT f.rowid AS id, f.body, c.name
        FROM ft((SELECT q FROM cfg WHERE id = 1)) AS f JOIN cfg c ON c.id = f.rowid
        """, commits: ["UPDATE cfg SET q = 'y' WHERE id = 1"]),
    Case(
      testDescription: "the rank in a subquery",
      schema: """
        CREATE VIRTUAL TABLE d USING fts5(body);
        CREATE TABLE cat(id INTEGER PRIMARY KEY);
        CREATE TABLE m(id INTEGER PRIMARY KEY, did INT, cat INT);
        CREATE INDEX m_did ON m(did);
        CREATE INDEX m_cat ON m(cat);
        INSERT INTO cat VALUES (1);
        INSERT INTO d(rowid, body) VALUES (1, 'x z z z'), (2, 'y z');
        INSERT INTO m VALUES (1, 1, 1), (2, 2, 1);
        """,
      select: """
        SELECT c.id, (
          SELECT d.rowid FROM m JOIN d ON d.rowid = m.did
          WHERE m.cat = c.id AND d.d MATCH 'x OR y' ORDER BY rank LIMIT 1) AS best
        FROM cat c
        """,
      commits: (0..<12).map { "INSERT INTO d(rowid, body) VALUES (\(10 + $0), 'y filler')" }),
    Case(
      testDescription: "an expression of a NOCASE group", schema: groups,
      select: "SELECT g, trim(name) AS k, count(*) AS n FROM t GROUP BY g, name", key: ["g", "k"],
      commits: ["INSERT INTO t VALUES (3, 1, 'A', 1)"]),
    Case(
      testDescription: "an expression of a NOCASE partition", schema: groups,
      select: """
        SELECT id, g, trim(name) AS k, count(*) OVER (PARTITION BY g, name) AS n FROM t
        """, key: ["g", "k", "id"], commits: ["INSERT INTO t VALUES (3, 1, 'A', 1)"]),
    Case(
      testDescription: "IN over a window",
      schema: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, best INT);
        CREATE TABLE u(id INTEGER PRIMARY KEY, tid INT, score INT);
        CREATE INDEX u_tid ON u(tid);
        INSERT INTO t VALUES (1, 7);
        INSERT INTO u VALUES (5, 1, 1), (7, 1, 2);
        """,
      select: """
        SELECT id, best FROM t WHERE (best, 1) IN (
          SELECT u.id, row_number() OVER (ORDER BY score DESC) FROM u WHERE u.tid = t.id)
        """, commits: ["UPDATE u SET score = 9 WHERE id = 5"]),
    Case(
      testDescription: "NOT IN beside a missing row further out",
      schema: """
        CREATE TABLE a(id INTEGER PRIMARY KEY, n);
        CREATE TABLE b(id INTEGER PRIMARY KEY, aid INT);
        CREATE TABLE c(id INTEGER PRIMARY KEY, aid INT);
        CREATE TABLE u(bid INTEGER NOT NULL, flag INT);
        CREATE INDEX b_aid ON b(aid);
        CREATE INDEX c_aid ON c(aid);
        CREATE INDEX u_bid ON u(bid);
        INSERT INTO u VALUES (9, 1);
        INSERT INTO a VALUES (1, 'y');
        INSERT INTO b VALUES (1, 1);
        INSERT INTO c VALUES (1, 1);
        """,
      select: """
        SELECT a.id, a.n FROM a LEFT JOIN b ON b.aid = a.id WHERE EXISTS (
          SELECT 1 FROM c WHERE c.aid = a.id AND b.id NOT IN (SELECT bid FROM u WHERE flag = 1))
        """, commits: ["INSERT INTO a VALUES (2, 'x'); INSERT INTO c VALUES (2, 2)"]),
    Case(
      testDescription: "an argument that is a column of a later table",
      schema: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, tags TEXT);
        CREATE TABLE u(id INTEGER PRIMARY KEY, tid INT, tags TEXT);
        CREATE INDEX u_tid ON u(tid);
        INSERT INTO t VALUES (1, '[]');
        INSERT INTO u VALUES (1, 1, '[]');
        """,
      select: """
        SELECT id FROM t WHERE EXISTS (
          SELECT 1 FROM json_each(tags) j, u WHERE u.tid = t.id AND j.value = 'x')
        """, commits: [#"UPDATE u SET tags = '["x"]' WHERE id = 1"#]),
    Case(
      testDescription: "the rowid of a function",
      schema: """
        CREATE TABLE t(id INTEGER PRIMARY KEY, tags TEXT);
        INSERT INTO t VALUES (1, '[1]'), (2, '[1]');
        """,
      select: "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM json_each(t.tags) WHERE rowid >= 2)",
      commits: ["UPDATE t SET tags = '[1,2,3]' WHERE id = 1"]),
    Case(
      testDescription: "a key that is compared with a number",
      schema: """
        CREATE TABLE o(id INTEGER PRIMARY KEY, code INTEGER);
        CREATE TABLE p(id INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, name TEXT);
        INSERT INTO o VALUES (1, 7);
        INSERT INTO p VALUES (1, '7', 'a');
        """,
      select: "SELECT o.id, p.name FROM o JOIN p ON p.code = o.code WHERE p.id IN (1, 2)", key: [],
      commits: ["INSERT INTO p VALUES (2, '07', 'b')"]),
    Case(
      testDescription: "an aggregate in a subquery by its alias",
      schema: groups + "CREATE TABLE v(k INT); INSERT INTO v VALUES (2);",
      select: """
        SELECT g, count(*) AS n FROM t GROUP BY g HAVING EXISTS (SELECT 1 FROM v WHERE v.k = n)
        """, key: ["g"], commits: ["INSERT INTO t VALUES (3, 1, 'A', 1)"]),
    Case(
      testDescription: "an explicit collation",
      schema: """
        CREATE TABLE p(id INTEGER PRIMARY KEY, k TEXT);
        CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE);
        CREATE INDEX t_name ON t(name);
        INSERT INTO p VALUES (1, 'a'), (2, 'b');
        INSERT INTO t VALUES (1, 'a'), (2, 'A'), (3, 'b');
        """,
      select: """
        SELECT p.id, g.n FROM p
        JOIN (SELECT name, count(*) AS n FROM t GROUP BY name) g ON g.name = p.k COLLATE BINARY
        """, commits: ["UPDATE p SET k = 'b' WHERE id = 1", "UPDATE p SET k = 'a' WHERE id = 1"]),
    Case(
      testDescription: "a subquery in ON of an inner join",
      schema: joined, isLive: true,
      select: """
        SELECT a.id, b.id AS bid FROM a JOIN b ON b.aid = a.id
        AND b.id = (SELECT max(z.id) FROM b z WHERE z.aid = a.id)
        """, commits: ["DELETE FROM b WHERE id = 11", "INSERT INTO b VALUES (12, 1, 1)"]),
    Case(
      testDescription: "a subquery in ON of an inner join in a subquery",
      schema: joined, isLive: true,
      select: """
        SELECT a.id FROM a WHERE EXISTS (
          SELECT 1 FROM b JOIN c ON c.n = b.n AND c.id = (SELECT max(z.id) FROM c z WHERE z.n = b.n)
          WHERE b.aid = a.id AND c.v = 'old')
        """,
      commits: ["INSERT INTO c VALUES (12, 'new', 1)", "DELETE FROM c WHERE id = 12"]),
    Case(
      testDescription: "two windows with different partitions",
      schema: windows, isLive: true,
      select: """
        SELECT id, g, v FROM (
          SELECT id, g, v, row_number() OVER (PARTITION BY g ORDER BY id) AS r,
            count(*) OVER (PARTITION BY v) AS n FROM a)
        WHERE r = 1 AND n = 2
        """, commits: ["DELETE FROM a WHERE id = 1", "INSERT INTO a VALUES (0, 1, 9), (5, 2, 2)"]),
    Case(
      testDescription: "a window that does not tell two rows apart",
      schema: ties,
      select: """
        SELECT * FROM (
          SELECT id, g, v, row_number() OVER (PARTITION BY g ORDER BY t DESC) AS r FROM x)
        WHERE r <= 2
        """, key: ["id", "g"],
      commits: ["UPDATE x SET v = 'n' WHERE id = 2", "INSERT INTO x VALUES (4, 1, 6, 'd')"]),
    Case(
      testDescription: "groups by a TEXT key",
      schema: unread, isLive: true,
      select: """
        SELECT chat.id, chat.name, count(message.id) AS n FROM chat
        LEFT JOIN message ON message.chat = chat.id GROUP BY chat.id
        """,
      commits: [
        "INSERT INTO message VALUES (3, 'b'), (4, 'c')",
        "UPDATE chat SET name = 'Z' WHERE id = 'a'",
        "DELETE FROM message WHERE id = 1",
      ]),
    Case(
      testDescription: "groups by a TEXT key that is NULL in several rows",
      schema: unread,
      select: """
        SELECT chat.id, min(chat.name) AS name, count(*) AS n FROM chat
        LEFT JOIN message ON message.chat = chat.id GROUP BY chat.id
        """,
      commits: [
        "INSERT INTO chat VALUES (NULL, 'N'), (NULL, 'M')", "DELETE FROM chat WHERE name = 'M'",
        "UPDATE chat SET id = 'n' WHERE id IS NULL",
      ]),
    Case(
      testDescription: "groups by a UNIQUE column that is not NULL",
      schema: unread, isLive: true,
      select: """
        SELECT u.code AS id, u.name, count(message.id) AS n FROM u
        LEFT JOIN message ON message.chat = u.code GROUP BY u.code
        """,
      commits: ["INSERT INTO message VALUES (3, 'b')", "UPDATE u SET name = 'Z' WHERE code = 'b'"]),
  ]

  @Test(arguments: [
    "SELECT id, name, lower(name) AS name FROM t ORDER BY name",
    // A column of * is an alias too.
    "SELECT -id AS y, t.* FROM t ORDER BY y", "SELECT t.*, -id AS y FROM t ORDER BY y",
    "SELECT id, lower(name) AS name, t.* FROM t ORDER BY name DESC",
    // Of a compound, the first SELECT that has the name decides, and an alias comes before a column.
    "SELECT id, -id AS id FROM t UNION SELECT id, y FROM t ORDER BY id",
    "SELECT id AS a, y AS b FROM t UNION SELECT y AS b, id FROM t ORDER BY b",
    "SELECT id AS a, -y FROM t UNION SELECT y, -id AS n FROM t ORDER BY n",
    "SELECT id AS k, y FROM t UNION SELECT id, 7 FROM t ORDER BY t.y COLLATE BINARY DESC, k",
  ])
  func namesInORDERBYMeanWhatTheyMeanInSQLite(_ select: String) throws {
    let database = try Database.inMemory()
    try database.write {
      try $0.execute(
        script: """
          CREATE TABLE t(id INTEGER PRIMARY KEY, y INT, name TEXT);
          INSERT INTO t VALUES (1, 1, 'B'), (2, 3, 'a'), (3, 2, 'C');
          """)
    }
    let provider = try FetchedResultsProvider(
      database: database, request: FetchRequest<Row>(select: SQL(verbatim: select)))
    try provider.performFetch()
    let expected = try database.read { try $0.rows(SQL(verbatim: select)).map(\.values) }
    #expect(provider.fetchedObjects?.map(\.values) == expected)
  }

  @Test func columnsOfOneNameAreNumberedAsBySQLite() throws {
    let sql = "SELECT * FROM (SELECT a.id, b.id, a.n, c.id, b.n FROM a, b, c)"
    let database = try Database.inMemory()
    try database.write { try $0.execute(script: Self.join) }
    let names = try database.read { connection in
      let schema = try SelectSchema(["a", "b", "c"], in: connection)
      return (
        try SelectAnalysis(of: sql, schema).columns,
        try connection.prepare(sql).columnNames.names
      )
    }
    #expect(names.0 == names.1)
  }
}
