import FetchedResults
import Testing

struct ReadmeSamples {
  /// Compiled alone: the file of the README is in nobody's folder.
  private func readme() async throws {
    struct Track: Codable, Identifiable, FetchableRecord {
      let id: Int64
      let name: String
      let genre: String?

      static let recordDescription = RecordDescription(table: "track", key: \Track.id)
    }

    let updates = FetchedUpdates(
      database: try Database(path: "library.sqlite"),
      request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
    for try await update in updates {
      print(update.changes)  // +[2] -[1,0] +[2,0] [0,4]>[0,1] [0,2]=[0,3]
    }
  }

  @Test func theBatchInTheCommentIsPrintedForSuchACommit() async throws {
    let database = try Database.inMemory()
    try await database.write { connection in
      try connection.createTracks(
        """
        (1, 'A', 'Blues', 0), (2, 'B', 'Blues', 0), (3, 'C', 'Blues', 0), (4, 'D', 'Blues', 0),
        (5, 'E', 'Blues', 0), (6, 'F', 'Jazz', 0), (7, 'G', 'Jazz', 0)
        """)
    }
    let updates = FetchedUpdates(
      database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
    var batches: [String] = []
    for try await update in updates {
      batches.append(update.changes.description)
      guard batches.count == 1 else { break }
      try await database.write { connection in
        try connection.execute(
          script: """
            INSERT INTO track VALUES (8, 'H', 'Rock', 0);
            DELETE FROM track WHERE id = 6;
            UPDATE track SET name = 'Aa' WHERE id = 5;
            UPDATE track SET milliseconds = 1 WHERE id = 3;
            """)
      }
    }
    let sample = try #require(try Article.all().first { $0.path == "README.md" }?.samples.first)
    #expect(batches.first == "no changes")
    #expect(sample.text.contains("print(update.changes)  // \(try #require(batches.last))\n"))
  }
}
