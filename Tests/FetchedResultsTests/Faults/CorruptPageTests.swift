import Foundation
import SQLiteStorage
import TableDataTesting
import Testing

@testable import FetchedResults

/// A file that is damaged anywhere is an error, or is shown as a plain SELECT shows it.
@Suite(.timeLimit(.minutes(30))) struct CorruptPageTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// What is in the file, and which of it is shown.
  struct Form: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var schema = "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, n INTEGER)"
    var condition: String?
    /// What tells rows apart in the end.
    var lastTerm = "rowid"
    var hasLongRows = false

    static let all = [
      Form(testDescription: "rows with a number"),
      Form(testDescription: "rows that meet a condition", condition: "n > 1"),
      Form(
        testDescription: "rows without a number",
        schema: """
          CREATE TABLE item(name TEXT, id, n INTEGER, PRIMARY KEY(n, id)) WITHOUT ROWID
          """,
        lastTerm: "n"),
      Form(
        testDescription: "rows longer than a page",
        schema: "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, n INTEGER, long BLOB)",
        hasLongRows: true),
    ]

    static let indexed = Form(
      testDescription: "rows in the order of an index",
      schema: """
        CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, n INTEGER);
        CREATE INDEX item_name ON item(name)
        """)

    /// Some columns of all rows that are shown, in order.
    func select(_ columns: String) -> String {
      "SELECT \(columns) FROM item WHERE \(condition ?? "1") ORDER BY name, id, \(lastTerm)"
    }
  }

  @Test(arguments: Form.all) func aDamagedByteIsAnErrorOrNoDifference(_ form: Form) throws {
    try damageBytes(of: form) { shown, connection in
      try shown == connection.rows(form.select("id, name, n")).map(\.values)
    }
  }

  /// An SQL index has values of its own. Where they are not those of the table any more, a SELECT
  /// answers with the ones or the others, as it reads here or there.
  @Test(arguments: [nil, "n > 1"])
  func aDamagedIndexGivesTheOrderAndTheTableTheRows(condition: String?) throws {
    var form = Form.indexed
    form.condition = condition
    try damageBytes(of: form) { [form] shown, connection in
      // Not the column: its declaration is damaged as well.
      let order = try connection.rows(form.select("rowid")).map { $0.values[0] }
      guard shown.count == order.count else { return false }
      return try zip(shown, order).allSatisfy { shown, rowID in
        do {
          let select = "SELECT id, name, n FROM item WHERE rowid = ?"
          return try connection.rows(select, [rowID]).first?.values == shown
        } catch let error as DatabaseError where .corrupt ~= error.resultCode {
          // A search meets the damaged byte, but the provider went from one row to the next.
          return true
        }
      }
    }
  }

  /// Damages one byte after the other, and expects that what a provider shows then is an error or
  /// is right.
  private func damageBytes(
    of form: Form, isRight: ([[Value]], Connection) throws -> Bool
  ) throws {
    let whole = try makeStore(form)
    let seed = UInt64.random(in: 0...UInt64.max)
    var numbers = SeededGenerator(seed: seed)
    // Every byte of every page where the environment asks for it, and in more than one way.
    let step = max(1, Int((SeededGenerator.isLongRun ? 20 : 40) / SeededGenerator.scale))
    let flipCount = max(1, Int(SeededGenerator.scale / 20))
    var outcomes = (same: 0, error: 0)
    for offset in stride(from: Int(numbers.next() % UInt64(step)), to: whole.count, by: step) {
      for _ in 0..<flipCount {
        let flip = UInt8(1 + numbers.next() % 255)
        var bytes = whole
        bytes[offset] ^= flip
        let file = folder.file("\(offset)-\(flip).sqlite")
        try bytes.write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let context: Comment = "byte \(offset) of \(whole.count) by \(flip), seed \(seed)"
        guard let shown = shown(of: file, form, context) else {
          outcomes.error += 1
          continue
        }
        outcomes.same += 1
        let connection = try Connection(path: file, access: .readOnly)
        do {
          let isRight = try isRight(shown, connection)
          #expect(isRight, context)
        } catch {
          Issue.record(error, context)
        }
      }
    }
    // Both ways out were taken.
    #expect(outcomes.same > 0 && outcomes.error > 0, "\(outcomes), seed \(seed)")
  }

  /// - Returns: the bytes of the file.
  private func makeStore(_ form: Form) throws -> Data {
    let path = folder.file("whole.sqlite")
    let connection = try Connection(path: path, access: .readWriteCreate)
    try connection.execute(
      script: """
        PRAGMA page_size = 512; \(form.schema);
        WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 40)
        INSERT INTO item(id, name, n) SELECT i, 'name ' || (i * 7919 % 41), i % 5 FROM number;
        """)
    if form.hasLongRows {
      try connection.execute("UPDATE item SET long = randomblob(900) WHERE id % 20 = 1")
    }
    return try Data(contentsOf: URL(filePath: path))
  }

  /// What a provider shows; nil where it tells of an error.
  private func shown(of file: String, _ form: Form, _ context: Comment) -> [[Value]]? {
    do {
      let database = try Database(path: file, access: .readOnly)
      var request = FetchRequest<Row>(table: "item").columns(["id", "name", "n"])
        .sorted(by: \Row["name"]).sorted(by: \Row["id"])
      if let condition = form.condition {
        request = request.filter(SQLFragment(verbatim: condition))
      }
      let provider = try FetchedResultsProvider(database: database, request: request)
      try provider.performFetch()
      return try (0..<provider.numberOfRows(inSection: 0)).map {
        try provider.object(at: [0, $0]).values
      }
    } catch {
      #expect(error is DatabaseError || error is FetchError, context)
      return nil
    }
  }
}
