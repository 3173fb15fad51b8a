import SQLiteStorage
import Testing

@testable import sections

@Suite struct ParameterTests {
  @Test(
    arguments: [
      ("5", Value.integer(5)), ("-5", .integer(-5)), ("0", .integer(0)),
      ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
      ("9223372036854775808", .real(9_223_372_036_854_775_808)), ("1.50", .real(1.5)),
      ("-0.5e-3", .real(-0.0005)), ("1e3", .real(1000)), ("1E+3", .real(1000)), ("NULL", .null),
    ] as [(String, Value)])
  func numbersAndNullAreThemselves(_ text: String, _ value: Value) throws {
    #expect(try Parameter("a=\(text)").value == value)
  }

  @Test(arguments: [
    "", " 5", "007", "+49", ".5", "5.", "0x10", "inf", "nan", "nan(1)", "null", "1_000", "１２",
    "x=y",
    "it's", "'", "1e", "-", "TRUE",
  ])
  func anythingElseIsText(_ text: String) throws {
    #expect(try Parameter("a=\(text)").value == .text(text))
  }

  @Test(arguments: [
    ("'5'", "5"), ("'NULL'", "NULL"), ("''", ""), ("'it''s'", "it's"), ("''''", "'"),
    ("'a=b'", "a=b"),
  ])
  func quotesMakeText(_ text: String, _ value: String) throws {
    #expect(try Parameter("a=\(text)").value == .text(value))
  }

  @Test(arguments: ["min", ":min", "@min", "$min"])
  func theNameMayBeSpelledAsInTheSQL(_ name: String) throws {
    #expect(try Parameter("\(name)=1").name == "min")
  }

  @Test(arguments: ["", "min", "=1", ":=1"])
  func aNameAndAValueAreNeeded(_ argument: String) {
    #expect(throws: (any Error).self) { try Parameter(argument) }
  }

  @Test func valuesAreBoundWhereverSQLIs() async throws {
    let folder = try TestFolder()
    try folder.makeDatabase()
    func query(_ arguments: String...) async throws -> Tool.Result {
      try await Tool.run(["query", "a.db"] + arguments, in: folder)
    }
    try await query(
      "SELECT id, name, :by AS b FROM t WHERE id > @min", "--where", "name <> $name", "--by",
      "b || :suffix", "-p", "min=1", "-p", "name='two'", "-p", ":by=x", "--parameter", "suffix=!"
    ).expect("section\tid\tname\tb\nx!\t3\tthree\tx\n")
    try await query("t", "--where", "id = ?1", "-p", "1=2").expectFailure(65, "?1", ":name")
    try await query("SELECT typeof(:a) AS a", "-p", "a='1'; DROP TABLE t; --").expect("a\ntext\n")
    try await query("t", "--where", "id = :id").expectFailure(65, ":id", "no value")
    try await query("t", "-p", "id=1").expectFailure(65, ":id")
    try await query("t", "--where", "id = :id", "-p", "id=1", "-p", "di=1")
      .expectFailure(65, ":di", "id")
  }

  @Test func parametersThatMeanNothingAreRefused() {
    Tool.parse(["query", "a.db", "t", "-p", "a=1", "-p", ":a=2"])
      .expectFailure(64, "a is given twice")
    Tool.parse(["query", "a.db", "t", "-p", "a"]).expectFailure(64, "'a'", "name=value")
  }
}
