import SQLiteStorage
import Testing

struct StorageSamples {
  @Test func aSnapshotReportsTheTouchedRows() throws {
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
      let after = try database.snapshot()
      switch before.changes(to: after) {
      case .rows(let touched): print("touched:", touched.count.map(String.init) ?? "any rows")
      case .unknown(let reason): print("any row:", reason)
      }
    }
    #expect(lines == ["touched: 1"])
  }
}
