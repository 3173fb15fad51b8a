import FetchedResults
import SQLiteStorage
import TableData
import Testing

/// Updating and deleting, and what cannot be written.
@Suite struct RecordWriterChangingTests {
  private func store() throws -> Database {
    let database = try Chore.store()
    let positions = Position.series(3)
    try database.write { connection throws in
      for (title, position) in zip(["Wash", "Dry", "Iron"], positions) {
        try connection.insert(Chore(title: title, note: "soon", position: position))
      }
    }
    return database
  }

  @Test func anUpdateWritesAllColumns() throws {
    let database = try store()
    let position = Position.between(nil, nil)
    try database.write { try $0.update(Chore(id: 1, title: "Rinse", position: position)) }
    #expect(
      try database.all(Chore.self).first
        == Chore(id: 1, title: "Rinse", note: nil, position: position, shout: "RINSE!"))
    #expect(try database.all(Chore.self).dropFirst().map(\.title) == ["Dry", "Iron"])
  }

  @Test func anUpdateOfSomeColumnsLeavesTheOthers() throws {
    let database = try store()
    let record = Chore(id: 2, title: "Spin", note: "now")
    try database.write { try $0.update(record, only: \.title) }
    #expect(try database.all(Chore.self).map(\.title) == ["Wash", "Spin", "Iron"])
    #expect(try database.all(Chore.self).map(\.note) == ["soon", "soon", "soon"])
    try database.write { try $0.update(record, only: \.note, \.title) }
    #expect(try database.all(Chore.self).map(\.note) == ["soon", "now", "soon"])
  }

  @Test func anUpdateOfAMissingRowIsAnError() throws {
    let database = try store()
    for id in [nil, 9] as [Int64?] {
      let error = #expect(throws: FetchError.self) {
        try database.write { try $0.update(Chore(id: id, title: "x")) }
      }
      #expect(error?.code == .noSuchRow)
    }
    #expect(try database.all(Chore.self).map(\.title) == ["Wash", "Dry", "Iron"])
  }

  @Test func anUpdateThatATriggerIgnoresIsNotAnUpdateOfAMissingRow() throws {
    let database = try store()
    try database.run(
      """
      CREATE TRIGGER kept BEFORE UPDATE ON chore WHEN old.id = 1 BEGIN SELECT RAISE(IGNORE); END;
      """)
    try database.write { connection throws in
      #expect(try !connection.update(Chore(id: 1, title: "Rinse")))
      #expect(try !connection.update(Chore(id: 1, title: "Rinse"), only: \.title))
      #expect(try connection.update(Chore(id: 2, title: "Rinse"), only: \.title))
      let missing = #expect(throws: FetchError.self) {
        try connection.update(Chore(id: 9, title: "Rinse"))
      }
      #expect(missing?.nextStep == "Insert the record, or upsert it")
    }
  }

  @Test(arguments: [
    "SELECT RAISE(IGNORE)",
    "UPDATE chore SET note = 'gone' WHERE id = old.id; SELECT RAISE(IGNORE)",
  ])
  func aDeleteThatATriggerIgnoresDeletesNothing(_ body: String) throws {
    let database = try store()
    try database.run("CREATE TRIGGER kept BEFORE DELETE ON chore BEGIN \(body); END;")
    try database.write { connection throws in
      #expect(try !connection.delete(Chore(id: 1, title: "Wash")))
      #expect(try !connection.delete(Chore.self, 2))
      #expect(try !connection.delete(Chore.self, 9))
    }
    #expect(try database.all(Chore.self).count == 3)
  }

  @Test func aDeleteReturnsWhetherTheRowExisted() throws {
    let database = try store()
    try database.write { connection throws in
      #expect(try connection.delete(Chore(id: 1, title: "whatever")))
      #expect(try !connection.delete(Chore(id: 1, title: "whatever")))
      #expect(try !connection.delete(Chore(title: "Dry")))
      #expect(try connection.delete(Chore.self, 3))
      let error = #expect(throws: FetchError.self) {
        try connection.delete(Chore.self, RowIdentity([2, 2]))
      }
      #expect(error?.code == .invalidKey)
    }
    #expect(try database.all(Chore.self).map(\.title) == ["Dry"])
  }

  @Test func anUpdateFromWhatWasReadWritesTheColumnsThatDiffer() throws {
    let database = try store()
    try database.write { connection throws in
      let old = try connection.find(Chore.self, 1)
      var new = old
      #expect(try !connection.update(new, from: old))
      // Another writer.
      try connection.execute("UPDATE chore SET note = 'now' WHERE id = 1")
      new.title = "Rinse"
      #expect(try connection.update(new, from: old))
      let row = try connection.find(Chore.self, 1)
      #expect(row.title == "Rinse")
      #expect(row.note == "now")
      // The key, too.
      var moved = row
      moved.id = 7
      #expect(try connection.update(moved, from: row))
      #expect(try connection.fetchOne(Chore.self, 1) == nil)
      #expect(try connection.find(Chore.self, 7).title == "Rinse")
      moved.title = "x"
      let error = #expect(throws: FetchError.self) { try connection.update(moved, from: row) }
      #expect(error?.code == .noSuchRow)
    }
  }

  struct KeyOnly: FetchableRecord {
    var id: Int64

    static let recordDescription = RecordDescription(
      table: "chore", key: \.id, making: KeyOnly.init, Column("id", \.id))
  }

  @Test func aRecordOfNothingButItsKeyIsFoundAllTheSame() throws {
    let database = try Database.store("CREATE TABLE chore(id INTEGER PRIMARY KEY, note)")
    try database.write { connection throws in
      #expect(try connection.upsert(KeyOnly(id: 1)) == 1)
      #expect(try connection.upsert(KeyOnly(id: 1)) == 1)
      try connection.update(KeyOnly(id: 1))
      #expect(throws: FetchError.self) { try connection.update(KeyOnly(id: 2)) }
    }
    #expect(try database.all(KeyOnly.self).map(\.id) == [1])
  }

  struct ByTitle: FetchableRecord {
    var title: String
    var note: String?

    static let recordDescription = RecordDescription(
      table: "chore", key: \.title, making: ByTitle.init,
      Column("title", \.title), Column("note", \.note))
  }

  @Test func aKeyThatTwoRowsHaveChangesNeither() throws {
    let database = try store()
    try database.run("UPDATE chore SET title = 'Dry' WHERE id = 3")
    try database.write { connection throws in
      try connection.update(ByTitle(title: "Wash", note: "done"))
      let error = #expect(throws: FetchError.self) {
        try connection.update(ByTitle(title: "Dry", note: "done"))
      }
      #expect(error?.code == .invalidKey)
      #expect(throws: FetchError.self) { try connection.delete(ByTitle(title: "Dry")) }
    }
    #expect(try database.all(Chore.self).map(\.note) == ["done", "soon", "soon"])
  }

  @Test func generatedColumnsAreNotWritten() throws {
    let database = try store()
    let error = #expect(throws: FetchError.self) {
      try database.write { try $0.update(Chore(id: 1, title: "x"), only: \.shout) }
    }
    #expect(error?.code == .notWritable)
    #expect(error?.message.contains("shout") == true)
  }

  struct Total: FetchableRecord {
    var title: String
    var count: Int
    var isMany: Bool { count > 1 }

    static let recordDescription = RecordDescription(
      select: "SELECT title, count(*) AS count FROM chore GROUP BY title", key: \.title,
      making: Total.init, Column("title", \.title), Column("count", \.count))
  }

  struct Seen: FetchableRecord {
    var id: Int64

    static let recordDescription = RecordDescription(
      table: "seen", making: Seen.init, Column("id", \.id))
  }

  struct SeenByKey: FetchableRecord {
    var id: Int64

    static let recordDescription = RecordDescription(
      table: "seen", key: \.id, making: SeenByKey.init, Column("id", \.id))
  }

  struct Misspelt: FetchableRecord {
    var id: Int64

    static let recordDescription = RecordDescription(
      table: "chore", making: Misspelt.init, Column("idd", \.id))
  }

  @Test func whatIsNoTableCannotBeWritten() throws {
    let database = try store()
    try database.run("CREATE VIEW seen AS SELECT id FROM chore")
    func code(_ body: (Connection) throws -> Void) -> FetchError.Code? {
      #expect(throws: FetchError.self) { try database.write(body) }?.code
    }
    #expect(code { try $0.insert(Total(title: "x", count: 1)) } == .notWritable)
    #expect(code { try $0.insert(Seen(id: 1)) } == .notWritable)
    #expect(code { try $0.upsert(SeenByKey(id: 1)) } == .notWritable)
    #expect(code { try $0.delete(Seen.self, 1) } == .notWritable)
    #expect(code { try $0.insert(Misspelt(id: 1)) } == .noSuchColumn)
    let track = Track(id: 1, name: "", genre: nil, milliseconds: 1)
    #expect(code { try $0.insert(track) } == .noSuchTable)
    let chore = Chore(id: 1, title: "x")
    #expect(code { try $0.update(chore, only: \.title.count) } == .computedProperty)
  }

  @Test func aWriteIsReportedOnce() throws {
    let database = try store()
    let provider = try FetchedResultsProvider(database: database, request: Chore.all)
    try provider.performFetch()
    try database.write { connection throws in
      try connection.delete(Chore.self, 1)
      try connection.update(Chore(id: 2, title: "Spin"), only: \.title)
      try connection.upsert(Chore(id: 9, title: "Fold", position: .between(nil, .first)))
    }
    #expect(try provider.refresh().description == "-[0,0] +[0,2] [0,1]=[0,0]")
    #expect(try provider.refresh().isEmpty)
  }
}
