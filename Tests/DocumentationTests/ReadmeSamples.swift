import FetchedResults
import Testing

struct ReadmeSamples {
  private struct Track: Codable, FetchableRecord {
    var id: Int64?
    var name: String
    var genre: String?

    static let recordDescription = RecordDescription(table: "track", key: \Track.id)
  }

  /// The sample, which `make adoption` compiles and runs, in a function and with another database.
  private func run(_ database: Database) async throws -> [String] {
    try await database.write {
      try $0.execute(
        "CREATE TABLE IF NOT EXISTS track(id INTEGER PRIMARY KEY, name, genre)")
    }
    let updates = FetchedUpdates(
      database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
    var lines: [String] = []
    for try await update in updates {
      lines.append("\(update.changes) \(update.new.objects.map(\.name))")
      guard update.old == nil else { break }
      try await database.write { try $0.insert(Track(name: "Blue in Green", genre: "Jazz")) }
    }
    return lines
  }

  @Test func theSamplePrintsWhatTheReadmeSaysAndRunsTwice() async throws {
    let database = try Database.inMemory()
    let readme = try #require(try Article.all().first { $0.path == "README.md" }).text
    let first = try await run(database)
    #expect(first.count == 2 && readme.contains("```text\n\(first.joined(separator: "\n"))\n```"))
    let second = try await run(database)
    #expect(second[0] == "no changes [\"Blue in Green\"]")
    #expect(second[1].hasPrefix("+[0,1] ") && readme.contains("`+[0,1]`"))
  }
}
