import SQLiteStorage
import Testing

struct StorageSamples {
  @Test func aSnapshotShowsOneVersion() throws {
    let file = try TemporaryFile()
    let path = file.path
    let database = try Database(path: path)
    try database.write { connection in
      try connection.execute("CREATE TABLE artist(id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
      try connection.execute("INSERT INTO artist(name) VALUES (?)", [.text("Arvo Pärt")])
    }
    let count = try database.read { try $0.value(Int.self, "SELECT count(*) FROM artist") }
    #expect(count == 1)
    let lines = try printed {
      let before = try database.snapshot()
      try database.write { try $0.execute("DELETE FROM artist") }
      let old = try before.read { try $0.value(Int.self, "SELECT count(*) FROM artist") }
      print(old ?? 0)  // still the old count
    }
    #expect(lines == ["1"])
  }
}
