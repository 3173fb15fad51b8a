import FetchedResults

struct Track: Codable, FetchableRecord {
  var id: Int64?
  var name: String
  var genre: String?

  static let recordDescription = RecordDescription(table: "track", key: \Track.id)
}

let database = try Database(path: "library.sqlite")
try database.write {
  try $0.execute("CREATE TABLE IF NOT EXISTS track(id INTEGER PRIMARY KEY, name, genre)")
}
let updates = FetchedUpdates(
  database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
for try await update in updates {
  print(update.changes, update.new.objects.map(\.name))
  guard update.old == nil else { break }
  try database.write { try $0.insert(Track(name: "Blue in Green", genre: "Jazz")) }
}
