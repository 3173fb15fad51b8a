import FetchedResults
import SQLiteStorage
import Testing

/// What makes two rows stand in one section.
struct SectionGrouperTests {
  /// One row for each value, numbered from 1.
  private func store(
    _ values: [String], type: String = "",
    _ configure: (inout Database.Configuration) -> Void = {
      _ in
    }
  ) throws -> Database {
    let rows = values.enumerated().map { "(\($0 + 1), \($1))" }.joined(separator: ", ")
    return try .store(
      "CREATE TABLE t(id INTEGER PRIMARY KEY, s \(type)); INSERT INTO t VALUES \(rows);", configure)
  }

  private func lines(
    _ store: Database, by key: SectionKey<Row>, sorted terms: [SortTerm<Row>] = []
  ) throws -> [String] {
    let provider = try FetchedResultsProvider(
      database: store, request: FetchRequest(table: "t").sorted(terms), sectionedBy: key)
    let lines = try provider.fetchedLines()
    try provider.expectConsistent()
    return lines
  }

  private func tornMessage(
    _ store: Database, by key: SectionKey<Row>, sorted terms: [SortTerm<Row>] = []
  ) throws -> String? {
    let error = #expect(throws: FetchError.self) { try lines(store, by: key, sorted: terms) }
    #expect(error?.code == .tornSection)
    return error?.message
  }

  // MARK: Values

