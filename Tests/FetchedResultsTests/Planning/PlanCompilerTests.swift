import SQLiteStorage
import Testing

@testable import FetchedResults

/// Mistakes in a request are found when the provider is made, and said in one line.
struct PlanCompilerTests {
  private func fetchError<Record>(
    _ request: FetchRequest<Record>, by key: SectionKey<Record>? = nil,
    in store: Database? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> FetchError? {
    let store = try store ?? Track.store()
    return #expect(throws: FetchError.self, sourceLocation: sourceLocation) {
      try FetchedResultsProvider(database: store, request: request, sectionedBy: key)
    }
  }

  private func databaseError<Record>(
    _ request: FetchRequest<Record>, by key: SectionKey<Record>? = nil,
    in store: Database? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> DatabaseError? {
    let store = try store ?? Track.store()
    return #expect(throws: DatabaseError.self, sourceLocation: sourceLocation) {
      try FetchedResultsProvider(database: store, request: request, sectionedBy: key)
    }
  }

  // MARK: Tables and columns

  @Test func anUnknownTableListsTheTablesThereAre() throws {
    let store = try Track.store("CREATE VIEW loud AS SELECT * FROM track;")
    let error = try fetchError(FetchRequest(table: "trak"), in: store)
    #expect(error?.code == .noSuchTable)
    #expect(error?.description.contains("trak") == true)
    #expect(error?.nextStep == "The database has: loud, track")
    let none = try fetchError(FetchRequest(table: "trak"), in: try .store(""))
    #expect(none?.nextStep == "The database has no tables")
  }

  struct Misspelt: FetchableRecord {
    let id: Int64
    let name: String

    static let recordDescription = RecordDescription(
      table: "track", key: \.id, making: Misspelt.init, Column("id", \.id), Column("nam", \.name))
  }

  @Test func anUnknownColumnListsTheColumnsThereAre() throws {
    let columns = "The columns are: id, name, genre, milliseconds"
    let table = FetchRequest(table: "track")
    for error in [
      try fetchError(Misspelt.all), try fetchError(table.columns(["id", "nam"])),
      try fetchError(FetchRequest(table: "track", key: ["nam"])),
      try fetchError(FetchRequest(select: "SELECT * FROM track", key: ["nam"])),
      try fetchError(table.sorted(by: \Row["nam"])), try fetchError(table.filter("\(\Row["nam"])")),
      try fetchError(table, by: .property(\Row["nam"])),
      try fetchError(table, by: .property(\Row["nam"], .descending)),
    ] {
      #expect(error?.code == .noSuchColumn)
      #expect(error?.message.contains("no column nam in") == true)
      #expect(error?.nextStep == columns)
    }
  }

  @Test func columnsOfARowAreFoundWhateverTheirCase() throws {
    let provider = try FetchedResultsProvider(
      database: try Track.store(),
      request: FetchRequest(table: "track").filter("\(\Row["MILLISECONDS"]) > \(100)")
        .sorted(by: \Row["Name"]), sectionedBy: \Row["GENRE"])
    #expect(try provider.fetchedLines() == ["NULL: 4", "\"Jazz\": 5 1", "\"Rock\": 2"])
  }

