import CLibrary
import SQLiteStorage

/// Round numbers between which all numbers from one to another are.
struct NumberEdges {
  private let least: Double
  private let most: Double
  private let isWhole: Bool

  /// Nil if there is nothing to divide, if the whole numbers are so few that each of them can be shown, or if the numbers are
  /// so close to each other or to 0 that there are no round ones between them.
  init?(from least: Value, to most: Value, isWhole: Bool) {
    guard let least = Self.number(least), let most = Self.number(most), most > least,
      !isWhole || most - least >= Self.fewest,
      (most - least) / 10 > max(-least, most) * Self.precision,
      (most - least) / 10 > .leastNormalMagnitude
    else { return nil }
    (self.least, self.most, self.isWhole) = (least, most, isWhole)
  }

  private static let fewest = 30.0

  /// The smallest size of a range, as a part of its numbers, at which its edges differ.
  private static let precision = 0x1p-48

  /// The edges of about ten ranges of one size.
  var equal: [Value] {
    let size = (most - least) / 10
    var exponent = Int(log10(size).rounded(.down))
    let digits = size / pow(10, Double(exponent))
    var factor = [1.0, 2, 5, 10].first { digits <= $0 } ?? 10
    if isWhole, exponent < 0 { (exponent, factor) = (0, 1) }
    func edge(_ number: Double) -> Double { Self.scaled(number * factor, exponent) }
    let step = edge(1)
    var first = (least / step).rounded(.down)
    if edge(first) > least { first -= 1 }
    var last = (most / step).rounded(.down) + 1
    if edge(last) <= most { last += 1 }
    return stride(from: first, through: last, by: 1).map { Self.value(edge($0)) }
  }

  /// Edges that grow as 1, 2, 5, 10 do; nil if some numbers are negative.
  var growing: [Value]? {
    guard least >= 0 else { return nil }
    let last = Int(log10(most).rounded(.down))
    let start = least > 0 ? Int(log10(least).rounded(.down)) : isWhole ? 0 : last - 4
    let first = max(isWhole ? 0 : start, start, last - 8)
    let factors = last - first < 5 ? [1.0, 2, 5] : [1.0]
    let steps = (first...(last + 1)).flatMap { exponent in
      factors.map { Self.scaled($0, exponent) }
    }
    let end = steps.firstIndex { $0 > most } ?? steps.count - 1
    return ([0] + steps[...end]).map(Self.value)
  }

  /// A number of tenths, hundreds and so on: the nearest one to what is written in decimal.
  private static func scaled(_ number: Double, _ exponent: Int) -> Double {
    exponent < 0 ? number / pow(10, Double(-exponent)) : number * pow(10, Double(exponent))
  }

  private static func number(_ value: Value) -> Double? {
    switch value {
    case .integer(let integer): Double(integer)
    case .real(let real): real
    default: nil
    }
  }

  private static func value(_ number: Double) -> Value {
    Int64(exactly: number).map { .integer($0) } ?? .real(number)
  }
}

/// The beginnings of periods between which all dates from one to another are.
///
/// They are texts that sort as the dates do, or the seconds or milliseconds since 1970. No text has only a year, as a
/// column that prefers numbers would take it for one.
struct DateEdges {
  private(set) var unit: ValueRanges.Unit
  private(set) var edges: [Value] = []

  /// Nil if the texts are no dates, or if there would be very many periods.
  init?(from least: Value, to most: Value) {
    guard case .text(let least) = least, case .text(let most) = most,
      let start = CivilDay(least), let end = CivilDay(most)
    else { return nil }
    // Which sign is before the time.
    let sign = least.dropFirst(10).first.flatMap { " T".contains($0) ? $0 : nil }
    self.init(from: start, to: end, hasHours: sign != nil) { unit, day, hour in
      switch unit {
      case .hour: .text("\(day.text)\(sign ?? " ")\(hour < 10 ? "0" : "")\(hour)")
      case .day: .text(day.text)
      default: .text(CivilDay.text(day.year, day.month))
      }
    }
  }

