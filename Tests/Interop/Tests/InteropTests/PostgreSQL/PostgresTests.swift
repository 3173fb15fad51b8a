import FetchedResults
import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

/// PostgreSQL as a second opinion on SQL: what a list has become, change by change, is what
/// PostgreSQL returns for the same SELECT after the same transactions.
@Suite(
  .timeLimit(.minutes(30)),
  .enabled(
    if: PostgresServer.obstacle == nil, Comment(rawValue: PostgresServer.obstacle ?? "")),
  .postgres)
struct PostgresTests {
  private static let transactionCount = 60

  @Test(arguments: SeededGenerator.seeds(2))
  func listsAreWhatPostgreSQLReturns(seed: UInt64) async throws {
    let folder = try TestFolder()
    var tables = SharedTables(seed: seed)
    let first = tables.statements(80...80)
    let transactions = (0..<PostgresTests.transactionCount).map { _ in tables.transaction() }
    let answers = try await PostgresTests.answers(
      of: try #require(PostgresServer.current), seed, [first] + transactions, folder)

    let database = try Database(path: folder.store)
    let otherDatabase = try Database(path: folder.store)
    try await database.write {
      try $0.execute(script: SharedTables.creation(" WITHOUT ROWID") + first)
    }
    let lists = try SharedSelect.all.map { try SharedList($0, database) }
    func expect(_ answers: [SharedRows], _ place: String) throws {
      for (list, answer) in zip(lists, answers) { try list.expect(answer, place) }
    }
    try expect(answers[0], "seed \(seed), at the start")
    for (index, sql) in transactions.enumerated() {
      // The one database captures its own writes, and finds those of the other in the pages.
      try await (index.isMultiple(of: 2) ? database : otherDatabase).write {
        try $0.execute(script: sql)
      }
      let place = "seed \(seed), transaction \(index):\n\(sql)"
      for list in lists { try list.refresh(place) }
      try expect(answers[index + 1], place)
    }
    for list in lists {
      #expect(list.isCompared == list.select.isCompared, "\(list.select.sql)")
    }
    // A list seldom changes, or only by more rows than are worth it.
    for source in [ChangeSource.capture, .pages] {
      #expect(lists.count { $0.sources.contains(source) } > lists.count / 2, "seed \(seed)")
    }
  }

  /// What PostgreSQL returns for each SELECT after each transaction.
  private static func answers(
    of server: PostgresServer, _ seed: UInt64, _ transactions: [String], _ folder: TestFolder
  ) async throws -> [[SharedRows]] {
    let selects = SharedSelect.all.map { "\($0.sql);\n\(PostgresServer.endOfRows)\n" }.joined()
    var script = "CREATE SCHEMA seed\(seed);\nSET search_path TO seed\(seed);\n"
    script += SharedTables.creation()
    for sql in transactions { script += "BEGIN;\n\(sql)COMMIT;\n\(selects)" }
    let results = try await server.results(of: script, in: folder.path)
    let count = SharedSelect.all.count
    try #require(results.count == transactions.count * count)
    return transactions.indices.map { Array(results[$0 * count..<($0 + 1) * count]) }
  }
}
