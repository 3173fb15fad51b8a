import SQLiteStorage
import Testing

@Suite struct SQLQuotingTests {
  static let names = [
    "plain", "two words", "quo\"te", "\"", "\"\"", "apo'strophe", "[bracket]", "back`tick", "?1",
    "#", "%", ";", "-- no comment", "/*", "select", "ROWID", "é", "e\u{301}", "🙂", "\n", "a\\b",
    ":x", "@y", "$z", "'\u{301}", "\"\u{301}",
  ]

  @Test(arguments: names) func anyNameWorksAsAnIdentifier(_ name: String) throws {
    let store = try TestConnection()
    let table = name.quotedIdentifier
    try store.connection.execute("CREATE TABLE \(table)(\(("c" + name).quotedIdentifier))")
    try store.connection.execute("INSERT INTO \(table) VALUES (1)")
    let row = try #require(try store.connection.rows("SELECT * FROM \(table)").first)
    #expect(row["c" + name] == 1)
    #expect(
      try store.connection.value(String.self, "SELECT name FROM sqlite_schema").map(Value.text)
        == .text(name))
  }

  @Test(arguments: names + ["", "''"]) func anyTextWorksAsALiteral(_ text: String) throws {
    let store = try TestConnection()
    let read = try store.connection.rows("SELECT \(text.quotedLiteral)").first?.values
    #expect(read == [.text(text)])
  }

  @Test func quotesAreDoubled() {
    #expect("a\"b".quotedIdentifier == "\"a\"\"b\"")
    #expect("a'b".quotedLiteral == "'a''b'")
    #expect("".quotedIdentifier == "\"\"")
  }
}
