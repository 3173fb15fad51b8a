import Foundation
import SQLiteStorage
import Testing

@Suite struct ValueTests {
  @Test(
    arguments: [
      Value.null, .integer(0), .integer(1), .integer(-1), .integer(.max), .integer(.min),
      .real(0.5), .real(-1.5e300), .real(.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude),
      .real(.infinity), .real(-.infinity), .real(9_007_199_254_740_992), .real(-0.0),
      .text(""), .text("plain"), .text("é"), .text("e\u{301}"), .text("nul\u{0}inside"),
      .text("\u{0}"), .text("🙂\u{FFFF}\u{10FFFF}"), .blob([]), .blob([0]), .blob([0xFF, 0, 0xFE]),
    ] as [Value])
  func everyValueIsReadAsItWasStored(_ value: Value) throws {
    let store = try TestConnection("CREATE TABLE t(x)")
    try store.connection.execute("INSERT INTO t VALUES (?)", [value])
    #expect(try store.connection.rows("SELECT x FROM t").first?.values == [value])
    #expect(try store.connection.rows("SELECT ?", [value]).first?.values == [value])
  }

  @Test func largeTextAndBlobsAreReadWhole() throws {
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
    for text in ["é🙂", "a\u{FFFF}", "\u{FFFE}é", "\u{FFFD}\u{E000}", "\u{FFFF}\u{0}🙂"] {
      try store.connection.execute("DELETE FROM t")
      try store.connection.execute("INSERT INTO t VALUES (?)", [.text(text)])
      #expect(try store.connection.rows("SELECT x FROM t").first?.values == [.text(text)])
      // A look-up compares what is stored.
      #expect(try store.connection.rows("SELECT 1 FROM t WHERE x = ?", [.text(text)]).count == 1)
    }
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

@Suite struct ColumnValueTests {
  private let store: TestConnection

  init() throws { store = try TestConnection() }

  private func decode<T: ColumnValue>(
    _ type: T.Type, _ sql: String, _ values: [Value] = []
  ) throws -> T {
    let statement = try store.connection.prepare(SQL(verbatim: "SELECT \(sql)"))
    try statement.bind(values)
    try #require(try statement.step())
    return try statement.currentRow.decode(at: 0)
  }

  /// Asserts that `sql` cannot be read as `type`.
  private func expectMismatch<T: ColumnValue>(
    _ type: T.Type, _ sql: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = databaseError { _ = try decode(type, sql) }
    #expect(error?.code == .typeMismatch, "\(sql) as \(type)", sourceLocation: sourceLocation)
  }

  private func roundTrip<T: ColumnValue & Equatable>(
    _ value: T, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try decode(T.self, "?", [value.columnValue]) == value, sourceLocation: sourceLocation)
  }

  @Test func everyTypeReadsWhatItWrote() throws {
    for value in [Int.min, -1, 0, .max] { try roundTrip(value) }
    for value in [Int8.min, .max] { try roundTrip(value) }
    for value in [Int16.min, .max] { try roundTrip(value) }
    for value in [Int32.min, .max] { try roundTrip(value) }
    for value in [Int64.min, .max] { try roundTrip(value) }
    for value in [UInt8.min, .max] { try roundTrip(value) }
    for value in [UInt16.min, .max] { try roundTrip(value) }
    for value in [UInt32.min, .max] { try roundTrip(value) }
    for value in [true, false] { try roundTrip(value) }
    for value in [0.1, -.infinity, .greatestFiniteMagnitude] { try roundTrip(value) }
    for value in ["", "é", "a\u{0}b"] { try roundTrip(value) }
    for value in [[], [0, 255]] as [[UInt8]] { try roundTrip(value) }
    for value in [nil, 3] as [Int?] { try roundTrip(value) }
    for value in [Value.null, 1, 1.5, "x", .blob([1])] { try roundTrip(value) }
  }

  @Test func anIntegerOutOfTheTypesRangeIsAMismatch() throws {
    expectMismatch(Int8.self, "128")
    expectMismatch(Int8.self, "-129")
    expectMismatch(UInt8.self, "-1")
    expectMismatch(UInt16.self, "65536")
    expectMismatch(UInt32.self, "4294967296")
    expectMismatch(Int32.self, "2147483648")
  }

  @Test func aRealThatIsAWholeNumberReadsAsInteger() throws {
    #expect(try decode(Int.self, "3.0") == 3)
    #expect(try decode(Int8.self, "-128.0") == -128)
    expectMismatch(Int.self, "3.5")
    expectMismatch(Int8.self, "128.0")
    expectMismatch(Int.self, "9223372036854775808.0")
    expectMismatch(Int.self, "9e999")
  }

  @Test func anIntegerReadsAsDoubleOnlyWhereNothingIsLost() throws {
    #expect(try decode(Double.self, "9007199254740992") == 9_007_199_254_740_992)
    expectMismatch(Double.self, "9007199254740993")
    #expect(try decode(Double.self, "-9223372036854775808") == -9_223_372_036_854_775_808)
  }

  @Test func nothingElseIsConverted() throws {
    for sql in ["NULL", "'1'", "x'31'"] { expectMismatch(Int.self, sql) }
    for sql in ["NULL", "'1.5'", "x'31'"] { expectMismatch(Double.self, sql) }
    for sql in ["NULL", "1", "1.5", "x'61'"] { expectMismatch(String.self, sql) }
    for sql in ["NULL", "1.0", "'true'", "x'01'"] { expectMismatch(Bool.self, sql) }
    for sql in ["NULL", "1", "1.5", "'a'"] { expectMismatch([UInt8].self, sql) }
  }

  @Test func anyIntegerButZeroIsTrue() throws {
    #expect(try decode(Bool.self, "-7"))
    #expect(try decode(Bool.self, "0") == false)
  }

  @Test func anOptionalReadsNullAsNilAndKeepsTheMismatch() throws {
    #expect(try decode(Int?.self, "NULL") == nil)
    #expect(try decode(Int?.self, "5") == 5)
    expectMismatch(Int?.self, "'x'")
    #expect((nil as String?).columnValue == .null)
    #expect(("a" as String?).columnValue == "a")
  }

  private enum Kind: String, ColumnValue { case text, number }
  private enum Level: Int, ColumnValue { case low = 1, high = 2 }

  @Test func anEnumerationReadsItsRawValue() throws {
    #expect(try decode(Kind.self, "'number'") == .number)
    #expect(try decode(Level.self, "2") == .high)
    #expect(Kind.text.columnValue == "text")
    #expect(Level.low.columnValue == 1)
    expectMismatch(Kind.self, "'toggle'")
    expectMismatch(Kind.self, "1")
    expectMismatch(Level.self, "3")
    expectMismatch(Level.self, "NULL")
  }

  @Test func theErrorForNullSaysToReadAnOptional() {
    let error = databaseError { _ = try decode(Int.self, "NULL AS total") }
    #expect(
      error?.description
        == "column total holds null, not an integer that fits Int. Read it as an optional type")
  }
}

