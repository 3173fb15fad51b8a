import FetchedResults
import SQLiteStorage
import Testing

/// A request must answer the same as long as the data is the same.
struct NondeterministicFunctionsTests {
  private static let schema = """
    CREATE TABLE t(id INTEGER PRIMARY KEY, d TEXT, n TEXT);
    INSERT INTO t VALUES (1, '2026-01-02 03:04:05', 'now'), (2, '2025-06-01', 'then');
    """

  static let unstable = [
    "random()", "abs(random())", "hex(randomblob(4))", "RANDOM()", "\"random\"()",
    "date()", "date('now')", "time('now')", "datetime('NOW', 'localtime')", "julianday()",
    "date( /* nothing */ )", "unixepoch('now')", "strftime('%Y', 'now')", "strftime('%Y')",
    "date(coalesce(d, 'now'))", "CURRENT_TIMESTAMP", "current_date", "CURRENT_TIME", "changes()",
    "total_changes()", "last_insert_rowid()", "(SELECT random())", "date(/* ' */ 'now' -- '\n)",
    "date('n' || 'ow')", "date(lower(trim(' NOW ')))", "date(CASE WHEN 1 THEN 'n' || 'ow' END)",
    "date(x'6e6f77')", "date(CAST(x'6e6f77' AS TEXT), '+1 day')", "date(substr('nowhere', 1, 3))",
    "(SELECT max(strftime('%Y', 'n' || 'ow')) FROM t)",
    "(WITH c AS (SELECT date('no' || 'w') AS v) SELECT v FROM c)",
  ]

  static let stable = [
    "date(d)", "strftime('%Y', d)", "strftime('%Y', d, '+1 day')", "datetime(d, 'localtime')",
    "julianday(d) - julianday('2026-01-01')", "n || 'now'", "upper(n)", "n = 'now'",
    "date('2026-01-01')", "-- date('now')\n n", "'date(''now'')'", "strftime('%Y', d) || id",
    "date('2026' || '-01-01')", "n || date('20' || '26')", "'n' || 'ow' || date(d)",
    "CASE WHEN d IS NULL THEN date(abs(-9223372036854775807 - 1)) END",
  ]

  private func store(_ more: String = "") throws -> Database { try .store(Self.schema + more) }

