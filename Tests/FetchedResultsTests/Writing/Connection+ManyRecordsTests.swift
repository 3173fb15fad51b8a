import FetchedResults
import SQLiteStorage
import TableDataTesting
import Testing

/// Sequences of records, which are written as a whole.
@Suite struct ConnectionManyRecordsTests {
  private static let positions = Array(Position.series(8))

  private static func chore(_ id: Int64, _ title: String) -> Chore {
    Chore(id: id, title: title, position: positions[Int(id)])
  }

  private func store() throws -> Database {
    let database = try Chore.store()
    let chores = [Self.chore(1, "Wash"), Self.chore(2, "Dry"), Self.chore(3, "Iron")]
    #expect(try database.write { try $0.insert(chores) } == 3)
    return database
  }

  private func titles(_ database: Database) throws -> [String] {
    try database.all(Chore.self).map(\.title)
  }

  @Test func recordsAreUpsertedInOrder() throws {
    let database = try store()
    let chores = [Self.chore(2, "Spin"), Self.chore(4, "Fold"), Self.chore(4, "Store")]
    #expect(try database.write { try $0.upsert(chores.lazy.filter { _ in true }) } == 3)
    #expect(try titles(database) == ["Wash", "Spin", "Iron", "Store"])
    #expect(try database.write { try $0.upsert([Chore]()) } == 0)
  }

  @Test func recordsAreUpdatedAndThoseThatATriggerKeepsAreNotCounted() throws {
    let database = try store()
    try database.run(
      """
      CREATE TRIGGER kept BEFORE UPDATE ON chore WHEN old.id = 1 BEGIN SELECT RAISE(IGNORE); END;
      """)
    let chores = [Self.chore(1, "Rinse"), Self.chore(3, "Press")]
    #expect(try database.write { try $0.update(chores) } == 1)
    #expect(try titles(database) == ["Wash", "Dry", "Press"])
  }

  @Test func recordsAreDeletedAndThoseThatAreNotThereAreNotCounted() throws {
    let database = try store()
    let chores = [Self.chore(1, "any"), Self.chore(7, "none"), Self.chore(1, "again")]
    #expect(try database.write { try $0.delete(chores) } == 1)
    #expect(try titles(database) == ["Dry", "Iron"])
  }

  @Test func theFirstRecordThatIsRefusedUndoesThoseBefore() throws {
    let database = try store()
    try database.write { connection throws in
      try connection.update(Self.chore(3, "Press"))
      let wrong = [Self.chore(1, "Rinse"), Self.chore(2, ""), Self.chore(3, "")]
      let upsert = #expect(throws: DatabaseError.self) { try connection.upsert(wrong) }
      #expect(
        upsert?.message.hasPrefix("record 2 of the records to upsert: CHECK constraint") == true)
      let update = #expect(throws: DatabaseError.self) { try connection.update(wrong) }
      #expect(
        update?.message.hasPrefix("record 2 of the records to update: CHECK constraint") == true)
      let missing = #expect(throws: FetchError.self) {
        try connection.update([Self.chore(1, "Rinse"), Self.chore(7, "Fold")])
      }
      #expect(missing?.code == .noSuchRow)
      try connection.execute(
        """
        CREATE TRIGGER needed BEFORE DELETE ON chore WHEN old.id = 2 BEGIN SELECT RAISE(ABORT, 'needed'); END
        """)
      let delete = #expect(throws: DatabaseError.self) {
        try connection.delete([Self.chore(1, "Wash"), Self.chore(2, "Dry")])
      }
      #expect(delete?.message == "record 2 of the records to delete: needed")
      #expect(throws: DatabaseError.self) { try connection.delete(Chore.self, keys: [1, 2]) }
    }
    // What was written before them stays.
    #expect(try titles(database) == ["Wash", "Dry", "Press"])
  }

  @Test func aSequenceIsATransactionOutsideOfOne() throws {
    let database = try Database.store(
      "CREATE TABLE tag(name TEXT PRIMARY KEY, uses INTEGER NOT NULL)")
    let connection = try Connection(path: database.path)
    #expect(try connection.upsert([Tag(name: "a", uses: 1), Tag(name: "b", uses: 2)]) == 2)
    #expect(throws: DatabaseError.self) {
      try connection.upsert([Tag(name: "c", uses: 3), Tag(name: "a", uses: nil)])
    }
    #expect(try connection.values(String.self, "SELECT name FROM tag") == ["a", "b"])
  }

  private struct Tag: FetchableRecord {
    var name: String
    var uses: Int?

    static let recordDescription = RecordDescription(
      table: "tag", key: \.name, making: Tag.init, Column("name", \.name), Column("uses", \.uses))
  }

  // MARK: - Keys

  @Test func someRowsAreDeletedByTheirKeys() throws {
    let database = try store()
    try database.write { connection throws in
      #expect(try connection.delete(Chore.self, keys: [1, 9, 3, 3]) == 2)
      #expect(try connection.delete(Chore.self, keys: [] as [Int]) == 0)
      #expect(throws: FetchError.self) {
        try connection.delete(
          Chore.self, identities: [RowIdentity([.integer(2)]), RowIdentity([2, 2])])
      }
    }
    #expect(try titles(database) == ["Dry"])
    #expect(try database.write { try $0.delete(Chore.self, identities: [2]) } == 1)
  }

  // MARK: - Random

  /// The same as one after the other.
  @Test func randomSequencesWriteWhatTheirRecordsDo() throws {
    for seed in SeededGenerator.seeds(4) {
      var generator = SeededGenerator(seed: seed)
      let (database, other) = (try store(), try store())
      for round in 0..<30 {
        let chores = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
          let id = Int64.random(in: 1..<8, using: &generator)
          return Self.chore(id, "\(id) of \(round)")
        }
        let choice = Int.random(in: 0..<4, using: &generator)
        let whole = Result {
          try database.write { connection in
            switch choice {
            case 0: try connection.insert(chores)
            case 1: try connection.upsert(chores)
            case 2: try connection.update(chores)
            default: try connection.delete(chores)
            }
          }
        }
        let single = Result {
          try other.write { connection in
            var count = 0
            for chore in chores {
              switch choice {
              case 0: try connection.insert(chore)
              case 1: try connection.upsert(chore)
              case 2: if try !connection.update(chore) { continue }
              default: if try !connection.delete(chore) { continue }
              }
              count += 1
            }
            return count
          }
        }
        #expect((try? whole.get()) == (try? single.get()), "seed \(seed), round \(round)")
        #expect(
          try database.all(Chore.self) == other.all(Chore.self), "seed \(seed), round \(round)")
      }
    }
  }
}
