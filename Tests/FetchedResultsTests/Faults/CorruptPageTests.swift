import Foundation
import SQLiteStorage
import TableDataTesting
import Testing

@testable import FetchedResults

/// A file that is damaged anywhere is an error, or is shown as a plain SELECT shows it.
@Suite(.timeLimit(.minutes(10))) struct CorruptPageTests {
  private static let schemas = [
    "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, n INTEGER)",
    "CREATE TABLE item(name TEXT, id, n INTEGER, PRIMARY KEY(n, id)) WITHOUT ROWID",
    "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, n INTEGER, long BLOB)",
  ]

  @Test(arguments: schemas) func aDamagedByteIsAnErrorOrNoDifference(schema: String) throws {
    let folder = try TestFolder()
    let path = folder.file("whole.sqlite")
    try Connection(path: path, access: .readWriteCreate).execute(
      script: """
        PRAGMA page_size = 512; \(schema);
        WITH RECURSIVE number(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < 40)
        INSERT INTO item(id, name, n) SELECT i, 'name ' || (i * 7919 % 41), i % 5 FROM number;
        """)
    if schema.contains("long") {
      try Connection(path: path).execute("UPDATE item SET long = randomblob(900) WHERE id % 10 = 1")
    }
    let whole = try Data(contentsOf: URL(filePath: path))
    let seed = UInt64.random(in: 0...UInt64.max)
    var numbers = SeededGenerator(seed: seed)
    // Every byte of every page where the environment asks for it.
    let step = max(1, 24 / SeededGenerator.scale)
    var outcomes = (same: 0, error: 0)
    for offset in stride(from: Int(numbers.next() % UInt64(step)), to: whole.count, by: step) {
      var bytes = whole
      bytes[offset] ^= UInt8(1 + numbers.next() % 255)
      let file = folder.file("\(offset).sqlite")
      try bytes.write(to: URL(filePath: file))
      let context: Comment = "seed \(seed), byte \(offset) of \(whole.count)"
      guard let shown = shown(of: file, context) else {
        outcomes.error += 1
        continue
      }
      outcomes.same += 1
      let truth = try truth(of: file)
      #expect(shown == truth.scanned || shown == truth.byKey, context)
      try FileManager.default.removeItem(atPath: file)
    }
    // Both ways out were taken.
    #expect(outcomes.same > 0 && outcomes.error > 0, "\(outcomes), seed \(seed)")
  }

  /// What a plain SELECT answers, and where damage has put a key into the file twice what it answers
  /// for each of them.
  private func truth(of file: String) throws -> (scanned: [[Value]], byKey: [[Value]]?) {
    let connection = try Connection(path: file, access: .readOnly)
    // The declaration is damaged as well: the key may be another one.
    let last = try connection.table(named: "item")?.isWithoutRowID == true ? "n" : "rowid"
    let scanned = try connection.rows("SELECT id, name, n FROM item ORDER BY name, id, \(last)")
      .map(\.values)
    let keys = Set(scanned.map { last == "n" ? [$0[0], $0[2]] : [$0[0]] })
    guard keys.count < scanned.count else { return (scanned, nil) }
    let byKey = try scanned.map { row -> [Value] in
      let key = last == "n" ? "n IS ? AND id IS ?" : "id = ?"
      return try connection.rows(
        "SELECT id, name, n FROM item WHERE \(key)", last == "n" ? [row[2], row[0]] : [row[0]]
      ).first?.values ?? []
    }
    return (scanned, byKey)
  }

  /// What a provider shows; nil where it tells of an error.
  private func shown(of file: String, _ context: Comment) -> [[Value]]? {
    do {
      let database = try Database(path: file, access: .readOnly)
      let provider = try FetchedResultsProvider(
        database: database,
        request: FetchRequest(table: "item").columns(["id", "name", "n"])
          .sorted(by: \Row["name"]).sorted(by: \Row["id"]))
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
