public import SmallFoundation

extension Date: ColumnValue {
  /// Reads a date in any form that SQLite's date functions accept, and as they read it:
  ///
  /// - Text is `YYYY-MM-DD`, `YYYY-MM-DD HH:MM`, `YYYY-MM-DD HH:MM:SS` or
  ///   `YYYY-MM-DD HH:MM:SS.SSS`. A `T` may replace the space. A time may be followed by `Z` or by
  ///   an offset such as `+02:00`; without one it is in UTC. A time alone is on 2000-01-01. `now`
  ///   is not read: it is not a stored date.
  /// - An integer is the number of seconds since 1970, as for SQLite's `'unixepoch'` modifier.
  /// - A real, or text that is a number, is read as for the `'auto'` modifier: a Julian day number
  ///   from 0 up to 5373484.5, and the number of seconds since 1970 otherwise.
  ///
  /// Days that a month does not have are days of the next month: `2026-02-30` is March 2. The range
  /// is the same as SQLite's: from noon of -4713-11-24 to the end of the year 9999.
  ///
  /// A column may mix these forms, but then it does not sort by time: SQLite sorts numbers before
  /// text, and text by its characters. To sort by time, sort by `julianday(column, 'auto')`, or
  /// store one form. A column declared `DATE` or `DATETIME` stores a whole Julian day number as an
  /// integer, which is read as seconds: declare a column of Julian days `REAL`.
  ///
  /// - Throws: `DatabaseError` with code `.typeMismatch` if the value is not such a date.
  public static func decode(_ row: borrowing RowView, at column: Int) throws -> Date {
    let date: Date? =
      switch row.storageClass(at: column) {
      case .integer: Date(unixTime: row.int64(at: column))
      case .real: Date(dateNumber: row.double(at: column))
      case .text: row.withBytes(at: column) { DateText.date(in: $0) }
      case .null, .blob: nil
      }
    guard let date else {
      throw row.typeMismatch(
        at: column, expected: "a date that SQLite's date functions can read")
    }
    return date
  }

  /// Text of the form `2026-11-21 08:47:00.000`, in UTC, rounded to the millisecond. From the year
  /// 0 on, texts of this form sort by time.
  ///
  /// A date that SQLite's date functions cannot represent is `NULL`, as is their result: a date
  /// before noon of -4713-11-24 or after the year 9999.
  public var columnValue: Value {
    let milliseconds =
      (timeIntervalSinceReferenceDate * 1_000).rounded() + JulianDay.referenceDate * 1_000
    guard 0..<JulianDay.endSeconds * 1_000 ~= milliseconds else { return .null }
    let (day, time) = (Int(milliseconds) + 43_200_000).quotientAndRemainder(dividingBy: 86_400_000)
    let date = JulianDay.components(of: day)
    let (seconds, millisecond) = time.quotientAndRemainder(dividingBy: 1_000)
    return .text(
      (date.year < 0 ? "-" : "") + "\(date.year.magnitude, digits: 4)-\(date.month, digits: 2)"
        + "-\(date.day, digits: 2) \(seconds / 3_600, digits: 2):\(seconds / 60 % 60, digits: 2)"
        + ":\(seconds % 60, digits: 2).\(millisecond, digits: 3)")
  }

  /// Makes a date from a Julian day and a time of day; nil if it is out of SQLite's range.
  fileprivate init?(day: Int, seconds: Int, fraction: Double) {
    let whole = day * 86_400 - 43_200 + seconds
    let milliseconds = Double(whole) * 1_000 + (fraction * 1_000).rounded()
    guard 0..<JulianDay.endSeconds * 1_000 ~= milliseconds else { return nil }
    self.init(
      timeIntervalSinceReferenceDate: Double(whole) - JulianDay.referenceDate + fraction)
  }

  /// Makes a date from seconds since 1970; nil if it is out of SQLite's range.
  private init?(unixTime: Int64) {
    guard JulianDay.unixTimes ~= Double(unixTime) else { return nil }
    self.init(timeIntervalSince1970: Double(unixTime))
  }

  /// Makes a date from a Julian day number, or from seconds since 1970; nil if the number is
  /// neither.
  fileprivate init?(dateNumber number: Double) {
    if 0..<5_373_484.5 ~= number {
      // A double represents a present Julian day to 40 microseconds. SQLite rounds it too.
      let milliseconds = (number * 86_400_000).rounded()
      self.init(timeIntervalSinceReferenceDate: milliseconds / 1_000 - JulianDay.referenceDate)
    } else if JulianDay.unixTimes ~= number {
      self.init(timeIntervalSince1970: number)
    } else {
      return nil
    }
  }
}

/// Parses the texts that SQLite's date functions accept.
///
/// Source: `parseDateOrTime` in [date.c](https://sqlite.org/src/file/src/date.c), and [Date And
/// Time Functions](https://sqlite.org/lang_datefunc.html).
private struct DateText {
  private var rest: Slice<UnsafeRawBufferPointer>

  static func date(in bytes: UnsafeRawBufferPointer) -> Date? {
    var text = DateText(rest: bytes[...])
    if let day = text.day() {
      text.skip { $0.isBlank || $0 == UInt8(ascii: "T") }
      return text.rest.isEmpty ? Date(day: day, seconds: 0, fraction: 0) : text.time(on: day)
    }
    text = DateText(rest: bytes[...])
    return text.time(on: JulianDay.number(year: 2000, month: 1, day: 1)) ?? number(in: bytes)
  }