  /// The same for numbers since 1970: seconds, or milliseconds if they are large. Nil if they are neither.
  init?(fromNumber least: Value, to most: Value) {
    guard case .integer(let least) = least, case .integer(let most) = most,
      let unit = Self.units.first(where: { $0.range.contains(least) && $0.range.contains(most) })
    else { return nil }
    let (hour, day) = (3_600 * unit.second, 86_400 * unit.second)
    self.init(
      from: CivilDay(number: Int(least) / day), to: CivilDay(number: Int(most) / day),
      hasHours: true
    ) { .integer(Int64($1.number * day + $2 * hour)) }
  }

  /// The numbers that are times, from 1973 on, and how many of them are a second. The page has the same.
  private static let units: [(range: Range<Int64>, second: Int)] = [
    (100_000_000..<100_000_000_000, 1), (100_000_000_000..<100_000_000_000_000, 1_000),
  ]

  /// - Parameter edge: makes the beginning of a period: of an hour, a day, or the first day of a longer one.
  private init?(
    from start: CivilDay, to end: CivilDay, hasHours: Bool,
    _ edge: (_ unit: ValueRanges.Unit, _ day: CivilDay, _ hour: Int) -> Value
  ) {
    let (years, days) = (end.year - start.year, end.number - start.number)
    func yearly(_ size: Int) -> [Value] {
      stride(from: start.year / size * size, through: end.year + size, by: size).map {
        edge(.year, CivilDay(year: $0, month: 1), 0)
      }
    }
    switch (years, days) {
    case (121..., _): (unit, edges) = (.century, yearly(100))
    case (13..., _): (unit, edges) = (.decade, yearly(10))
    case (_, 550...): (unit, edges) = (.year, yearly(1))
    case (_, 32...):
      unit = .month
      edges = (start.months...(end.months + 1)).map {
        edge(.month, CivilDay(year: $0 / 12, month: $0 % 12 + 1), 0)
      }
    case (_, 2...):
      unit = .day
      edges = (start.number...(end.number + 1)).map { edge(.day, CivilDay(number: $0), 0) }
    default:
      guard hasHours, days >= 0 else { return nil }
      unit = .hour
      edges = (start.number...end.number).flatMap { day in
        (0..<24).map { edge(.hour, CivilDay(number: day), $0) }
      }
      edges.append(edge(.day, CivilDay(number: end.number + 1), 0))
    }
    guard edges.count <= Self.most else { return nil }
  }

  private static let most = 60
}

/// A day of the calendar.
private struct CivilDay {
  let year: Int
  let month: Int
  let day: Int

  init(year: Int, month: Int) { (self.year, self.month, day) = (year, month, 1) }

  /// Reads the beginning of a date: a year, a month and perhaps a day.
  init?(_ text: String) {
    let parts = text.prefix(10).split(separator: "-")
    guard parts.count >= 2, let year = Int(parts[0]), let month = Int(parts[1]),
      1...12 ~= month, 0..<9_000 ~= year
    else { return nil }
    let day = parts.count > 2 ? Int(parts[2]) : nil
    (self.year, self.month, self.day) = (year, month, day ?? 1)
  }

  /// The day with a number, counted from 1 January 1970.
  ///
  /// Source: [Howard Hinnant, *chrono-Compatible Low-Level Date
  /// Algorithms*](https://howardhinnant.github.io/date_algorithms.html), `civil_from_days`.
  init(number: Int) {
    let shifted = number + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let ofEra = shifted - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * ofYear + 2) / 153
    day = ofYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The number of the day, counted from 1 January 1970: `days_from_civil` of the same source.
  var number: Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let ofEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + ofYear
    return era * 146_097 + ofEra - 719_468
  }

  /// The number of the month.
  var months: Int { year * 12 + month - 1 }

  var text: String { Self.text(year, month) + (day < 10 ? "-0\(day)" : "-\(day)") }

  static func text(_ year: Int, _ month: Int) -> String {
    let zeros = String(repeating: "0", count: max(0, 4 - String(year).count))
    return "\(zeros)\(year)-\(month < 10 ? "0" : "")\(month)"
  }
}
