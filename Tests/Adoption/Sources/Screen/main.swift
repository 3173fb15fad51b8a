import FetchedResults
import Views

// A screen that is up to date, with one import of the package. `Section`, `Row` and `Value` are
// those of the module with the views.

struct Track: FetchableRecord {
  let id: Int64
  let name: String
  let genre: String

  static let recordDescription = RecordDescription(
    table: "track", key: \.id, making: Track.init,
    Column("id", \.id), Column("name", \.name), Column("genre", \.genre))
}

final class Screen: FetchedResultsProviderDelegate {
  let provider: FetchedResultsProvider<Track>
  private(set) var batches: [TableChanges] = []
  private(set) var moves: [(from: IndexPath, to: IndexPath)] = []

  init(_ database: Database) throws {
    provider = try FetchedResultsProvider(
      database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
    provider.delegate = self
    try provider.performFetch()
  }

  func provider(_ provider: FetchedResultsProvider<Track>, didChange changes: TableChanges) {
    batches.append(changes)
    moves += changes.movedRows.map { ($0.from, $0.to) }
  }

  /// The sections, read anew.
  func sections() throws -> [Section] {
    try provider.sections.enumerated().map { number, info in
      let info: SectionInfo = info
      var section = Section(info.name ?? "")
      for row in 0..<info.numberOfRows {
        let path = IndexPath(row: row, section: number)
        section.rows.append(Row(Value(try provider.object(at: path).name)))
      }
      return section
    }
  }
}

func require(_ condition: Bool, _ message: String) {
  guard condition else { fatalError(message) }
}

let database = try Database.inMemory()
try database.write { connection in
  try connection.execute("CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT, genre TEXT)")
  try connection.insert(Track(id: 1, name: "Blue", genre: "Jazz"))
  try connection.insert(Track(id: 2, name: "Anthem", genre: "Rock"))
  try connection.insert(Track(id: 3, name: "Zoo", genre: "Rock"))
}
let screen = try Screen(database)
try database.write { connection in
  try connection.execute("UPDATE track SET genre = ? WHERE id = ?", [.text("Jazz"), .integer(3)])
}
try screen.provider.refresh()

let text = try screen.sections().map { section in
  "\(section.title): " + section.rows.map(\.value.text).joined(separator: ", ")
}
require(text == ["Jazz: Blue, Zoo", "Rock: Anthem"], "\(text)")
require(screen.batches.count == 1, "\(screen.batches)")
require(screen.moves.map(\.from.section) == [1], "\(screen.moves)")
require(screen.moves.map(\.to.row) == [1], "\(screen.moves)")

do {
  try database.write { try $0.execute("INSERT INTO track(id) VALUES (1)") }
  fatalError("the key is not unique")
} catch let error as DatabaseError where .constraint ~= error.resultCode {
  print(error)
}
do {
  _ = try screen.provider.object(at: [5, 0])
  fatalError("there is a section 5")
} catch let error as TableDataError {
  print(error)
}