  /// A decimal number, with optional blanks around it.
  private static func number(in bytes: UnsafeRawBufferPointer) -> Date? {
    let text = DateText(rest: bytes[...]).rest.drop(while: \.isBlank)
    let end = text.lastIndex { !$0.isBlank }.map { $0 + 1 } ?? text.startIndex
    let digits = text[..<end]
    // `Double.init` also accepts "nan" and "0x10".
    guard digits.allSatisfy({ $0.isDigit || "+-.eE".utf8.contains($0) }) else { return nil }
    return Double(String(decoding: digits, as: UTF8.self)).flatMap { Date(dateNumber: $0) }
  }

  /// `YYYY-MM-DD`, with a `-` in front of a year before the year 0.
  private mutating func day() -> Int? {
    let isNegative = take("-")
    guard let year = number(4, in: 0...9_999), take("-"), let month = number(2, in: 1...12),
      take("-"), let day = number(2, in: 1...31)
    else { return nil }
    return JulianDay.number(year: isNegative ? -year : year, month: month, day: day)
  }

  /// `HH:MM`, `HH:MM:SS` or `HH:MM:SS.SSS` with its time zone, up to the end of the text.
  private mutating func time(on day: Int) -> Date? {
    guard let hour = number(2, in: 0...24), take(":"), let minute = number(2, in: 0...59)
    else { return nil }
    var seconds = hour * 3_600 + minute * 60
    var fraction = 0.0
    if take(":") {
      guard let second = number(2, in: 0...59) else { return nil }
      seconds += second
      if take(".") {
        guard let value = self.fraction() else { return nil }
        fraction = value
      }
    }
    guard let offset = offset(), rest.isEmpty else { return nil }
    return Date(day: day, seconds: seconds - offset, fraction: fraction)
  }

  private mutating func fraction() -> Double? {
    let digits = rest.prefix(while: \.isDigit)
    rest = rest[digits.endIndex...]
    return digits.isEmpty ? nil : Double("0." + String(decoding: digits, as: UTF8.self))
  }

  /// The offset of a time zone from UTC in seconds, with the blanks around it.
  private mutating func offset() -> Int? {
    skip(\.isBlank)
    var offset = 0
    if !take("Z"), !take("z") {
      let isNegative = take("-")
      guard isNegative || take("+") else { return 0 }
      guard let hours = number(2, in: 0...14), take(":"), let minutes = number(2, in: 0...59)
      else { return nil }
      offset = (hours * 3_600 + minutes * 60) * (isNegative ? -1 : 1)
    }
    skip(\.isBlank)
    return offset
  }

  /// A number with exactly `digitCount` digits.
  private mutating func number(_ digitCount: Int, in range: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix(digitCount)
    guard digits.count == digitCount, digits.allSatisfy(\.isDigit) else { return nil }
    rest = rest.dropFirst(digitCount)
    let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    return range ~= number ? number : nil
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func skip(_ isSkipped: (UInt8) -> Bool) { rest = rest.drop(while: isSkipped) }
}

/// SQLite's calendar. Day 0 begins at noon of -4713-11-24.
///
/// The formulas are those of `computeJD` and `computeYMD` in
/// [date.c](https://sqlite.org/src/file/src/date.c). For years before the year 0 they differ a
/// little from the Gregorian calendar. Another calendar would not agree with SQLite.
private enum JulianDay {
  /// 2001-01-01 00:00, in seconds since the beginning of day 0.
  static let referenceDate = 211_845_067_200.0
  /// The end of the year 9999, in seconds since the beginning of day 0.
  static let endSeconds = 464_269_060_800.0
  /// The same range in seconds since 1970.
  static let unixTimes = -210_866_760_000.0...253_402_300_799.0

  static func number(year: Int, month: Int, day: Int) -> Int {
    let (year, month) = month <= 2 ? (year - 1, month + 12) : (year, month)
    let leapDays = 2 - year / 100 + year / 100 / 4
    return 36_525 * (year + 4_716) / 100 + 306_001 * (month + 1) / 10_000 + day + leapDays - 1_524
  }

  /// Components for which ``number(year:month:day:)`` returns `number`.
  static func components(of number: Int) -> (year: Int, month: Int, day: Int) {
    let found = inverse(of: number)
    if self.number(year: found.year, month: found.month, day: found.day) == number { return found }
    // In some years before the year 0 SQLite's two formulas differ by one day.
    let before = inverse(of: number - 1)
    let isThat =
      self.number(year: before.year, month: before.month, day: before.day) == number
    return isThat ? before : (before.year, before.month, before.day + 1)
  }

  private static func inverse(of number: Int) -> (year: Int, month: Int, day: Int) {
    let century = (4 * number - 7_468_865) / 146_097
    let shifted = number + 1_525 + century - century / 4
    let years = (20 * shifted - 2_442) / 7_305
    let days = shifted - 36_525 * years / 100
    let months = days * 10_000 / 306_001
    let month = months < 14 ? months - 1 : months - 13
    return (
      month > 2 ? years - 4_716 : years - 4_715, month, days - 306_001 * months / 10_000
    )
  }
}

extension DefaultStringInterpolation {
  /// Appends a number with leading zeros.
  fileprivate mutating func appendInterpolation(_ number: some BinaryInteger, digits: Int) {
    let text = String(number)
    appendLiteral(String(repeating: "0", count: max(0, digits - text.count)) + text)
  }
}
