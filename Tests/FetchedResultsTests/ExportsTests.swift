import FetchedResults
import Testing

// Types of an app, named like some of the modules below.
private struct Section {
  let title: String
  var rows: [Row] = []
}

private struct Row {
  let value: Value
}

private struct Value {
  let text: String
}

/// What a file sees that imports nothing but `FetchedResults`.
@Suite struct ExportsTests {
  private struct Track: FetchableRecord {
    let id: Int64
    let name: String

    static let recordDescription = RecordDescription(
      table: "track", key: \.id, making: Track.init, Column("id", \.id), Column("name", \.name))
  }

  private let provider: FetchedResultsProvider<Track>

  init() throws {
    let database = try Database.inMemory()
    try database.write { connection in
      try connection.execute("CREATE TABLE track(id INTEGER PRIMARY KEY, name TEXT)")
      try connection.insert(Track(id: 1, name: "Blue"))
    }
    provider = try FetchedResultsProvider(
      database: database, request: Track.all.sorted(by: \.name))
    try provider.performFetch()
  }

  @Test func typesOfTheAppAreNotAmbiguous() throws {
    var section = Section(title: "all")
    for row in 0..<provider.sections[0].numberOfRows {
      let path = IndexPath(row: row, section: 0)
      section.rows.append(Row(value: Value(text: try provider.object(at: path).name)))
    }
    #expect(section.rows.map(\.value.text) == ["Blue"])
  }

  @Test func changesAndTheirIndexPathsAreVisible() throws {
    try provider.database.write { connection in
      try connection.execute("UPDATE track SET name = ? WHERE id = 1", [.text("Cello")])
    }
    let changes: TableChanges = try provider.refresh()
    #expect(changes.updatedRows.map(\.new.row) == [0])
    let info: SectionInfo = provider.sections[0]
    #expect(info.numberOfRows == 1)
  }

  @Test func aPrimaryResultCodeMatchesItsExtendedCodes() throws {
    let error = try #require(
      throws: DatabaseError.self,
      performing: {
        try provider.database.write { try $0.execute("INSERT INTO track(id) VALUES (1)") }
      })
    #expect(error.resultCode != .constraint)
    #expect(.constraint ~= error.resultCode)
    #expect(!(.busy ~= error.resultCode))
    switch error.resultCode {
    case .constraint: break
    default: Issue.record("\(error.resultCode)")
    }
  }

  @Test func errorsOfAListCanBeCaught() {
    let error = #expect(throws: TableDataError.self) { try provider.object(at: [3, 0]) }
    #expect(error?.code == .sectionOutOfRange)
  }
}
