import FetchedResults
import SQLiteStorage

/// The numbers or dates of a column in a few ranges, each with the number of its rows.
///
/// A date is a text that begins with a year and a month, as in ISO 8601, or a number of seconds or milliseconds since
/// 1970 in a column that has dates. The operator `within` finds the rows of a range.
struct ValueRanges: Sendable {
  /// What a range is: of whole numbers, of numbers, or a period.
  enum Unit: String {
    case integer, number, century, decade, year, month, day, hour
  }

  /// The values from `low` on, below `high`.
  struct Range: Sendable {
    let low: Value
    let high: Value
    let count: Int
  }

  /// Nil if the values are not shown better as ranges: there are few of them, or they are neither numbers nor dates.
  private(set) var unit: Unit?
  private(set) var ranges: [Range] = []
  private(set) var nullCount = 0
  /// The number of other rows that are in no range.
  private(set) var otherCount = 0
}

extension ValueRanges {
  private enum Kind: Int64 {
    case number = 1, date
  }

  /// What the rows say of a column before there are ranges.
  private struct Extent {
    let kind: Kind
    let least: Value
    let most: Value
    let hasReals: Bool
  }

  /// Reads the ranges of a column.
  ///
  /// Complexity: O(rows). They are read two or three times.
  ///
  /// - Parameter type: the declared type of the column; empty if it has none.
  init(
    ofColumn column: String, type: String, in request: FetchRequest<Row>, _ connection: Connection
  ) throws {
    let name: SQL = "\(identifier: column)"
    let totals: [SectionTotal<Row>] = [
      .min("\(name)"), .max("\(name)"), .max("typeof(\(name)) = 'real'"),
    ]
    let kinds = try connection.fetchSections(
      request.totals(totals), sectionedBy: .expression("\(Self.kind(of: name))")
    )
    .sorted { $0.info.numberOfRows > $1.info.numberOfRows }
    let rowCount = kinds.reduce(0) { $0 + $1.info.numberOfRows }
    nullCount = kinds.first { $0.key == .integer(0) }?.info.numberOfRows ?? 0
    otherCount = rowCount - nullCount
    // The largest group is the first one.
    let extents = kinds.lazy.compactMap { group -> Extent? in
      guard case .integer(let number) = group.key, let kind = Kind(rawValue: number) else {
        return nil
      }
      // After those of the list.
      let values = Array(group.totals.values.suffix(totals.count))
      return Extent(
        kind: kind, least: values[0], most: values[1], hasReals: values[2] == .integer(1))
    }
    guard let extent = extents.first else { return }
    func count(_ edges: [Value]) throws -> [Range] {
      let groups = try connection.fetchValueCounts(
        of: "\(Self.number(of: name, extent.kind, edges))", in: request, limit: edges.count + 1)
      var counts = Array(repeating: 0, count: edges.count - 1)
      for group in groups {
        if case .integer(let range) = group.value { counts[Int(range)] = group.count }
      }
      return zip(zip(edges, edges.dropFirst()), counts).map {
        Range(low: $0.0, high: $0.1, count: $1)
      }
    }
    let found: (unit: Unit, ranges: [Range])?
    if let dates = Self.dates(of: extent, column, type) {
      found = (dates.unit, try count(dates.edges))
    } else if extent.kind == .number {
      found = try NumberEdges(from: extent.least, to: extent.most, isWhole: !extent.hasReals).map {
        let ranges = try count($0.equal)
        let isUneven = (ranges.map(\.count).max() ?? 0) > (rowCount - nullCount) * 7 / 10
        let uneven = isUneven ? $0.growing : nil
        return (extent.hasReals ? .number : .integer, try uneven.map(count) ?? ranges)
      }
    } else {
      found = nil
    }
    guard let found, found.ranges.count(where: { $0.count > 0 }) > 2 else { return }
    unit = found.unit
    ranges = Array(
      found.ranges.drop { $0.count == 0 }.reversed().drop { $0.count == 0 }.reversed())
    otherCount -= ranges.reduce(0) { $0 + $1.count }
  }

  /// The periods of the values; nil if these are no dates.
  private static func dates(of extent: Extent, _ column: String, _ type: String) -> DateEdges? {
    switch extent.kind {
    case .date: DateEdges(from: extent.least, to: extent.most)
    case .number:
      !extent.hasReals && mayBeTimes(column: column, type: type)
        ? DateEdges(fromNumber: extent.least, to: extent.most) : nil
    }
  }

  /// Whether the numbers of a column may be times, by its name and its declared type. The page has the same rule
  /// (`types.js`).
  static func mayBeTimes(column name: String, type: String) -> Bool {
    let type = type.uppercased()
    if ["DATE", "TIME"].contains(where: type.contains) { return true }
    let word = lastWord(of: name)
    return timeWords.contains(word) || word.hasSuffix("time")
      || word.hasSuffix("date") && word != "update"
  }

  private static let timeWords: Set = [
    "at", "on", "ts", "epoch", "created", "updated", "modified", "timestamp",
  ]

  /// `at` of `created_at` and `createdAt`, and nothing of the kind of `format`.
  private static func lastWord(of name: String) -> String {
    let letters = Array(name.utf8.reversed())
    let end = letters.prefix { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
    let start = letters.dropFirst(end.count).prefix { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
    let word = end.isEmpty ? start : end + start.prefix(1)
    return String(decoding: word.reversed(), as: UTF8.self).lowercased()
  }

  /// What a value is, as SQL.
  private static func kind(of name: SQL) -> SQL {
    """
    CASE WHEN \(name) IS NULL THEN 0
      WHEN typeof(\(name)) IN ('integer', 'real') AND \(name) BETWEEN -1e300 AND 1e300 THEN \(Kind.number.rawValue)
      WHEN typeof(\(name)) = 'text' AND \(name) GLOB '[0-9][0-9][0-9][0-9]-[01][0-9]*' THEN \(Kind.date.rawValue)
      ELSE 3 END
    """
  }

  /// The number of the range of a value, as SQL; NULL if it is in none.
  private static func number(of name: SQL, _ kind: Kind, _ edges: [Value]) -> SQL {
    let types: [String] = kind == .number ? ["integer", "real"] : ["text"]
    let start: SQL = """
      CASE WHEN typeof(\(name)) NOT IN \(types) OR \(name) < \(edges[0]) THEN NULL
      """
    let ranges = edges.dropFirst().enumerated().reduce(start) { sql, range in
      "\(sql) WHEN \(name) < \(range.element) THEN \(range.offset)"
    }
    return "\(ranges) END"
  }
}
