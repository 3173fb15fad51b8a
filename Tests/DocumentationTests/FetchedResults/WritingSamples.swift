import FetchedResults
import RecordImporting
import Testing

struct WritingSamples {
  private let database: Database

  init() throws { database = try Database.library() }

  private func names() throws -> [String] {
    let provider = try FetchedResultsProvider(database: database, request: Track.all)
    try provider.performFetch()
    return provider.fetchedObjects?.map(\.name) ?? []
  }

  @Test func recordsAreWritten() throws {
    let id = try database.write { connection in
      try connection.insert(Track(id: 6, name: "Creole", genre: "Soul", milliseconds: 250_000))
    }
    let longer = Track(id: 6, name: "Creole", genre: "Soul", milliseconds: 260_000)
    try database.write { connection in
      try connection.update(longer, only: \.milliseconds)
      try connection.upsert(Track(id: 7, name: "Dune", genre: "Jazz", milliseconds: 90_000))
    }
    let isDeleted = try database.write { connection in
      try connection.delete(longer)
    }
    #expect(id == 6)
    #expect(isDeleted)
    #expect(try names() == ["Blue", "Anthem", "Zoo", "Crossroads", "Ahead", "Dune"])
    let (label, limit) = ("Short", 150_000)
    try database.write { connection in
      try connection.execute("UPDATE track SET genre = \(label) WHERE milliseconds < \(limit)")
    }
    let short = try database.read { connection in
      try connection.value(Int.self, "SELECT count(*) FROM track WHERE genre = 'Short'")
    }
    #expect(short == 2)
  }

  @Test func manyRecordsAreWritten() throws {
    let takes = (100..<200).map { Track(id: $0, name: "Take \($0)", genre: nil, milliseconds: 900) }
    let deletedCount = try database.write { connection in
      try connection.insert(takes)
      try connection.upsert(takes.map { $0.renamed("\($0.name), again") })
      try connection.delete(takes.prefix(10))
      return try connection.delete(Track.self, keys: [110, 111])
    }
    #expect(deletedCount == 2)
    #expect(try names().count == 5 + 88)
    #expect(try names().suffix(2) == ["Take 198, again", "Take 199, again"])
  }

  @Test func aRecordIsLoadedChangedSavedAndUndone() throws {
    let old = try database.write { connection in
      let old = try connection.find(Track.self, 2)
      try connection.update(old.renamed("\(old.name) (live)"))
      return old
    }
    #expect(try names().contains("\(old.name) (live)"))
    #expect(try !undoRenaming(old, to: "another name"))
    #expect(try undoRenaming(old, to: "\(old.name) (live)"))
    #expect(try names().contains(old.name))
    #expect(try !undoRenaming(old, to: "\(old.name) (live)"))
  }

  func undoRenaming(_ old: Track, to name: String) throws -> Bool {
    try database.write { connection in
      guard let current = try connection.fetchOne(Track.self, old.id), current.name == name
      else { return false }
      try connection.update(current.renamed(old.name))
      return true
    }
  }

  @Test func refusedRecordsAreReportedAndTheOthersStay() throws {
    let lines = try printed {
      let json = """
        [{"id": 8, "name": "Echo", "genre": "Jazz", "milliseconds": 120000},
         {"id": 9, "name": "Faint", "genre": "Jazz", "milliseconds": "long"}]
        """
      let summary = try database.write { connection in
        try connection.importRecords(
          try JSONRecords(json.utf8), into: "track", onRefusal: { refusal in print(refusal) })
      }
      print("\(summary.importedCount) imported, \(summary.refusedCount) refused")
    }
    #expect(
      lines == [
        "record 2: milliseconds must be INTEGER, not the text \"long\". Correct the record, and import it "
          + "alone",
        "1 imported, 1 refused",
      ])
    #expect(try names().last == "Echo")
  }
}

extension Track {
  func renamed(_ name: String) -> Track {
    Track(id: id, name: name, genre: genre, milliseconds: milliseconds)
  }
}