  @Test func mixedTypesAreSectionsOfTheirOwnButEqualNumbersAreOne() throws {
    let store = try store(["x'31'", "'1'", "1.0", "NULL", "1", "''", "x''", "' '", "1.5", "'1'"])
    #expect(
      try lines(store, by: .property(\Row["s"])) == [
        "NULL: 4", "1.0: 3 5", "1.5: 9", "\"\": 6", "\" \": 8", "\"1\": 2 10",
        "a blob of 0 bytes: 7", "a blob of 1 bytes: 1",
      ])
  }

  @Test func hugeNumbersAreComparedExactly() throws {
    let store = try store([
      "9007199254740993", "9007199254740992.0", "9007199254740992", "-9223372036854775808",
      "-9223372036854775808.0", "9223372036854775807", "9223372036854775808.0", "9e999", "-9e999",
      "-0.0", "0", "-5",
    ])
    #expect(
      try lines(store, by: .property(\Row["s"])).map { $0.drop { $0 != ":" } } == [
        ": 9", ": 4 5", ": 12", ": 10 11", ": 2 3", ": 1", ": 6", ": 7", ": 8",
      ])
  }

  @Test func aWholeRealIsNotTheIntegerBesideIt() throws {
    let store = try store(["9007199254740993", "9007199254740992.0", "9007199254740992"])
    #expect(
      try lines(store, by: .property(\Row["s"], .descending))
        == ["9007199254740993: 1", "9007199254740992.0: 2 3"])
  }

  @Test func textThatIsNotValidUTF8FormsSectionsByItsBytes() throws {
    let values = ["FF", "FE", "FF", "EFBFBD", "61FF"].map { "CAST(x'\($0)' AS TEXT)" }
    let store = try store(values)
    let lines = try lines(store, by: .property(\Row["s"]))
    #expect(lines.map { $0.drop { $0 != ":" } } == [": 5", ": 4", ": 2", ": 1 3"])
    // Also where sections are told apart by all that came before.
    let ordered = try self.lines(
      store, by: .expression("s", order: .expression("s", .descending)))
    #expect(ordered.map { $0.drop { $0 != ":" } } == [": 1 3", ": 2", ": 4", ": 5"])
  }

  @Test func textWithNulIsComparedAsTheCollationDoes() throws {
    let store = try store(
      ["b", "c", "B", "bb"].map { "'a' || char(0) || '\($0)'" } + ["'a'", "'A' || char(0) || 'x'"])
    func groups(_ collation: Collation) throws -> [Substring] {
      try lines(store, by: .property(\Row["s"], .ascending, collation: collation))
        .map { $0.drop { $0 != ":" } }
    }
    #expect(try groups(.binary) == [": 6", ": 5", ": 3", ": 1", ": 4", ": 2"])
    // NOCASE looks at nothing behind a NUL but the length.
    #expect(try groups(.nocase) == [": 5", ": 1 2 3 6", ": 4"])
    let ordered = try lines(
      store, by: .expression("s", collation: .nocase, order: .expression("length(hex(s))")))
    #expect(ordered.map { $0.drop { $0 != ":" } } == [": 5", ": 1 2 3 6", ": 4"])
  }

  // MARK: Directions and collations

  @Test func sectionsMayDescendAndNullMayStandAtEitherEnd() throws {
    let store = try store(["'b'", "NULL", "'a'", "NULL", "'b'"])
    func by(_ direction: SortTerm<Row>.Direction, _ nulls: SortTerm<Row>.Nulls?) throws -> [String]
    { try lines(store, by: .property(\Row["s"], direction, nulls: nulls)) }
    #expect(try by(.ascending, nil) == ["NULL: 2 4", "\"a\": 3", "\"b\": 1 5"])
    #expect(try by(.ascending, .first) == ["NULL: 2 4", "\"a\": 3", "\"b\": 1 5"])
    #expect(try by(.ascending, .last) == ["\"a\": 3", "\"b\": 1 5", "NULL: 2 4"])
    #expect(try by(.descending, nil) == ["\"b\": 1 5", "\"a\": 3", "NULL: 2 4"])
    #expect(try by(.descending, .last) == ["\"b\": 1 5", "\"a\": 3", "NULL: 2 4"])
    #expect(try by(.descending, .first) == ["NULL: 2 4", "\"b\": 1 5", "\"a\": 3"])
  }

  @Test func aCustomCollationFormsSections() throws {
    let store = try store(["'bb'", "'a'", "'b'", "'aa'", "''", "1"]) {
      $0.collations = [CustomCollation("Length") { $0.count - $1.count }]
    }
    #expect(
      try lines(store, by: .property(\Row["s"], .ascending, collation: .custom("LENGTH")))
        == ["1: 6", "\"\": 5", "\"a\": 2 3", "\"bb\": 1 4"])
  }

  @Test func theDeclaredCollationHoldsUnlessAnotherIsGiven() throws {
    let store = try store(["'b'", "'A'", "'a'", "'B'"], type: "TEXT COLLATE NOCASE")
    #expect(try lines(store, by: .property(\Row["s"])) == ["\"A\": 2 3", "\"b\": 1 4"])
    #expect(
      try lines(store, by: .property(\Row["s"], .ascending, collation: .binary))
        == ["\"A\": 2", "\"B\": 4", "\"a\": 3", "\"b\": 1"])
    // An expression has no declared collation.
    #expect(try lines(store, by: .expression("s")).count == 4)
  }

  @Test func theFirstTermOfTheRequestSaysHowSectionsOfItsPropertyAreSorted() throws {
    let store = try store(["'b'", "'A'", "NULL", "'a'"])
    let term = SortTerm<Row>.by(\Row["s"], .descending, collation: .nocase, nulls: .first)
    #expect(
      try lines(store, by: .property(\Row["s"]), sorted: [term, .by(\Row["id"], .descending)])
        == ["NULL: 3", "\"b\": 1", "\"a\": 4 2"])
  }

  // MARK: Expressions and computed properties

  @Test func aComputedKeyThatIsNoNumberIsNull() throws {
    let store = try Database.store(
      """
      CREATE TABLE shot(id INTEGER PRIMARY KEY, hits INT, shots INT);
      INSERT INTO shot VALUES (1, 0, 0), (2, 1, 1), (3, 5, 2);
      """)
    let provider = try FetchedResultsProvider(
      database: store, request: Shot.all.sorted(.expression("hits * 1.0 / shots")),
      sectionedBy: .property(\.rate))
    try provider.performFetch()
    #expect(try provider.lines().count == 3)
    try store.run("INSERT INTO shot VALUES (4, 0, 0), (5, 3, 3)")
    try provider.refresh()
    #expect(provider.sections.map(\.numberOfRows) == [2, 2, 1])
  }

  @Test func anExpressionFormsSections() throws {
    let store = try store(["'apple'", "'Avocado'", "'bean'", "NULL"])
    #expect(
      try lines(
        store, by: .expression("upper(substr(s, 1, 1))", .descending), sorted: [.by(\Row["s"])])
        == ["\"B\": 3", "\"A\": 2 1", "NULL: 4"])
  }

  @Test func anExpressionMayHaveAnOrderOfItsOwn() throws {
    let store = try store(["'low'", "'high'", "'medium'", "'low'"])
    let rank = SortTerm<Row>.expression(
      "CASE s WHEN 'low' THEN 1 WHEN 'medium' THEN 2 ELSE 3 END", .descending)
    #expect(
      try lines(store, by: .expression("s", order: rank))
        == ["\"high\": 2", "\"medium\": 3", "\"low\": 1 4"])
  }

  @Test func anOrderThatTearsASectionApartNamesTheSectionAndTwoRows() throws {
    let store = try store(["'a'", "'b'", "'a'"])
    let message = try tornMessage(store, by: .expression("s", order: .by(\Row["id"])))
    #expect(message?.contains("\"a\"") == true)
    #expect(message?.contains("row 3") == true)
    #expect(message?.contains("row 2") == true)
  }

  @Test func aSectionTornUnderItsCollationIsFound() throws {
    let store = try store(["'a'", "'b'", "'A'"]) {
      $0.collations = [
        CustomCollation("folded") {
          let (lhs, rhs) = ($0.lowercased(), $1.lowercased())
          return lhs < rhs ? -1 : lhs == rhs ? 0 : 1
        }
      ]
    }
    let byID = SortTerm<Row>.by(\Row["id"])
    for collation in [Collation.nocase, .custom("folded")] {
      _ = try tornMessage(store, by: .expression("s", collation: collation, order: byID))
    }
    #expect(try lines(store, by: .expression("s", order: byID)).count == 3)
  }

  @Test func aComputedPropertyIsEvaluatedInSwift() throws {
    let provider = try FetchedResultsProvider(
      database: try Track.store(), request: Track.all.sorted(by: \.name),
      sectionedBy: \.initial)
    #expect(
      try provider.fetchedLines()
        == ["\"A\": 5 2", "\"B\": 1", "\"C\": 4", "\"Z\": 3"])
    try provider.expectConsistent()
  }

  @Test func aComputedPropertyOfARowIsEvaluatedInSwift() throws {
    let store = try store(["'apple'", "'avocado'", "'bean'", "7"])
    #expect(
      try lines(store, by: .property(\.initial), sorted: [.by(\Row["s"])])
        == ["\"\": 4", "\"a\": 1 2", "\"b\": 3"])
  }

  @Test func aSectionThatIsTornOutsideOfTheWindowIsNoMistakeThere() throws {
    let store = try store(["'a'", "'b'", "'a'"])
    let provider = try FetchedResultsProvider(
      database: store, request: FetchRequest(table: "t").limited(to: 2),
      sectionedBy: .expression("s", order: .by(\Row["id"])))
    #expect(try provider.fetchedLines() == ["\"a\": 1", "\"b\": 2"])
  }
}

extension Row {
  /// Computed, unlike the column it is made from.
  fileprivate var initial: String {
    if case .text(let text) = self["s"] { String(text.prefix(1)) } else { "" }
  }
}

private struct Shot: Codable, FetchableRecord {
  static let recordDescription = RecordDescription<Shot>(table: "shot")

  var id: Int
  var hits: Int
  var shots: Int

  var rate: Double { Double(hits) / Double(shots) }
}
