import SQLiteStorage
import Testing

@testable import SectionsServer

/// The values of a column as ranges.
@Suite(.timeLimit(.minutes(20))) struct RangeTests {
  private struct Range: Equatable {
    let low: String
    let high: String
    let count: Int
  }

  private func ranges(
    _ server: TestServer, _ parameters: String
  ) async throws -> (unit: String?, ranges: [Range], null: Int?, other: Int?) {
    let json = try await server.json("/api/ranges?source=t&column=x&\(parameters)")
    let ranges = try #require(json["ranges"] as? [[String: Any]]).map { range in
      Range(
        low: try #require(range["low"].map { "\($0)" }),
        high: try #require(range["high"].map { "\($0)" }),
        count: try #require(range["count"] as? Int))
    }
    return (json["unit"] as? String, ranges, json["null"] as? Int, json["other"] as? Int)
  }

  /// A table with a column `x` of a type, whose values an expression makes of the numbers 0 to `last`.
  private func server(
    _ expression: String, type: String = "", to last: Int = 999
  ) async throws -> TestServer {
    try await TestServer(
      """
      CREATE TABLE t(id INTEGER PRIMARY KEY, x \(type));
      WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(last))
      INSERT INTO t SELECT i + 1, \(expression) FROM n;
      """)
  }

  private static let columns: [(String, String, Int, String, String, String)] = [
    ("i", "INTEGER", 999, "integer", "0 100", "900 1000"),
    ("i - 50", "INTEGER", 99, "integer", "-50 -40", "40 50"),
    ("i / 1000.0", "REAL", 999, "number", "0 0.1", "0.9 1"),
    ("i * 0.37", "", 99, "number", "0 5", "35 40"),
    (
      "date('2019-03-05', i || ' days')", "DATE", 999, "year", "2019-01 2020-01",
      "2021-01 2022-01"
    ),
    (
      "date('1940-03-05', i || ' months')", "TEXT", 700, "decade", "1940-01 1950-01",
      "1990-01 2000-01"
    ),
    (
      "date('2023-12-30', i || ' days')", "TEXT", 100, "month", "2023-12 2024-01",
      "2024-04 2024-05"
    ),
    (
      "datetime('2024-02-27 23:00', i || ' hours')", "DATETIME", 99, "day",
      "2024-02-27 2024-02-28",
      "2024-03-03 2024-03-04"
    ),
    (
      "datetime('2024-02-27 22:30', i || ' minutes')", "TEXT", 300, "hour",
      "2024-02-27 22 2024-02-27 23", "2024-02-28 03 2024-02-28 04"
    ),
    (
      "date('1500-01-01', i || ' years')", "TEXT", 500, "century", "1500-01 1600-01",
      "2000-01 2100-01"
    ),
    // Seconds and milliseconds since 1970, from 2024-01-01, 2023-12-30 and 2024-02-27 23:00 on.
    (
      "1704067200 + i * 86400", "DATETIME", 999, "year", "1704067200 1735689600",
      "1767225600 1798761600"
    ),
    (
      "1703894400 + i * 86400", "TIMESTAMP", 100, "month", "1701388800 1704067200",
      "1711929600 1714521600"
    ),
    (
      "(1709074800 + i * 60) * 1000", "DATE", 300, "hour", "1709074800000 1709078400000",
      "1709092800000 1709096400000"
    ),
    // The same numbers in a column that does not say that they are times, and others in one that does.
    (
      "1704067200 + i * 86400", "INTEGER", 999, "integer", "1700000000 1710000000",
      "1790000000 1800000000"
    ),
    ("i * 100", "DATETIME", 999, "integer", "0 10000", "90000 100000"),
  ]

  @Test(arguments: columns)
  func numbersAndDatesAreDivided(
    _ expression: String, _ type: String, _ last: Int, _ unit: String, _ first: String,
    _ end: String
  ) async throws {
    let server = try await server(expression, type: type, to: last)
    let found = try await ranges(server, "")
    #expect(found.unit == unit)
    let texts = found.ranges.map { "\($0.low) \($0.high)" }
    #expect(texts.first == first)
    #expect(texts.last == end)
    #expect(found.ranges.reduce(0) { $0 + $1.count } == last + 1)
    #expect(found.null == 0 && found.other == 0)
    // Each number is that of the rows which the condition finds.
    for range in found.ranges {
      let condition = QueryItems.encoded("x:within:\(range.low):\(range.high)")
      let rows = try await server.json("/api/rows?source=t&where=\(condition)&count=1")
      #expect(rows["rows"] as? Int == range.count)
    }
  }

  @Test(arguments: [
    ("created_at", "INTEGER", true), ("createdAt", "INTEGER", true), ("CREATED_AT", "", true),
    ("ts", "", true), ("start_time", "INTEGER", true), ("birthdate", "INTEGER", true),
    ("x", "datetime", true), ("x", "TIMESTAMP", true), ("update", "INTEGER", false),
    ("population", "INTEGER", false), ("duration", "INTEGER", false), ("format", "INTEGER", false),
    ("amounts", "INTEGER", false), ("x", "INTEGER", false), ("", "", false),
  ])
  func aColumnSaysThatItHasTimes(_ name: String, _ type: String, _ hasTimes: Bool) {
    #expect(ValueRanges.mayBeTimes(column: name, type: type) == hasTimes)
  }

  @Test func unevenNumbersHaveRangesThatGrow() async throws {
    let server = try await server("CASE WHEN i < 900 THEN i % 9 ELSE i * 20 END", type: "INTEGER")
    let found = try await ranges(server, "")
    #expect(found.ranges.map(\.low).starts(with: ["0", "1", "2", "5", "10", "20"]))
    #expect(found.ranges.last == Range(low: "10000", high: "20000", count: 100))
    #expect(found.ranges.count < 16)
    #expect(found.ranges.reduce(0) { $0 + $1.count } == 1_000)
    #expect((found.ranges.map(\.count).max() ?? 0) < 900)
  }

  @Test(arguments: ["i % 20", "'word ' || i", "x'00'", "NULL", "7", "i % 2 * 1000", "9e999"])
  func otherValuesHaveNone(_ expression: String) async throws {
    let server = try await server(expression, to: 99)
    let found = try await ranges(server, "")
    #expect(found.unit == nil && found.ranges.isEmpty)
    #expect((found.null ?? 0) + (found.other ?? 0) == 100)
  }

  /// The logarithm of the size of such a range is none, or the size is 0 when it is written in decimal.
  @Test(
    arguments: [
      (0, .leastNonzeroMagnitude), (0, 0x1p-1030), (-0x1p-1030, 0x1p-1030), (1, 1 + 0x1p-52),
      (0x1p62, 0x1p62 + 0x1p12),
    ] as [(Double, Double)])
  func numbersThatAreVeryCloseHaveNone(_ least: Double, _ most: Double) async throws {
    let server = try await server(
      "CASE i % 2 WHEN 0 THEN \(least) ELSE \(most) END", type: "REAL", to: 99)
    let found = try await ranges(server, "")
    #expect(found.unit == nil && found.ranges.isEmpty)
    #expect(found.other == 100)
  }

  @Test func otherRowsAreCountedAndConditionsApply() async throws {
    let server = try await server("i", to: 99)
    try server.write(
      """
      INSERT INTO t VALUES (1000, NULL), (1001, 'text'), (1002, 9e999), (1003, NULL), (1004, '50');
      """)
    var found = try await ranges(server, "")
    #expect(found.null == 2 && found.other == 3)
    #expect(found.ranges.reduce(0) { $0 + $1.count } == 100)
    found = try await ranges(server, "where=id:le:50&sort=x&by=x&columns=id")
    #expect(found.null == 0 && found.other == 0)
    #expect(found.ranges.first == Range(low: "0", high: "5", count: 5))
    #expect(found.ranges.count == 10)
    #expect(try await server.get("/api/ranges?source=t&column=gone").status == 400)
    #expect(try await server.get("/api/ranges?source=t").status == 400)
    #expect(try await server.get("/api/ranges?source=gone&column=x").status == 404)
  }

  /// Each client read all rows two or three times after each commit.
  @Test func theRowsOfAVersionAreCountedOnce() async throws {
    let server = try await server("i", type: "INTEGER", to: 399_999)
    func time(_ parameters: String) async throws -> Duration {
      try await ContinuousClock().measure { _ = try await ranges(server, parameters) }
    }
    let first = try await time("")
    // Order, sections, columns and totals do not matter. That the log is copied into the file may be another version.
    var least = first
    for _ in 0..<20 { least = min(least, try await time("sort=x&by=x&columns=id&total=sum:id")) }
    #expect(least < first / 10)
    #expect(try await ranges(server, "where=id:le:50").ranges.first?.count == 5)
    try server.write("DELETE FROM t WHERE id <= 10")
    #expect(try await ranges(server, "").ranges.reduce(0) { $0 + $1.count } == 399_990)
    try server.write("ALTER TABLE t RENAME COLUMN x TO y")
    for _ in 0..<2 {
      #expect(try await server.get("/api/ranges?source=t&column=x").status == 400)
    }
  }

  @Test func typedSQLHasRangesToo() async throws {
    let server = try await server("i", to: 99)
    let sql = QueryItems.encoded("SELECT x * 10 AS y FROM t")
    let answer = try await server.get(
      "/api/ranges?sql=\(sql)&column=y", ["Sections-SQL": "run"])
    #expect(try answer.json["unit"] as? String == "integer")
    #expect((try answer.json["ranges"] as? [Any])?.count == 10)
  }
}
