import CLibrary
import FetchedResults
import Foundation
import RowQueries
import SQLiteStorage
import Testing

@testable import sections

/// Every exit status, each with its one line.
@Suite(.timeLimit(.minutes(10))) struct ExitStatusTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.makeDatabase()
  }

  private func run(_ arguments: String...) async throws -> Tool.Result {
    try await Tool.run(arguments, in: folder)
  }

  @Test func successIsZero() async throws {
    try await run("query", "a.db", "t", "--limit", "1").expect("id\tname\n1\tone\n")
  }

  @Test(
    arguments: [
      (["query"], "missing expected argument '<database>'. See 'sections query --help'"),
      (["query", "a.db"], "missing expected argument '<source>'"),
      (["query", "a.db", "t", "u"], "unexpected argument 'u'"),
      (["query", "a.db", "t", "--nope"], "unknown option '--nope'"),
      (["query", "a.db", "t", "--sorted", "x"], "Did you mean '--sort'? See"),
      (["query", "a.db", "t", "--limit", "x"], "'x' is invalid for '--limit <n>'"),
      (["query", "a.db", "t", "--limit=-1"], "--limit must be a number of rows, 0 or more"),
      (["query", "a.db", "t", "--limit", "-1"], "--limit must be a number of rows, 0 or more"),
      (["query", "a.db", "t", "--offset=-1"], "--offset must be a number of rows, 0 or more"),
      (["query", "a.db", "t", "--offset", "-1"], "--offset must be a number of rows, 0 or more"),
      (["query", "a.db", "t", "--limit"], "missing value for '--limit <n>'"),
      (["query", "a.db", "t", "--limit", "9223372036854775808"], "9223372036854775808"),
      (
        ["query", "a.db", "t", "--width", "0"], "--width must be a number of characters, 1 or more"
      ),
      (["query", "a.db", "t", "--timeout=-1"], "--timeout must be a number of seconds"),
      (["query", "a.db", "t", "--timeout", "nan"], "--timeout must be a number of seconds"),
      (["query", "a.db", "t", "--timeout", "1e300"], "--timeout must be a number of seconds"),
      (["query", "a.db", "t", "--color", "red"], "one of 'auto', 'always' or 'never'. See"),
      (["query", "a.db", "t", "--format", "xml"], "table, list, json, ndjson, csv, tsv, markdown"),
      (["frobnicate"], "there is no command frobnicate. See 'sections --help'"),
      (["migrate", "sideways", "a.db"], "unexpected arguments: 'sideways', 'a.db'"),
      (["migrate", "up"], "See 'sections migrate up --help'"),
      (["query", "a.db", "t", "two\nlines"], "'two lines'"),
      (
        ["serve", "a.db", "--allow-origin", "https://example.org/lists"],
        "--allow-origin https://example.org/lists is not an origin. Use one such as https://"
      ),
      (["serve", "a.db", "t", "nope"], "t is not a database. Give one database and a source, or"),
      (["serve", "a.db", "--base-path", "db"], "--base-path must begin with / and have letters"),
      (["serve", "a.db", "--memory-limit", "0"], "--memory-limit must be a number of megabytes"),
      (["serve", "a.db", "--bind", "localhost"], "--bind must be a numeric address, such as 127"),
      (["serve", "a.db", "--token", "0123456789abcdef", "--token-file", "x"], "not both"),
      (["query", "a.db", "t", "--where", " "], "--where must be a condition, such as"),
      (["serve", "a.db", "t", "--where", " "], "--where must be a condition, such as"),
    ] as [([String], String)])
  func usageIsSixtyFour(_ arguments: [String], _ part: String) {
    Tool.parse(arguments).expectFailure(64, part)
  }

  /// The parser looks at the files of `serve`, or the command has run when it is refused.
  @Test(
    arguments: [
      (["query"], "missing expected argument '<database>'. See 'sections query --help'"),
      (["serve", "a.db", "a.db", "nope"], "nope is not a database"),
      (["serve", "a.db", "a.db", "--config", "a.yaml"], "--config has lists of one database"),
      (["serve", "a.db", "--key", "name"], "--where and --total need a source"),
      (["serve", "a.db", "t", "--limit=3"], "unknown option '--limit'"),
      (["serve", "a.db", "a.db", "--by", "name"], "--where and --total need a source"),
      (["serve", "a.db", "--token-file", "a.db"], "the token must have 16 or more"),
    ] as [([String], String)])
  func aProcessEndsWithSixtyFour(_ arguments: [String], _ part: String) async throws {
    try await Tool.run(arguments, in: folder).expectFailure(64, part)
  }

  @Test func badSQLAndDataAreSixtyFive() async throws {
    try await run("query", "a.db", "SELECT nope FROM t").expectFailure(65, "no such column: nope")
    for command in ["query", "schema"] {
      try await run(command, "a.db", "nope")
        .expectFailure(65, "no table or view nope", "The database has: t")
    }
    try await run("query", "a.db", "SELECT abs(-9223372036854775807 - 1) AS a")
      .expectFailure(65, "integer overflow")
    // A value that cannot be computed: the SQL that reads it is not the user's.
    let jsonError = "malformed JSON, in a row of "
    for arguments in [["--where", "json(name) = '1'"], ["--by", "json(name)"]] {
      let result = try await Tool.run(["query", "a.db", "t"] + arguments, in: folder)
      result.expectFailure(65, jsonError + "t\n")
    }
    for command in ["query", "watch"] {
      let result = try await run(command, "a.db", "SELECT id, json(name) AS name FROM t")
      result.expectFailure(65, jsonError + "the SELECT\n")
    }
    try folder.makeDatabase("", named: "empty.db")
    try await run("query", "empty.db", "t").expectFailure(65, "The database has no tables")
  }

  @Test func noDatabaseIsSixtySix() async throws {
    try await run("query", "nope.db", "t").expectFailure(66, "no such file: nope.db", "Check")
    try await run("query", "a.db/b.db", "t").expectFailure(66, "a.db/b.db")
    try await run("query", "", "t").expectFailure(66, "path is empty")
    try await run("query", ".", "t").expectFailure(66, "folder", "Name the file in it")
    try await Tool.shell(
      """
      ln -s one.db one.db
      "$sections" query one.db t
      status=$?
      rm one.db
      exit $status
      """, in: folder
    ).expectFailure(66, "links lead in a circle: one.db")
    try await run("schema", "nope.db").expectFailure(66, "nope.db")
    try await run("migrate", "status", "nope.db", "--dir", ".").expectFailure(66, "nope.db")
    try await run("migrate", "up", "no/such/folder/a.db", "--dir", ".").expectFailure(66, "no/such")
    #expect(try folder.contents().count == 1)
  }

  @Test func damageIsSeventyFour() async throws {
    try folder.write(String(repeating: "This is not a database. ", count: 99), to: "text.db")
    try await run("query", "text.db", "t").expectFailure(74, "not a database: text.db", "encrypted")
    let whole = try Data(contentsOf: URL(filePath: folder.file("a.db")))
    try whole.prefix(700).write(to: URL(filePath: folder.file("short.db")))
    try await run("query", "short.db", "t").expectFailure(74, "short.db")
    var broken = whole
    broken.replaceSubrange(4096..<4196, with: repeatElement(0xFF, count: 100))
    try broken.write(to: URL(filePath: folder.file("broken.db")))
    try await run("query", "broken.db", "t").expectFailure(74, "malformed", "integrity_check")
  }

  #if os(Linux)
    @Test(arguments: [
      "query a.db t", "query a.db t --format html", "schema a.db",
      "migrate status a.db --dir .", "migrate verify a.db --dir .", "--help", "query --help",
      "--version",
    ])
    func anOutputThatCannotBeWrittenIsSeventyFour(_ arguments: String) async throws {
      try folder.write("SELECT 1;", to: "0001_one.sql")
      try await Tool.shell("\"$sections\" \(arguments) > /dev/full", in: folder)
        .expectFailure(74, "cannot write to standard output: No space left on device")
    }
  #endif

  @Test(arguments: [
    "query a.db t", "schema a.db", "migrate status a.db --dir m", "watch a.db t",
  ])
  func aClosedOutputIsSeventyFour(_ arguments: String) async throws {
    try folder.write("SELECT 1;", to: "m/0001_one.sql")
    try await Tool.shell("\"$sections\" \(arguments) >&-", in: folder)
      .expectFailure(74, "standard output is closed. Redirect it")
    try await Tool.shell("\"$sections\" \(arguments) <&- >&-", in: folder)
      .expectFailure(74, "standard output is closed")
  }

  #if os(Linux)
    @Test(arguments: [("query a.db t", 1), ("migrate up a.db --dir m", 3)])
    func aLackOfDescriptorsIsSeventyFour(_ arguments: String, step: Int) async throws {
      try folder.write("SELECT 1;", to: "m/0001_one.sql")
      // With a few more, it depends on the system how many the runtime has opened itself.
      let result = try await Tool.shell(
        """
        for limit in $(seq 4 \(step) 22); do
          (ulimit -n $limit; exec "$sections" \(arguments)) > /dev/null || echo $?
        done
        # The tests' own descriptors may be inherited.
        open=$(ls /proc/self/fd | wc -l)
        (ulimit -n $((32 + open)); exec "$sections" \(arguments)) > /dev/null && echo success
        """, in: folder)
      #expect(
        result.stdout == String(repeating: "74\n", count: 18 / step + 1) + "success\n",
        "\(result.stderr)")
      #expect(result.stderr.contains("oo many files are open"), "\(result.stderr)")
      #expect(result.stderr.contains("ulimit -n"), "\(result.stderr)")
    }
  #endif

  @Test func aReaderThatHasSeenEnoughIsNoError() async throws {
    try folder.makeDatabase(
      """
      CREATE TABLE t AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 40000)
      SELECT x, 'something to fill the pipe with' FROM c
      """, named: "long.db")
    let result = try await Tool.shell(
      "{ \"$sections\" query long.db t; echo $? >&2; } | head -n 1", in: folder)
    #expect(result.stdout.hasPrefix("x\t"))
    #expect(result.lines.count == 1)
    #expect(result.stderr == "0\n")
  }

  @Test func aLockThatIsNotGivenUpIsSeventyFive() async throws {
    let other = try Connection(path: folder.file("a.db"))
    try other.execute("BEGIN EXCLUSIVE")
    let clock = ContinuousClock()
    let start = clock.now
    try await run("query", "a.db", "t", "--timeout", "0.2")
      .expectFailure(75, "locked: a.db", "--timeout")
    #expect(clock.now - start >= .seconds(0.2))
    try await run("schema", "a.db", "--timeout", "0").expectFailure(75, "a.db", "--timeout")
    try folder.write("SELECT 1;", to: "m/0001_one.sql")
    try await run("migrate", "up", "a.db", "--dir", "m", "--timeout", "0.1")
      .expectFailure(75, "a.db", "--timeout")
    try other.execute("ROLLBACK")
    // Who only reads is in nobody's way.
    try other.execute("BEGIN IMMEDIATE")
    #expect(try await run("query", "a.db", "t", "--timeout", "0").status == 0)
  }

  @Test func aLockThatIsGivenUpIsWaitedFor() async throws {
    let other = try Connection(path: folder.file("a.db"))
    try other.execute("BEGIN EXCLUSIVE")
    // Without an end: among many other tests this one may wait for minutes before it goes on.
    let run = try Tool.start(["query", "a.db", "t", "--timeout", "2000000"], in: folder)
    try await Task.sleep(for: .milliseconds(200))
    try other.execute("COMMIT")
    #expect(try await run.end().status == 0)
  }

  @Test func noPermissionIsSeventySeven() async throws {
    let file = folder.file("a.db")
    try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: file)
    try folder.write("SELECT 1;", to: "m/0001_one.sql")
    // Permissions do not bind root, which tests may run as.
    let become = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : ""
    if geteuid() == 0, !FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv") { return }
    try await Tool.shell("\(become) \"$sections\" migrate up a.db --dir m", in: folder)
      .expectFailure(77, "a.db", "permissions")
    try FileManager.default.setAttributes([.posixPermissions: 0o000], ofItemAtPath: file)
    try await Tool.shell("\(become) \"$sections\" query a.db t", in: folder)
      .expectFailure(77, "a.db", "permissions")
  }

  /// What a folder that cannot be entered hides may be there or not.
  @Test(arguments: [
    "query locked/a.db t", "watch locked/a.db t", "import a.db locked/t.json --into t",
    "migrate up a.db --dir locked", "migrate up locked/b.db --dir m", "diff a.db locked/a.db t",
  ])
  func aFolderThatCannotBeEnteredIsSeventySeven(_ arguments: String) async throws {
    try folder.write("SELECT 1;", to: "m/0001_one.sql")
    try folder.write("[]", to: "locked/t.json")
    try folder.makeDatabase(named: "locked/a.db")
    // Permissions do not bind root, which tests may run as.
    let become = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups" : ""
    if geteuid() == 0, !FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv") { return }
    for file in ["a.db", "."] {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o777], ofItemAtPath: folder.file(file))
    }
    let locked = folder.file("locked")
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: locked)
    if geteuid() != 0 {
      try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: locked)
    }
    let result = try await Tool.shell("\(become) \"$sections\" \(arguments)", in: folder)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: locked)
    result.expectFailure(77, "permission denied: locked", "Check the permissions")
  }

  @Test func everyStatusIsInTheHelp() {
    let words = Tool.parse(["--help"]).stdout.split(whereSeparator: \.isWhitespace)
    for status in sections.ExitStatus.allCases {
      #expect(words.contains("\(status.rawValue)"), "\(status)")
    }
  }

  @Test func everyErrorHasItsStatus() {
    func status(_ code: ResultCode) -> sections.ExitStatus {
      sections.ExitStatus(DatabaseError(.sqlite, "", resultCode: code))
    }
    #expect(status(.busy) == .busy)
    #expect(status(.locked) == .busy)
    #expect(status(.constraint) == .badData)
    #expect(status(.cannotOpen) == .noDatabase)
    for code in [FetchError.Code.vanishedRow, .damagedKey] {
      #expect(sections.ExitStatus(FetchError(code, "", nextStep: "")) == .inputOutput)
    }
    #expect(status(.full) == .inputOutput)
    #expect(status(.interrupted) == .interrupted)
    #expect(status(.outOfMemory) == .internalError)
    #expect(status(.misuse) == .internalError)
    #expect(sections.ExitStatus(OutputError(code: EPIPE)) == .success)
    #expect(sections.ExitStatus(OutputError(code: EIO)) == .inputOutput)
    #expect(sections.ExitStatus(Interruption.Error()) == .interrupted)
    #expect(sections.ExitStatus(CancellationError()) == .internalError)
  }
}
