import Foundation
import SQLiteStorage
import TableDataTesting
import Testing

@Suite struct ColumnValueDateTests {
  private let store: TestConnection

  init() throws { store = try TestConnection() }

  /// The date in a value; nil if the value is refused.
  private func date(_ value: Value) throws -> Date? {
    var date: Date?
    let error = databaseError {
      try store.connection.query("SELECT ?", [value]) { date = try $0.decode(Date.self, at: 0) }
    }
    if let error { #expect(error.code == .typeMismatch, "\(error)") }
    return date
  }

  /// What SQLite's own functions make of a value, rounded to the millisecond.
  private func sqliteDate(_ value: Value, _ modifier: String) throws -> Date? {
    let day = try store.connection.value(
      Double.self, SQL(verbatim: "SELECT julianday(?, '\(modifier)')"), [value])
    return day.map { day in
      let milliseconds = (day * 86_400_000).rounded() - 211_845_067_200_000
      return Date(timeIntervalSinceReferenceDate: milliseconds / 1_000)
    }
  }

  private func expectSQLitesAnswer(
    _ value: Value, _ modifier: String = "auto", sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let expected = try sqliteDate(value, modifier)
    let read = try date(value)
    // Older versions of SQLite cut off what is finer than a millisecond.
    let isEqual =
      switch (read, expected) {
      case (let read?, let expected?): abs(read.timeIntervalSince(expected)) < 0.001
      case (nil, nil): true
      default: false
      }
    #expect(
      isEqual, "\(value) is \(read as Any), and \(expected as Any) in SQLite",
      sourceLocation: sourceLocation)
  }

  // MARK: - Reading

  @Test(arguments: [
    "2026-01-01", "2026-02-28", "2026-02-29", "2026-02-30", "2026-02-31", "2024-02-29",
    "2026-02-32", "2026-00-01", "2026-13-01", "2026-01-00", "2026-1-1", "2026-01", "20260101",
    "0000-01-01", "0000-02-29", "0001-01-01", "-0001-01-01", "-0099-02-28", "-0099-03-01",
    "-0100-02-29", "-0100-03-01", "-4700-03-01", "-4713-11-24", "-4713-11-25",
    "-4713-11-24 12:00", "-4713-11-24 11:59:59.999", "-4714-12-31", "-0000-01-01", "9999-12-31",
    "12026-01-01", "+2026-01-01", "026-01-01", "２０２６-01-01",
  ]) func aDayIsReadAsSQLiteReadsIt(_ text: String) throws {
    try expectSQLitesAnswer(.text(text))
  }

  @Test(arguments: [
    "2026-01-01 12:00", "2026-01-01T12:00", "2026-01-01t12:00", "2026-01-01 T 12:00",
    "2026-01-01T", "2026-01-01  12:00:07", "2026-01-01\t12:00:07\n", "2026-01-01 12",
    "2026-01-01 12:", "2026-01-01 12:0", "2026-01-01 24:00", "2026-01-01 24:59:59",
    "2026-01-01 25:00", "2026-01-01 23:60", "2026-01-01 23:59:60", "2026-01-01 12:00:00.",
    "2026-01-01 12:00:00.5", "2026-01-01 12:00:00,5", "2026-01-01 12:00:00.0004",
    "2026-01-01 12:00:00.9996", "2026-01-01 12:00:00.1234567890123456789",
    "9999-12-31 23:59:59.999", "9999-12-31 24:00", "9999-12-31 23:59+00:00", "12:30", "00:00",
    "23:59:59.25", "24:00", "12:30Z", "12:30 -05:30", "T12:30", "-12:30", "1:30",
  ]) func aTimeIsReadAsSQLiteReadsIt(_ text: String) throws {
    try expectSQLitesAnswer(.text(text))
  }

