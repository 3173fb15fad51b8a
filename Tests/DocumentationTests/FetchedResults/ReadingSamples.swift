import FetchedResults
import SQLiteStorage
import Testing

struct ReadingSamples {
  private let database: Database

  init() throws { database = try Database.library() }

  @Test func recordsAreRead() throws {
    let (rock, first, count, blue) = try database.read { connection in
      let tracks = Track.all.where { $0.genre == "Rock" }.sorted(by: \.name)
      return (
        try connection.fetchAll(tracks),
        try connection.fetchOne(tracks),
        try connection.fetchCount(tracks),
        try connection.find(Track.self, 1)
      )
    }
    #expect(rock.count == count && count > 0)
    #expect(first?.id == rock.first?.id)
    #expect(blue.id == 1)
  }

  @Test func aCursorReadsThemOneByOne() throws {
    let lines = try printed {
      try database.read { connection in
        let tracks = try connection.fetchCursor(Track.all)
        while let track = try tracks.next() { print(track.name) }
      }
    }
    #expect(lines.count == (try database.read { try $0.fetchCount(Track.all) }))
  }

  @Test func recordsAreReadInSections() throws {
    let lines = try printed {
      try database.read { connection in
        for genre in try connection.fetchSections(Track.all, sectionedBy: \.genre) {
          print(genre.info.name ?? "", genre.info.numberOfRows)
        }
        let tracks = try connection.fetchCursor(Track.all.sorted(by: \.name), sectionedBy: \.genre)
        while try tracks.nextSection() {
          print(tracks.sectionName ?? "")
          while let track = try tracks.next() { print("  \(track.name)") }
        }
      }
    }
    let counts = try database.read { connection in
      (
        try connection.fetchSections(Track.all, sectionedBy: \.genre).count,
        try connection.fetchCount(Track.all)
      )
    }
    #expect(lines.count == 2 * counts.0 + counts.1)
  }

  @Test func frequentValuesAreCounted() throws {
    let lines = try printed {
      let frequent = try database.read { connection in
        try connection.fetchValueCounts(of: \.genre, in: Track.all, limit: 10)
      }
      for genre in frequent { print(genre.value, genre.count) }
    }
    let sections = try database.read {
      try $0.fetchSections(Track.all, sectionedBy: \.genre)
    }
    #expect(lines.count == sections.count)
  }

  @Test func valuesAndRowsAreRead() throws {
    var found: [String] = []
    let lines = try printed {
      let genres = ["Jazz", "Rock"]
      let names = try database.read { connection in
        let total = try connection.value(Int.self, "SELECT sum(milliseconds) FROM track") ?? 0
        print(total, "ms")
        let rows = try connection.rows(
          "SELECT genre, count(*) AS n FROM track WHERE genre IN \(genres) GROUP BY genre")
        for row in rows {
          print(try row.decode(String.self, "genre"), try row.decode(Int.self, "n"))
        }
        return try connection.values(String.self, "SELECT name FROM track ORDER BY name")
      }
      found = names
    }
    #expect(lines.count == 3)
    #expect(found == found.sorted() && found.count > 2)
  }

  @Test func aFileIsOpenedToBeReadAlone() throws {
    let file = try TemporaryFile()
    let path = file.path
    _ = try Database(path: path)
    let library = try Database(path: path, access: .readOnly)
    #expect(throws: DatabaseError.self) {
      try library.write { try $0.execute("CREATE TABLE track(id)") }
    }
  }
}
