import SQLiteStorage
import Testing

struct BackupSamples {
  @Test func aCopyIsMadeWhileTheDatabaseIsUsed() throws {
    let (database, file) = (try Database.library(), try TemporaryFile())
    let copy = file.path
    let before = try database.snapshot()
    try Connection(path: database.path, access: .readOnly)
      .execute("VACUUM INTO ?", [.text(copy)])
    let count = try Database(path: copy).read {
      try $0.value(Int.self, "SELECT count(*) FROM track")
    }
    #expect(count == 5)
    #expect(try database.snapshot() === before)
  }

  @Test func anExistingFileIsNotOverwritten() throws {
    let (database, file) = (try Database.library(), try TemporaryFile())
    func copy() throws {
      try Connection(path: database.path, access: .readOnly)
        .execute("VACUUM INTO ?", [.text(file.path)])
    }
    try copy()
    let error = #expect(throws: DatabaseError.self) { try copy() }
    #expect(error?.message.contains("output file already exists") == true)
  }

  @Test func aTransactionCannotVacuumAndTheWriterCan() throws {
    let (database, file) = (try Database.library(), try TemporaryFile())
    #expect(throws: DatabaseError.self) {
      try database.read { try $0.execute("VACUUM INTO ?", [.text(file.path)]) }
    }
    try database.withWriter { try $0.execute("VACUUM INTO ?", [.text(file.path)]) }
  }
}