  @Test(arguments: [
    "2026-01-01 12:00Z", "2026-01-01 12:00z", "2026-01-01 12:00 Z ", "2026-01-01 12:00 Z Z",
    "2026-01-01 12:00+02:00", "2026-01-01 12:00:00.5-03:30", "2026-01-01 12:00 +14:59",
    "2026-01-01 12:00+15:00", "2026-01-01 12:00-00:60", "2026-01-01 12:00+2:00",
    "2026-01-01 12:00+0200", "2026-01-01 12:00++02:00", "2026-01-01+02:00", "2026-01-01Z",
    "2026-01-01 12:00 CET", "9999-12-31 23:00-01:00", "9999-12-31 23:00+01:00",
    "-4713-11-24 12:00+00:01",
  ]) func anOffsetIsReadAsSQLiteReadsIt(_ text: String) throws {
    try expectSQLitesAnswer(.text(text))
  }

  @Test(arguments: [
    "", " ", "yesterday", " 2026-01-01", "2026-01-01 ", "2026-01-01 \t", "2026-01-01x", " 12:30",
    "12:30 ", "2461001.5", " 2461001.5 ", "+2461001", "-5", ".5", "5.", ".", "-", "1e6", "1e",
    "1e400", "1_0", "nan", "inf", "0x10", "1700000000", "5373484.4999", "5373484.5",
  ]) func blanksAndNumbersInTextAreReadAsSQLiteReadsThem(_ text: String) throws {
    try expectSQLitesAnswer(.text(text))
  }

  @Test func anIntegerIsSecondsSince1970() throws {
    #expect(try date(.integer(1_763_714_820)) == Date(timeIntervalSince1970: 1_763_714_820))
    for seconds: Int64 in [
      0, 1, -1, 2_461_001, -210_866_760_000, -210_866_760_001, 253_402_300_799, 253_402_300_800,
      1_700_000_000_000, .min, .max,
    ] {
      try expectSQLitesAnswer(.integer(seconds), "unixepoch")
    }
  }

  @Test func aRealIsAJulianDayOrElseSecondsSince1970() throws {
    #expect(try date(.real(2_461_000.5)) == Date(timeIntervalSince1970: 1_763_683_200))
    #expect(try date(.real(1_763_714_820.5)) == Date(timeIntervalSince1970: 1_763_714_820.5))
    for number in [
      0, 0.5, -0.5, 2_461_001.123_456, 5_373_484.499_999_9, 5_373_484.5, -1, -210_866_760_000,
      -210_866_760_000.5, 253_402_300_799, 253_402_300_800, 1e300, -.infinity, .infinity,
    ] {
      try expectSQLitesAnswer(.real(number))
    }
  }

  @Test func aFractionKeepsWhatADateCanHold() throws {
    let read = try #require(try date("2026-01-01 00:00:00.123456"))
    #expect(abs(read.timeIntervalSince1970 - 1_767_225_600.123_456) < 0.000_001)
  }

