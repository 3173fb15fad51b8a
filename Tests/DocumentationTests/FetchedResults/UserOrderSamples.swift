import FetchedResults
import TableData
import Testing

struct UserOrderSamples {
  struct Errand: FetchableRecord {
    let id: Int64?
    let title: String
    let list: String
    let position: Position

    static let recordDescription = RecordDescription(
      table: "errand", key: \.id, making: Errand.init,
      Column("id", \.id), Column("title", \.title), Column("list", \.list),
      Column("position", \.position))
  }

  @Test func aMoveWritesOneRow() throws {
    let database = try Database.inMemory()
    try database.write { connection in
      try connection.execute(
        script: """
          CREATE TABLE errand(
            id INTEGER PRIMARY KEY, title TEXT NOT NULL, list TEXT NOT NULL, position TEXT NOT NULL);
          CREATE INDEX errand_list_position ON errand(list, position);
          """)
      for (title, position) in zip(["Milk", "Bread", "Post"], Position.series(3)) {
        try connection.insert(
          Errand(id: nil, title: title, list: "Monday", position: position))
      }
    }
    let lines = try printed {
      let provider = try FetchedResultsProvider(
        database: database, request: Errand.all.sorted(by: \.position), sectionedBy: \.list)
      try provider.performFetch()

      let writtenRows = try provider.move(from: [0, 2], to: [0, 0], by: \.position)
      print(writtenRows, try provider.refresh())

      try database.write { connection in
        let position = try provider.position(
          forInsertionAt: [0, 1], by: \.position, in: connection)
        try connection.insert(Errand(id: nil, title: "Stamps", list: "Monday", position: position))
      }
      try provider.refresh()
      #expect(provider.fetchedObjects?.map(\.title) == ["Post", "Stamps", "Milk", "Bread"])

      let source = try TableViewDataSource(dataProvider: provider)
      try source.perform(.move([0, 2], to: [0, 0]))
      try source.perform(.delete([0, 1]))
      #expect(provider.fetchedObjects?.map(\.title) == ["Milk", "Stamps", "Bread"])
    }
    #expect(lines == ["1 [0,2]>[0,0]"])
  }

  @Test func positionsAreMadeInSeries() {
    let lines = printed {
      let positions = Position.series(3)
      print(positions.map(\.rawValue))
    }
    #expect(lines == [#"["n0", "n1", "n2"]"#])
  }
}
