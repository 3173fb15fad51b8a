import FetchedResults
import SQLiteStorage

/// Does some steps of a workload at a small size, and nothing else: `Scripts/check-costs` counts the
/// instructions that a step takes. Unlike `bench`, it compares with no peer, checks no answer and
/// measures no time.
///
///     costs WORKLOAD STEPS FILE
///
/// FILE must not exist.
@main
enum Costs {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let prepare = workloads[arguments[1]], let count = Int(arguments[2])
    else {
      print(workloads.keys.sorted().joined(separator: "\n"))
      return
    }
    let step = try prepare(try Store(path: arguments[3]))
    for turn in 0..<count { try step(turn) }
  }

  /// Prepares a workload, and returns one step of it.
  private typealias Workload = @Sendable (Store) throws -> (Int) throws -> Void

  private static let items = FetchRequest(table: "item")
  private static let byName = items.sorted(by: \Row["name"])

  private static let workloads: [String: Workload] = [
    "P1": { store in
      { _ in _ = try store.list(byName, bySection: true) }
    },
    "P2": { store in
      let list = try store.list(byName, bySection: true)
      return { turn in
        try store.write("UPDATE item SET name = \(store.name(turn)) WHERE id = \(store.row(turn))")
        try list.refresh()
      }
    },
    "P4": { store in
      let list = try store.list(byName, bySection: true)
      return { turn in
        let start = store.row(turn) % (Store.rowCount - 100)
        try store.write(
          """
          UPDATE item SET name = 'n ' || (id * 7919 % 10007 + \(turn))
          WHERE id BETWEEN \(start) AND \(start + 99)
          """)
        try list.refresh()
      }
    },
    "P6": { store in
      let list = try store.list(byName, bySection: true)
      return { turn in
        try store.write("UPDATE item SET section = \(turn % 20) WHERE id = \(store.row(turn))")
        try list.refresh()
      }
    },
    "P7": { store in
      let join = FetchRequest<Row>(
        select: """
          SELECT item.id AS id, title, name FROM item JOIN parent ON parent.id = item.parent
          """, key: ["id"])
      let list = try store.list(join.sorted(by: \Row["title"]).sorted(by: \Row["name"]))
      return { turn in
        let parent = store.row(turn) % (Store.rowCount / 10)
        try store.write("UPDATE parent SET title = \(store.name(turn)) WHERE id = \(parent)")
        try list.refresh()
      }
    },
    "P8": { store in
      let list = try store.list(
        items.sorted(by: \Row["section"]).sorted(by: \Row["name"]).limited(to: 50))
      return { turn in
        try store.write(
          """
          UPDATE item SET section = 0, name = ' \(1_000_000 - turn)' WHERE id = \(store.row(turn))
          """)
        try list.refresh()
      }
    },
    "P14": { store in
      let lists = try (0..<20).map { try store.list(byName.filter("section = \($0)")) }
      return { turn in
        try store.write("UPDATE item SET name = \(store.name(turn)) WHERE id = \(store.row(turn))")
        for list in lists { try list.refresh() }
      }
    },
    "P17": { store in
      let list = try store.list(
        FetchRequest<Row>(
          select: "SELECT parent, group_concat(value) AS list FROM item GROUP BY parent",
          key: ["parent"]))
      return { turn in
        try store.write("UPDATE item SET value = value + 1 WHERE id = \(store.row(turn))")
        try list.refresh()
      }
    },
    "P18": { store in
      let list = try store.list(
        FetchRequest<Row>(
          select: """
            SELECT section, count(*) AS n, sum(value) AS total, max(value) AS high
            FROM item GROUP BY section
            """, key: ["section"]))
      return { turn in
        try store.write("UPDATE item SET value = value + 1 WHERE id = \(store.row(turn))")
        try list.refresh()
      }
    },
  ]
}

/// A file of items in twenty sections, ten for each parent.
private struct Store {
  static let rowCount = 4_000

  private let database: Database

  init(path: String) throws {
    database = try Database(path: path, access: .readWriteCreate)
    try write(
      """
      CREATE TABLE parent(id INTEGER PRIMARY KEY, title TEXT NOT NULL);
      CREATE TABLE item(
        id INTEGER PRIMARY KEY, parent INTEGER NOT NULL, section INTEGER NOT NULL,
        name TEXT NOT NULL, value INTEGER NOT NULL);
      WITH RECURSIVE n(i) AS (
        SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < \(Store.rowCount - 1))
      INSERT INTO item
        SELECT i, i % \(Store.rowCount / 10), i % 20, 'n ' || (i * 7919 % 10007), i FROM n;
      INSERT INTO parent SELECT DISTINCT parent, 't ' || (parent * 7919 % 10007) FROM item;
      CREATE INDEX item_section ON item(section, name, id);
      CREATE INDEX item_parent ON item(parent);
      CREATE INDEX parent_title ON parent(title, id);
      """)
  }

  func write(_ script: String) throws { try database.write { try $0.execute(script: script) } }

  /// A list that is fetched.
  func list(
    _ request: FetchRequest<Row>, bySection: Bool = false
  ) throws -> FetchedResultsProvider<Row> {
    let list = try FetchedResultsProvider(
      database: database, request: request,
      sectionedBy: bySection ? .property(\Row["section"]) : nil)
    try list.performFetch()
    return list
  }

  /// A literal with a name for a turn, in an order that looks random.
  func name(_ turn: Int) -> String { "'n \((turn + 1) * 982_451_653 % 10_007)'" }

  /// The row that a turn writes.
  func row(_ turn: Int) -> Int { (turn + 1) * 104_729 % Store.rowCount }
}
