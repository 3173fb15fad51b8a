import FetchedResults
import Foundation
import SQLiteStorage
import Testing

/// A store that other programs write, each with a build of SQLite of its own.
@Suite(.timeLimit(.minutes(5))) struct OtherToolsTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    let connection = try Connection(path: folder.store, access: .readWriteCreate)
    try connection.execute(script: "PRAGMA journal_mode = WAL; \(Item.schema)")
  }

  private func truth() throws -> [Item] {
    try Connection(path: folder.store, access: .readOnly)
      .rows("SELECT id, name, kind FROM item ORDER BY kind, name, id")
      .compactMap { row in
        guard case .integer(let id) = row.values[0], case .text(let name) = row.values[1],
          case .integer(let kind) = row.values[2]
        else { return nil }
        return Item(id: id, name: name, kind: Int(kind))
      }
  }

  private static let python = Program("python3")
  private static let shell = Program("sqlite3")

  private func run(_ program: Program, _ arguments: [String], input: String) async throws {
    try await program.run(arguments, input: input, in: folder.path)
  }

  private static let script = """
    import random, sqlite3, sys
    random.seed(int(sys.argv[2]))
    connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
    number = lambda: random.randrange(1, 60)
    for _ in range(80):
      connection.execute("BEGIN IMMEDIATE")
      for _ in range(random.randrange(1, 5)):
        connection.execute(*random.choice([
          ("INSERT OR REPLACE INTO item VALUES (?, ?, ?)", (number(), f"name {number()}", number() % 4)),
          ("UPDATE item SET name = ? WHERE id = ?", (f"new {number()}", number())),
          ("UPDATE item SET kind = ? WHERE id = ?", (number() % 4, number())),
          ("DELETE FROM item WHERE id = ?", (number(),)),
        ]))
      connection.execute(random.choice(["COMMIT", "COMMIT", "COMMIT", "ROLLBACK"]))
    """

  private static func commands(from first: Int) -> String {
    (first..<first + 60).map { number in
      """
      BEGIN IMMEDIATE; INSERT OR REPLACE INTO item VALUES (\(number), 'shell \(number)', \(number % 3));
      DELETE FROM item WHERE id = \(number - 7); COMMIT;
      """
    }.joined(separator: "\n")
  }

  @Test(.enabled(if: python != nil, "needs python3"))
  @MainActor func whatPythonWritesIsShown() async throws {
    let seed = Int.random(in: 0..<10_000)
    let list = try LiveItems(folder.store)
    let python = try #require(OtherToolsTests.python)
    try await run(python, ["-", folder.store, "\(seed)"], input: OtherToolsTests.script)
    try await list.wait(for: truth())
    #expect(list.sources == [.pages], "seed \(seed)")
    #expect(list.errors.isEmpty, "seed \(seed)")
  }

  @Test(.enabled(if: shell != nil, "needs sqlite3"))
  @MainActor func whatTheShellWritesIsShown() async throws {
    let list = try LiveItems(folder.store)
    let shell = try #require(OtherToolsTests.shell)
    let commands = ".timeout 30000\n" + OtherToolsTests.commands(from: 100)
    try await run(shell, ["-bail", folder.store], input: commands)
    try await list.wait(for: truth())
    #expect(list.sources == [.pages])
    try await run(shell, ["-bail", folder.store, "VACUUM; PRAGMA wal_checkpoint"], input: "")
    try await run(
      shell,
      ["-bail", folder.store, "ALTER TABLE item ADD COLUMN x; DELETE FROM item WHERE id < 130"],
      input: "")
    try await list.wait(for: truth())
    #expect(list.errors.isEmpty)
  }

  @Test(.enabled(if: python != nil && shell != nil, "needs python3 and sqlite3"))
  @MainActor func allWriteAtOnce() async throws {
    let lists = [try LiveItems(folder.store), try LiveItems(folder.store)]
    let python = try #require(OtherToolsTests.python)
    let shell = try #require(OtherToolsTests.shell)
    async let first: Void = run(
      python, ["-", folder.store, "1"], input: OtherToolsTests.script)
    async let second: Void = run(
      python, ["-", folder.store, "2"], input: OtherToolsTests.script)
    async let third: Void = run(
      shell, ["-bail", folder.store],
      input: ".timeout 30000\n" + OtherToolsTests.commands(from: 1_000))
    let database = try Database(path: folder.store)
    for number in 0..<40 {
      try await database.write {
        try $0.execute("INSERT INTO item VALUES (\(5_000 + number), \("own \(number)"), 5)")
      }
    }
    _ = try await (first, second, third)
    let items = try truth()
    for list in lists {
      try await list.wait(for: items)
      #expect(list.errors.isEmpty)
    }
  }
}
