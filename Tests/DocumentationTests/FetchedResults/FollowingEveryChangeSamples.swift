import FetchedResults
import Testing

func audit(_ database: Database, in audit: Database) async throws {
  try await audit.write {
    try $0.execute("CREATE TABLE IF NOT EXISTS line(text TEXT NOT NULL)")
  }
  for try await changes in database.changes() {
    let lines = try changes.rows().map { "\($0.kind) \($0.table): \($0.changedColumns)" }
    try await audit.write { connection in
      for line in lines { try connection.execute("INSERT INTO line VALUES (\(line))") }
    }
  }
}

actor UndoStack {
  private var steps: [[TableRowChange]] = []

  func add(_ changes: DatabaseChanges) throws { steps.append(try changes.rows()) }

  func undo(in database: Database) throws {
    guard let step = steps.popLast() else { return }
    try database.write { try $0.apply(step.map(\.inverted)) }
  }
}

@Suite(.timeLimit(.minutes(5))) struct FollowingEveryChangeSamples {
  private let database: Database

  init() throws { database = try Database.library() }

  /// Writes until a sample has ended: it begins at a version that the writer does not know.
  private func writing(
    _ sql: @escaping @Sendable (Int) -> SQL, _ sample: () async throws -> Void
  ) async throws -> [String] {
    try await printed {
      let writer = Task.detached { [database] in
        var number = 0
        while !Task.isCancelled {
          number += 1
          let statement = sql(number)
          try await database.write { try $0.execute(statement) }
          try await Task.sleep(for: .milliseconds(20))
        }
      }
      defer { writer.cancel() }
      try await sample()
    }
  }

  @Test func everyRowIsTold() async throws {
    let lines = try await writing({ "UPDATE track SET milliseconds = \($0)" }) {
      for try await changes in database.changes() {
        try changes.forEachRow { change in
          print(change.kind, change.table, change.changedColumns)
        }
        if changes.count > 1 { break }
      }
    }
    #expect(lines.last == #"update track ["milliseconds"]"#)
  }

  @Test func onlySomeRowsAreTold() async throws {
    let lines = try await writing({ "UPDATE track SET genre = \($0 % 2 == 0 ? "Jazz" : "Rock")" }) {
      for try await changes in database.changes(tables: ["track"], where: "genre = \("Jazz")") {
        print(try changes.rows().map(\.changedColumns))
        if changes.count > 0 { break }
      }
    }
    #expect(lines.last?.contains(#"["genre"]"#) == true)
  }

  @Test func recordsAreTold() async throws {
    let task = Task { [database] in
      for try await changes in database.changes(of: Track.self) {
        for change in changes {
          print(try change.old?.name ?? "-", "→", try change.new?.name ?? "-")
        }
        if changes.isEmpty { break }
      }
    }
    task.cancel()
    try await task.value
  }

  @Test func onlySomeRecordsAreTold() async throws {
    let lines = try await writing({
      "UPDATE track SET genre = \($0 % 2 == 0 ? "Jazz" : "Rock") WHERE id = 1"
    }) {
      for try await changes in database.changes(of: Track.self, where: { $0.genre == "Jazz" }) {
        print(try changes.map { try $0.new?.genre ?? "-" })
        if !changes.isEmpty { break }
      }
    }
    #expect(lines == [#"["Jazz"]"#] || lines == [#"["Rock"]"#])
  }

  @Test func anAuditIsWritten() async throws {
    let store = try Database.inMemory()
    let task = Task { [database] in try await audit(database, in: store) }
    var number = 0
    var lines: [String] = []
    while lines.isEmpty {
      number += 1
      let name = "name \(number)"
      try await database.write { try $0.execute("UPDATE track SET name = \(name) WHERE id = 1") }
      try await Task.sleep(for: .milliseconds(20))
      lines = (try? await store.read { try $0.values(String.self, "SELECT text FROM line") }) ?? []
    }
    task.cancel()
    // Cancelled while it writes, it throws; else its loop ends.
    do { try await task.value } catch is CancellationError {}
    #expect(lines[0] == #"update track: ["name"]"#)
  }

  @Test func theLastStepIsUndone() async throws {
    let stack = UndoStack()
    var log = database.changes(since: try database.snapshot()).makeAsyncIterator()
    try await database.write { try $0.execute("UPDATE track SET name = 'x' WHERE id = 1") }
    let changes = try await log.next()
    if let changes { try await stack.add(changes) }
    try await stack.undo(in: database)
    let name = try await database.read {
      try $0.value(String.self, "SELECT name FROM track WHERE id = 1")
    }
    #expect(name == "Blue")
  }
}
