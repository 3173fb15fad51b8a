import SQLiteStorage
import Testing

@Suite struct CustomCollationTests {
  private let store: TestConnection
  private var connection: Connection { store.connection }

  init() throws { store = try TestConnection() }

  private let byLength = CustomCollation("length") { $0.utf8.count - $1.utf8.count }

  @Test func itOrdersAndCompares() throws {
    try connection.register(byLength)
    try connection.execute(
      script: "CREATE TABLE t(x TEXT COLLATE length); INSERT INTO t VALUES ('ccc'), ('a'), ('bb')")
    #expect(
      try connection.rows("SELECT x FROM t ORDER BY x").map { $0["x"] } == ["a", "bb", "ccc"])
    #expect(try connection.value(String.self, "SELECT x FROM t WHERE x = '??'") == "bb")
    try connection.execute("CREATE INDEX i ON t(x)")
    #expect(try connection.value(String.self, "SELECT x FROM t WHERE x > 'zz'") == "ccc")
  }

  @Test func anyIntegerIsAnOrder() throws {
    try connection.register(
      CustomCollation("far") { $0 == $1 ? 0 : $0 < $1 ? .min : .max })
    let rows = try connection.rows("SELECT * FROM (VALUES ('b'), ('a')) ORDER BY 1 COLLATE far")
    #expect(rows.map(\.values) == [["a"], ["b"]])
  }

  @Test func textMayBeEmptyOrHoldAnything() throws {
    let texts: [Value] = ["", "\u{0}", "a\u{0}b", "é", "\u{FFFD}"]
    try connection.register(
      CustomCollation("bytes") { lhs, rhs in
        lhs.utf8.lexicographicallyPrecedes(rhs.utf8) ? -1 : lhs == rhs ? 0 : 1
      })
    try connection.execute("CREATE TABLE t(x)")
    for text in texts.reversed() { try connection.execute("INSERT INTO t VALUES (?)", [text]) }
    let rows = try connection.rows("SELECT x FROM t ORDER BY x COLLATE bytes")
    #expect(rows.map { $0["x"] } == texts)
  }

  @Test func withoutItTheTableCannotBeSorted() throws {
    try connection.register(byLength)
    try connection.execute("CREATE TABLE t(x TEXT COLLATE length)")
    let other = try Connection(path: store.folder.file())
    let error = databaseError { try other.execute("SELECT x FROM t ORDER BY x") }
    #expect(error?.message == "no such collation sequence: length")
  }

  @Test func whatTheClosureHoldsGoesWithTheConnection() throws {
    final class Token: Sendable {}
    weak var kept: Token?
    do {
      let local = try TestConnection()
      let token = Token()
      kept = token
      try local.connection.register(
        CustomCollation("c") { [token] _, _ in token === token ? 0 : 1 })
      #expect(kept != nil)
    }
    #expect(kept == nil)
  }

  @Test func itCannotBeReplacedWhileAStatementUsesIt() throws {
    final class Token: Sendable {}
    weak var refused: Token?
    try connection.register(byLength)
    let statement = try connection.prepare("SELECT * FROM (VALUES ('b'), ('a'))")
    #expect(try statement.step())
    do {
      let token = Token()
      refused = token
      let error = databaseError {
        try connection.register(
          CustomCollation("length") { [token] _, _ in token === token ? 0 : 1 })
      }
      #expect(error?.resultCode == .busy)
    }
    // The context of a collation that was refused is not leaked.
    #expect(refused == nil)
  }
}
