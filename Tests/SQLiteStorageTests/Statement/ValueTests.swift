import SQLiteStorage
import Testing

@Suite struct ValueTests {
  @Test(arguments: [
    Value.null, .integer(0), .integer(1), .integer(-1), .integer(.max), .integer(.min),
    .real(0.5), .real(-1.5e300), .real(.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude),
    .real(.infinity), .real(-.infinity), .real(9_007_199_254_740_992), .real(-0.0),
    .text(""), .text("plain"), .text("é"), .text("e\u{301}"), .text("nul\u{0}inside"),
    .text("\u{0}"), .text("🙂\u{FFFF}\u{10FFFF}"), .blob([]), .blob([0]), .blob([0xFF, 0, 0xFE]),
  ])
  func everyValueComesBackAsItWasStored(_ value: Value) throws {
    let store = try TestConnection("CREATE TABLE t(x)")
    try store.connection.execute("INSERT INTO t VALUES (?)", [value])
    #expect(try store.connection.rows("SELECT x FROM t").first?.values == [value])
    #expect(try store.connection.rows("SELECT ?", [value]).first?.values == [value])
  }

  @Test func largeTextAndBlobsComeBackWhole() throws {
    let store = try TestConnection("CREATE TABLE t(x, y)")
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let text = String(repeating: "abcdé\u{0}", count: 50_000)
    try store.connection.execute("INSERT INTO t VALUES (?, ?)", [.blob(bytes), .text(text)])
    let values = try store.connection.rows("SELECT x, y FROM t").first?.values
    #expect(values == [.blob(bytes), .text(text)])
  }

  @Test func notANumberIsStoredAsNull() throws {
    let store = try TestConnection()
    let values = try store.connection.rows("SELECT ?", [.real(.nan)]).first?.values
    #expect(values == [.null])
  }

  @Test func bytesThatAreNotUTF8ReadAsReplacementCharacters() throws {
    let store = try TestConnection()
    let values = try store.connection.rows("SELECT CAST(x'61ff62' AS TEXT)").first?.values
    #expect(values == [.text("a\u{FFFD}b")])
  }

  @Test func valuesOfAUTF16DatabaseReadAsTheSameText() throws {
    let store = try TestConnection("PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(x)")
    try store.connection.execute("INSERT INTO t VALUES (?)", ["é🙂"])
    #expect(try store.connection.rows("SELECT x FROM t").first?.values == ["é🙂"])
  }

  @Test func emptyTextEmptyBlobAndNullAreThreeThings() throws {
    let store = try TestConnection()
    let types = try store.connection.rows(
      "SELECT typeof(?), typeof(?), typeof(?)", [.text(""), .blob([]), .null])
    #expect(types.first?.values == ["text", "blob", "null"])
    #expect(Set([Value.text(""), .blob([]), .null]).count == 3)
  }

  @Test func equalityIsThatOfStorage() {
    #expect(Value.integer(1) != .real(1))
    #expect(Value.text("é") != .text("e\u{301}"))
    #expect(Value.text("a") != .blob([0x61]))
    #expect(Value.text("a") == .text("a"))
    #expect(Value.integer(0) != .null)
  }

  @Test func equalityIsReflexiveAndAgreesWithTheHash() {
    let values: [Value] = [
      .null, .integer(1), .real(.nan), .real(0.0), .real(-0.0), .text("é"), .blob([1]),
    ]
    for value in values { #expect(value == value) }
    #expect(Set(values).count == values.count)
    #expect(Value.real(0.0) != .real(-0.0), "they are stored as different bytes")
  }

  @Test func literalsMakeTheValueTheyLookLike() {
    #expect((nil as Value) == .null)
    #expect((5 as Value) == .integer(5))
    #expect((0.5 as Value) == .real(0.5))
    #expect(("x" as Value) == .text("x"))
    #expect((true as Value) == .integer(1))
    #expect((false as Value) == .integer(0))
  }
}
