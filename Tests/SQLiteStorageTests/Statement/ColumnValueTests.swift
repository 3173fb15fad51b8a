import SQLiteStorage
import Testing

@Suite struct ColumnValueTests {
  private let store: TestConnection

  init() throws { store = try TestConnection() }

  private func decode<T: ColumnValue>(
    _ type: T.Type, _ sql: String, _ values: [Value] = []
  ) throws -> T {
    let statement = try store.connection.prepare("SELECT \(sql)")
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
