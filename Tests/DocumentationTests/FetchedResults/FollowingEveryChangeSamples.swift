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

/// Deletes tracks, and returns the changes that take this back.
func deleteTracks(_ ids: [Int64], in database: Database) async throws -> [TableRowChange] {
  let before = try database.snapshot()
  let count = try await database.write { try $0.delete(Track.self, keys: ids) }
  guard count > 0 else { return [] }
  var log = database.changes(since: before).makeAsyncIterator()
  return try await log.next()?.rows().map(\.inverted) ?? []
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

  @Test func aWriteIsTakenBack() async throws {
    let inverse = try await deleteTracks([1, 3], in: database)
    let request = Track.all.sorted(by: \.id)
    #expect(try await database.read { try $0.fetchAll(request).map(\.id) } == [2, 4, 5])
    try await database.write { try $0.apply(inverse) }
    #expect(try await database.read { try $0.fetchAll(request).map(\.id) } == [1, 2, 3, 4, 5])
    #expect(try await deleteTracks([6], in: database).isEmpty)
  }
}