@Suite struct ColumnValueFoundationTests {
  private let store: TestConnection

  init() throws { store = try TestConnection() }

  private func decode<T: ColumnValue>(_ type: T.Type, _ sql: String) throws -> T {
    try #require(try store.connection.value(T.self, SQL(verbatim: "SELECT \(sql)")))
  }

  private func isMismatch<T: ColumnValue>(_ type: T.Type, _ sql: String) -> Bool {
    databaseError {
      try store.connection.query(SQL(verbatim: "SELECT \(sql)")) {
        _ = try $0.decode(T.self, at: 0)
      }
    }?.code == .typeMismatch
  }

  @Test func dataIsABlob() throws {
    #expect(try decode(Data.self, "x'00ff'") == Data([0, 255]))
    #expect(try decode(Data.self, "x''") == Data())
    #expect(Data([1, 2]).columnValue == .blob([1, 2]))
    #expect(isMismatch(Data.self, "'text'"))
    #expect(isMismatch(Data.self, "NULL"))
  }

  @Test func aUUIDIsItsTextInAnyCaseOrItsBytes() throws {
    let id = UUID()
    #expect(id.columnValue == .text(id.uuidString))
    #expect(try decode(UUID.self, "'\(id.uuidString.lowercased())'") == id)
    #expect(isMismatch(UUID.self, "'not a UUID'"))
    let bytes = id.uuidString.replacing("-", with: "")
    #expect(try decode(UUID.self, "x'\(bytes)'") == id)
    #expect(isMismatch(UUID.self, "x'\(bytes)00'"))
    #expect(isMismatch(UUID.self, "x''"))
    #expect(isMismatch(UUID.self, "1"))
  }

  @Test func aURLIsItsText() throws {
    let url = try #require(URL(string: "https://example.org/a%20b?c=d#e"))
    #expect(url.columnValue == "https://example.org/a%20b?c=d#e")
    #expect(try decode(URL.self, "'https://example.org/a%20b?c=d#e'") == url)
    #expect(isMismatch(URL.self, "''"))
    #expect(isMismatch(URL.self, "1"))
  }
}