  private func expectRefusal(
    _ store: Database, _ request: FetchRequest<Row>, by key: SectionKey<Row>? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: FetchError.self, sourceLocation: sourceLocation) {
      try FetchedResultsProvider(database: store, request: request, sectionedBy: key)
    }
    #expect(error?.code == .unstableFunction, sourceLocation: sourceLocation)
    #expect(error?.nextStep?.isEmpty == false, sourceLocation: sourceLocation)
  }

  @Test(arguments: unstable)
  func anUnstableExpressionIsRefusedWhereverItStands(sql: String) throws {
    let store = try store("CREATE VIEW odd AS SELECT id, \(sql)\n AS x FROM t;")
    let table = FetchRequest(table: "t")
    let fragment = SQLFragment<Row>(verbatim: sql)
    expectRefusal(store, table.filter(fragment))
    expectRefusal(store, table.sorted(.expression(fragment)))
    expectRefusal(store, table, by: .expression(fragment))
    expectRefusal(store, table, by: .expression("id", order: .expression(fragment)))
    let select = "SELECT id, \(sql)\n AS x FROM t"
    expectRefusal(store, FetchRequest(select: SQL(verbatim: select), key: ["id"]))
    expectRefusal(store, FetchRequest(select: SQL(verbatim: select)))
    expectRefusal(store, FetchRequest(table: "odd", key: ["id"]))
    expectRefusal(store, FetchRequest(table: "odd"))
    expectRefusal(store, FetchRequest(select: "SELECT * FROM ODD", key: ["id"]))
  }

  @Test(arguments: stable)
  func aStableExpressionIsServed(sql: String) throws {
    let store = try store("CREATE VIEW fine AS SELECT id, \(sql)\n AS x FROM t;")
    let fragment = SQLFragment<Row>(verbatim: sql)
    let request = FetchRequest(table: "t").filter(fragment).sorted(.expression(fragment))
    for request in [
      request, FetchRequest(select: SQL(verbatim: "SELECT id, \(sql)\n AS x FROM t"), key: ["id"]),
      FetchRequest(table: "fine", key: ["id"]), FetchRequest(table: "fine"),
    ] {
      let provider = try FetchedResultsProvider(
        database: store, request: request, sectionedBy: .expression("id"))
      try provider.performFetch()
      try provider.expectConsistent()
    }
  }

  @Test func theErrorNamesTheFunction() throws {
    let error = #expect(throws: FetchError.self) {
      try FetchedResultsProvider(
        database: try store(), request: FetchRequest(table: "t").filter("id > random()"))
    }
    #expect(error?.message.contains("random") == true)
  }

  @Test(arguments: [
    "SELECT data_version FROM pragma_data_version", "SELECT cache_size FROM PRAGMA_CACHE_SIZE()",
    "SELECT id FROM t WHERE id < (SELECT timeout FROM pragma_busy_timeout)",
    "SELECT count(*) FROM sqlite_stmt",
  ])
  func aTableThatTheConnectionFillsIsRefused(select: String) throws {
    let store = try store()
    // SQLite may be built without this table.
    let modules = try store.read { try $0.rows("SELECT name FROM pragma_module_list") }
    let hasTable = modules.contains { $0["name"] == .text("sqlite_stmt") }
    guard hasTable || !select.contains("sqlite_stmt") else { return }
    expectRefusal(store, FetchRequest(select: SQL(verbatim: select)))
  }

  @Test(arguments: [
    "SELECT user_version FROM pragma_user_version", "SELECT name FROM pragma_table_info('t')",
    "SELECT id FROM pragma_data_version",
  ])
  func aTableThatTheFileFillsIsServed(select: String) throws {
    let store = try store(
      """
      CREATE TABLE pragma_data_version(id INTEGER PRIMARY KEY);
      INSERT INTO pragma_data_version VALUES (1);
      """)
    let provider = try FetchedResultsProvider(
      database: store, request: FetchRequest(select: SQL(verbatim: select)))
    try provider.performFetch()
    #expect(provider.fetchedObjects?.isEmpty == false)
  }

  @Test func nowIsAlsoFoundInABoundValue() throws {
    let store = try store()
    let table = FetchRequest(table: "t")
    expectRefusal(store, table.filter("d < date(\("now"))"))
    expectRefusal(store, table.filter("d < date(\("Now"))"))
    expectRefusal(store, table.filter("d < date(:day)").with(parameters: ["day": "now"]))
    expectRefusal(store, table.filter("n = \("x") AND d < date(\("now"), '+1 day')"))
  }

  @Test func nowIsJustAWordWhereNoClockIsAsked() throws {
    let store = try store()
    let requests = [
      FetchRequest(table: "t").filter("n = \("now")"),
      // What a user types into a search field, beside a date that comes from a column.
      FetchRequest(table: "t").filter("date(d) > \("2000-01-01") AND n = \("now")"),
      FetchRequest(table: "t").filter("date(d) > date(\("2000-01-01")) AND n = \("now")"),
      FetchRequest(table: "t").filter("date(d) > date(:day) AND n = :name")
        .with(parameters: ["day": "2000-01-01", "name": "now"]),
    ]
    for request in requests {
      let provider = try FetchedResultsProvider(
        database: store, request: request,
        sectionedBy: .expression("strftime('%Y', \(\Row["d"]))"))
      #expect(try provider.fetchedLines() == ["\"2026\": 1"])
    }
  }

  @Test func viewsOfOtherSchemasAreSearchedToo() throws {
    let store = try Database.store(Self.schema) {
      $0.prepareConnection = {
        try $0.execute(
          script: "CREATE TEMP VIEW today AS SELECT *, date('now') AS x FROM main.t")
      }
    }
    expectRefusal(store, FetchRequest(table: "today", key: ["id"]))
    expectRefusal(store, FetchRequest(table: "TODAY"))
  }

  @Test func aViewBelowAViewIsSearchedToo() throws {
    let store = try store(
      """
      CREATE VIEW inner_ AS SELECT *, date('now') AS x FROM t;
      CREATE VIEW outer_ AS SELECT * FROM Inner_ WHERE id > 0;
      """)
    expectRefusal(store, FetchRequest(table: "outer_", key: ["id"]))
    expectRefusal(store, FetchRequest(table: "t").filter("id IN (SELECT id FROM outer_)"))
  }

  @Test func aFunctionOfTheApplicationIsRefusedUnlessItIsDeterministic() throws {
    let store = try Database.store(Self.schema) {
      $0.functions = [
        ScalarFunction("roll", argumentCount: 0, isDeterministic: false) { _ in 4 },
        ScalarFunction("shout", argumentCount: 1) { values in
          if case .text(let text) = values[0] { .text(text.uppercased()) } else { .null }
        },
      ]
    }
    expectRefusal(store, FetchRequest(table: "t").filter("id > ROLL()"))
    let provider = try FetchedResultsProvider(
      database: store, request: FetchRequest(table: "t"), sectionedBy: .expression("shout(n)"))
    #expect(try provider.fetchedLines() == ["\"NOW\": 1", "\"THEN\": 2"])
  }
}