  @Test func aComputedPropertyInSQLIsRefused() throws {
    for error in [
      try fetchError(Track.all.sorted(by: \.initial)),
      try fetchError(Track.all.filter("\(\.initial) = \("A")")),
      try fetchError(Track.all, by: .property(\.initial, .descending)),
      try fetchError(Track.all, by: .expression("\(\.initial)")),
    ] {
      #expect(error?.code == .computedProperty)
      #expect(
        error?.message.contains("of Track") == true || error?.message.contains("initial") == true)
      #expect(error?.nextStep?.contains("id, name, genre, milliseconds") == true)
    }
  }

  @Test func anUnknownCollationIsRefused() throws {
    for request in [
      Track.all.sorted(by: \.name, collation: .custom("klingon")),
      Track.all.sorted(.expression("name", collation: Collation(name: "klingon"))),
    ] {
      let error = try fetchError(request)
      #expect(error?.code == .unknownCollation)
      #expect(error?.message.contains("klingon") == true)
    }
    let error = try fetchError(
      Track.all, by: .property(\.genre, .ascending, collation: .custom("klingon")))
    #expect(error?.code == .unknownCollation)
  }

  @Test func builtInCollationsAreKnownByAnySpelling() throws {
    for name in ["nocase", "NoCase", "BINARY", "binary", "rtrim"] {
      let provider = try FetchedResultsProvider(
        database: try Track.store(),
        request: Track.all.sorted(by: \.name, collation: .custom(name)))
      #expect(try provider.fetchedLines() == ["all: 5 2 1 4 3"])
      try provider.expectConsistent()
    }
  }

  // MARK: Parameters

  @Test func everyParameterNeedsAValue() throws {
    let all = Track.all
    for (request, parameter) in [
      (all.filter("id > ?"), "?"), (all.filter("id > :min"), ":min"),
      (all.filter("id > @min"), ":min"), (all.filter(.init(verbatim: "id IN (?, ?)", [1])), "?"),
      (all.sorted(.expression("id % ?")), "?"),
      (all.filter("id > ? AND id < \(5)"), "?"),
    ] {
      let error = try databaseError(request)
      #expect(error?.code == .invalidArguments)
      #expect(error?.message.contains(parameter) == true)
    }
    #expect(try databaseError(all, by: .expression("id % :n"))?.code == .invalidArguments)
    let select = FetchRequest(select: "SELECT * FROM track WHERE id > :min", key: ["id"])
    #expect(try databaseError(select)?.code == .invalidArguments)
    let copied = FetchRequest(select: "SELECT * FROM track WHERE id > :min")
    #expect(try databaseError(copied)?.code == .invalidArguments)
  }

  @Test func everyValueNeedsAParameter() throws {
    let all = Track.all
    for request in [
      all.filter(.init(verbatim: "id > 0", [1])), all.filter(.init(verbatim: "id > ?", [1, 2])),
      all.filter("id > 0 -- \(1)"),
      all.filter("name = '\("x")'"), all.with(parameters: ["min": 1]),
      all.filter("id > :min").with(parameters: ["min": 1, "max": 2]),
    ] {
      #expect(try databaseError(request)?.code == .invalidArguments)
    }
  }

  @Test(arguments: [
    ("rating >", "the SQL ends too early"), ("rating > (1", "the SQL ends too early"),
    ("name = 'x", "a quote is not closed"),
    ("name = rating rating", "near \"rating\": syntax error"),
  ])
  func anErrorDoesNotShowWhatSurroundsAFragment(sql: String, message: String) throws {
    let request = FetchRequest(table: "track").filter(SQLFragment(verbatim: sql))
    #expect(try databaseError(request)?.message == message)
  }

  @Test(arguments: [
    ("titel = 1", true), ("length(titel) > 1", true), ("track.titel = 1", true),
    ("[titel] = 1", true), ("nope(name)", false), ("name rating", false), ("name = 'x", false),
    ("id IN (SELECT 1", false),
  ])
  func theColumnsAreNamedIfANameIsNotOneOfThem(sql: String, areNamed: Bool) throws {
    let request = FetchRequest(table: "track").filter(SQLFragment(verbatim: sql))
    let nextStep = try #require(try databaseError(request)).nextStep
    #expect((nextStep?.hasPrefix("The columns of track are: id, name") == true) == areNamed)
  }

  @Test func aValueNeverSlipsToAnotherFragment() throws {
    let all = Track.all
    for request in [
      all.filter(.init(verbatim: "id > ?", [1, 2])).filter("id < ?"),
      all.filter("id > ?").filter(.init(verbatim: "id < ?", [1, 2])),
      all.filter(.init(verbatim: "id > 0", [7])).sorted(.expression("id % ?")),
    ] {
      #expect(try databaseError(request)?.code == .invalidArguments)
    }
    let select = FetchRequest(select: "SELECT * FROM track WHERE id > ?", key: ["id"])
    #expect(
      try databaseError(select.filter(.init(verbatim: "id > 0", [3])))?.code == .invalidArguments)
  }

  @Test func anUnknownParameterNamesTheOnesThereAre() throws {
    let error = try databaseError(
      Track.all.filter("id > :least").with(parameters: ["least": 1, "leest": 2]))
    #expect(error?.message == "the SQL has no parameter :leest")
    #expect(error?.nextStep == "The SQL has: :least")
  }

  @Test func numberedParametersAreRefused() throws {
    for request in [
      Track.all.filter(.init(verbatim: "id > ?1", [1])),
      Track.all.filter(.init(verbatim: "id > ?3", [1])),
      Track.all.filter("id > ?1").with(parameters: ["1": 0]),
      Track.all.filter(.init(verbatim: "id > ?2 AND id < ?", [1])),
    ] {
      let error = try databaseError(request)
      #expect(error?.code == .invalidArguments)
      #expect(error?.nextStep?.contains("in place of ?") == true)
    }
  }

  @Test func theSignOfAParameterMayBeGivenWithItsName() throws {
    let request = Track.all.filter("id > :min AND id < @max AND id <> $other")
      .with(parameters: [":min": 1, "@max": 5, "$other": 3])
    let provider = try FetchedResultsProvider(database: try Track.store(), request: request)
    #expect(try provider.fetchedLines() == ["all: 2 4"])
    #expect(try databaseError(request.with(parameters: ["::min": 1]))?.code == .invalidArguments)
  }

  @Test func parametersMayBeUsedAnywhereAndMoreThanOnce() throws {
    let request = Track.all.filter("id > :a OR id = @a").filter("id < $b")
      .sorted(.expression("id % :n", .descending)).filter("milliseconds > \(100)")
      .filter("id <> \(2) AND \(\.name) <> \("Blue")")
      .with(parameters: ["a": 0, "b": 9]).with(parameters: ["n": 2, "a": 1])
    let provider = try FetchedResultsProvider(
      database: try Track.store(), request: request, sectionedBy: .expression("id > :n"))
    #expect(try provider.fetchedLines() == ["1: 5 4"])
    try provider.expectConsistent()
  }

  // MARK: SQL

  @Test(arguments: [
    "1) OR (1", "1)) UNION SELECT ((1", "1) GROUP BY (id", "1) ORDER BY (name) --", "1) /*",
    "1) -- (", "'\u{301}' ) OR ( '", "name = 'a)' ) OR (1", "1) OR ([(] = 1", "1) --\r(",
    "1) OR (1 /* ) */", "1) LIMIT (1", "(1", "1 /*", "'", "", "  ", "-- nothing",
  ])
  func noFragmentBreaksOutOfItsParentheses(sql: String) throws {
    let store = try Track.store("CREATE TABLE odd(id INTEGER PRIMARY KEY, \"(\");")
    let fragment = SQLFragment<Row>(verbatim: sql)
    for table in ["track", "odd"] {
      let request = FetchRequest(table: table)
      _ = try databaseError(request.filter(fragment), in: store)
      _ = try databaseError(request.sorted(.expression(fragment)), in: store)
      _ = try databaseError(request, by: .expression(fragment), in: store)
    }
  }

  @Test(arguments: [
    "id > 0 -- comment", "id > 0 /* ) */", "name <> ')'", "name <> 'it''s (' --)",
    "(id) > (0)", "id IN (SELECT id FROM track)", "\"id\" > 0", "[id] > 0", "`id` > 0",
    "name <> '\u{301}('", "id > 0 --)\r", "id\n>\n0", "name <> '('''", "id > 0 OR 0",
  ])
  func parenthesesInTextAndCommentsAreNone(sql: String) throws {
    let provider = try FetchedResultsProvider(
      database: try Track.store(),
      request: Track.all.filter("id < 4").filter(SQLFragment(verbatim: sql)).filter("id > 1"),
      sectionedBy: .expression(SQLFragment(verbatim: sql)))
    #expect(try provider.fetchedLines() == ["1: 2 3"])
    try provider.expectConsistent()
  }

  @Test(arguments: [
    "id > 0; DELETE FROM track", "1); DELETE FROM track; --", "id > 0 ORDER BY name",
    "nosuch > 1", "id >", "count(*) > 1", "max(id)", "row_number() OVER () > 1", "id, name",
    "(SELECT id, name FROM track)", "\"no such\" = 1", "id > 0;", "name COLLATE klingon = 'a'",
    "raise(ABORT, 'x')", "load_extension('x')", "id = ?1", "nosuch(id)", "\0", "id > 0 \0",
  ])
  func sqlThatIsNoConditionIsRefusedEverywhere(sql: String) throws {
    let fragment = SQLFragment<Track>(verbatim: sql)
    _ = try databaseError(Track.all.filter(fragment))
    _ = try databaseError(Track.all.sorted(.expression(fragment)))
    _ = try databaseError(Track.all, by: .expression(fragment))
    _ = try databaseError(Track.all, by: .expression("id", order: .expression(fragment)))
  }

  @Test(arguments: [
    "", " -- nothing", "DELETE FROM track", "DELETE FROM track RETURNING id",
    "INSERT INTO track VALUES (9, 'x', 'x', 9) RETURNING id", "ATTACH 'x' AS y",
    "PRAGMA user_version",
    "SELECT id FROM track; DELETE FROM track", "SELECT id FROM track; SELECT 1",
    "SELEC id FROM track",
    "BEGIN", "VACUUM", "CREATE TABLE x(id)", "DROP TABLE track", "SELECT load_extension('x') AS id",
    "SELECT nosuch FROM pragma_database_list", "SELECT 1 AS id) JOIN (SELECT 2",
    "SELECT id FROM track \0",
    "UPDATE track SET id = id", "REINDEX", "SELECT id FROM track;;)",
  ])
  func aSelectThatIsNoneIsRefused(sql: String) throws {
    let store = try Track.store()
    _ = try databaseError(FetchRequest(select: SQL(verbatim: sql), key: ["id"]), in: store)
    _ = try databaseError(FetchRequest(select: SQL(verbatim: sql)), in: store)
    let count = try store.read { try $0.value(Int.self, "SELECT count(*) FROM track") }
    #expect(count == 5)
  }

  // MARK: Constants

  @Test(arguments: ["1", "2", "(2)", "-1", "+ 1", "((7))", "0x1", "1 -- one", "'x'", "NULL", "1.5"])
  func aConstantExpressionSortsNothing(sql: String) throws {
    // A number in ORDER BY would be a column of the result.
    for direction in [SortTerm<Track>.Direction.ascending, .descending] {
      let provider = try FetchedResultsProvider(
        database: try Track.store(),
        request: Track.all.sorted(.expression(SQLFragment(verbatim: sql), direction)))
      #expect(try provider.fetchedLines() == ["all: 1 2 3 4 5"])
      try provider.expectConsistent()
      let divided = try FetchedResultsProvider(
        database: try Track.store(), request: Track.all.sorted(by: \.name),
        sectionedBy: .expression(SQLFragment(verbatim: sql), direction))
      #expect(try divided.fetchedLines().map { $0.suffix(11) } == [": 5 2 1 4 3"])
      try divided.expectConsistent()
    }
  }

  // MARK: The cost

  /// What SQLite prepares of a view while a request is compiled.
  private func prepared<Record>(
    _ request: FetchRequest<Record>, in store: Database
  ) throws -> [String] {
    try store.read { connection in
      var texts: [String] = []
      connection.preparing = { texts.append($0) }
      defer { connection.preparing = nil }
      _ = try PlanCompiler(
        request, sectionKey: nil, configuration: store.configuration, connection: connection
      ).plan()
      return texts.filter { $0.contains("\"pairs\"") }
    }
  }

  /// SQLite may take much longer to prepare a view of joined tables than to run it.
  @Test func aViewIsPreparedAFewTimes() throws {
    let store = try Database.store(
      """
      CREATE TABLE a(id INTEGER PRIMARY KEY, x TEXT, y TEXT);
      CREATE TABLE b(id INTEGER PRIMARY KEY, a INTEGER, x TEXT, y TEXT);
      CREATE VIEW pairs AS SELECT b.id AS id, a.x AS ax, a.y AS ay, b.x AS bx
      FROM b JOIN a ON a.id = b.a ORDER BY a.x, a.y, b.x;
      """)
    for request in [
      FetchRequest<Row>(select: "SELECT * FROM \"pairs\""), FetchRequest<Row>(table: "pairs"),
    ] {
      let texts = try prepared(request, in: store)
      #expect(texts.count <= 8, "\(texts.joined(separator: "\n---\n"))")
      #expect(texts.count { $0.contains("under which collation") } == 1)
    }
  }
}