  @Test func anyDayAndTimeIsReadAsSQLiteReadsIt() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var numbers = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      func number(_ range: ClosedRange<Int>, _ digits: Int) -> String {
        let text = String(Int.random(in: range, using: &numbers))
        return String(repeating: "0", count: max(0, digits - text.count)) + text
      }
      let sign = ["", "", "-"].randomElement(using: &numbers) ?? ""
      let zone = ["", "Z", " +05:45", "-11:00"].randomElement(using: &numbers) ?? ""
      let text =
        sign + number(0...(sign.isEmpty ? 9_998 : 4_712), 4) + "-" + number(1...12, 2) + "-"
        + number(1...31, 2) + " " + number(0...24, 2) + ":" + number(0...59, 2) + ":"
        + number(0...59, 2) + "." + number(0...999, 3) + zone
      try expectSQLitesAnswer(.text(text))
      #expect(try date(.text(text)) != nil, "\(text), seed \(seed)")
    }
  }

  @Test func whatIsNoStoredDateIsRefused() throws {
    for value: Value in [nil, .blob(Array("2026-01-01".utf8)), "now", "NOW", "2026-01-01\u{0}"] {
      #expect(try date(value) == nil, "\(value)")
    }
    let error = databaseError {
      try store.connection.query("SELECT 'soon' AS due") { _ = try $0.decode(Date.self, at: 0) }
    }
    #expect(
      error?.message == "column due holds text, not a date that SQLite's date functions can read")
  }

  // MARK: - Writing

  @Test(arguments: [
    0, 0.001, 0.999, 1, 1_763_714_820.123, -1, -0.001, -86_400.5, 253_402_300_799.999,
    -210_866_760_000,
  ])
  func aDateKeepsItsMilliseconds(_ seconds: TimeInterval) throws {
    let written = Date(timeIntervalSince1970: seconds)
    let read = try #require(try date(written.columnValue))
    #expect(abs(read.timeIntervalSince(written)) < 0.000_6)
  }

  @Test func everyMillisecondOfASecondIsRead() throws {
    for millisecond in 0..<1_000 {
      let written = Date(timeIntervalSince1970: 1_763_714_820 + Double(millisecond) / 1_000)
      let read = try #require(try date(written.columnValue))
      #expect(abs(read.timeIntervalSince(written)) < 0.000_6, "\(written.columnValue)")
    }
  }

  @Test func aDateIsWrittenAsSQLiteWritesIt() throws {
    let date = Date(timeIntervalSince1970: 1_763_714_820.5)
    #expect(date.columnValue == "2025-11-21 08:47:00.500")
    for day in stride(from: 1_721_060, to: 5_373_484, by: 97) {
      let time = Double(day) + 0.25
      let sql = try store.connection.value(
        Value.self, "SELECT strftime('%Y-%m-%d %H:%M:%f', ?)", [.real(time)])
      let written = Date(timeIntervalSinceReferenceDate: (time - 2_451_910.5) * 86_400)
      #expect(written.columnValue == sql)
    }
  }

  @Test func aWrittenDateIsTheSameForSQLite() throws {
    // Noon of many days. In years such as -4700, SQLite's calendar is a day off its own inverse.
    for day in [Array(4_400..<4_900), Array(stride(from: 1, to: 1_800_000, by: 97))].joined() {
      let date = Date(timeIntervalSinceReferenceDate: (Double(day) - 2_451_910.5) * 86_400)
      let read = try store.connection.value(Double.self, "SELECT julianday(?)", [date.columnValue])
      #expect(read == Double(day), "\(date.columnValue)")
    }
    #expect(Date(timeIntervalSince1970: -62_198_755_200).columnValue == "-0001-01-01 00:00:00.000")
  }

  @Test func whatIsFinerThanAMillisecondIsRounded() {
    #expect(Date(timeIntervalSince1970: 0.000_6).columnValue == "1970-01-01 00:00:00.001")
    #expect(Date(timeIntervalSince1970: -0.000_4).columnValue == "1970-01-01 00:00:00.000")
    #expect(Date(timeIntervalSince1970: 59.999_9).columnValue == "1970-01-01 00:01:00.000")
  }

  @Test(arguments: [
    -210_866_760_000.001, 253_402_300_800, .infinity, -.infinity, .nan, 1e300,
  ]) func aDateThatSQLiteCannotRepresentIsNull(_ seconds: TimeInterval) {
    #expect(Date(timeIntervalSince1970: seconds).columnValue == .null)
  }

  @Test func oneFormSortsByTimeAndMixedFormsByTheirStorage() throws {
    let dates = [-62_167_219_200, -1, -0.001, 0, 1.5, 1_763_714_820.123, 253_402_300_799]
      .map { Date(timeIntervalSince1970: $0).columnValue }
    let sorted = try store.connection.rows(
      "SELECT value FROM json_each(?) ORDER BY value",
      [.text("[" + dates.reversed().map { "\"\(text($0))\"" }.joined(separator: ",") + "]")])
    #expect(sorted.map { $0.values[0] } == dates)

    let mixed = try store.connection.rows(
      """
      SELECT column1 FROM (VALUES ('2026-01-02'), (1e9), ('2026-01-01T12:00'), ('2026-01-01 13:00'))
      ORDER BY column1
      """)
    #expect(
      mixed.map { $0.values[0] } == [1e9, "2026-01-01 13:00", "2026-01-01T12:00", "2026-01-02"])
  }

  private func text(_ value: Value) -> String {
    if case .text(let text) = value { text } else { "" }
  }
}
