import FetchedResults

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
    request: Track.all.sorted(by: \.name), sectionedBy: .property(\.genre))
  for try await update in updates {
    print(update.changes)  // +[2] -[1,0] +[2,0] [0,4]>[0,1] [0,2]=[0,2]
  }
}
