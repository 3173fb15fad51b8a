import FetchedResults
import LocalizedCollation
import SQLiteStorage
import Testing

struct SectionSamples {
  private let database: Database

  init() throws { database = try Database.library() }

  @Test func requestsAreWrittenWithKeyPaths() throws {
    let request = Track.all
      .where { $0.milliseconds > 150_000 }
      .sorted(by: \.name, collation: .nocase)
    let provider = try FetchedResultsProvider(database: database, request: request)
    try provider.performFetch()
    #expect(provider.fetchedObjects?.map(\.name) == ["Ahead", "Anthem", "Blue", "Crossroads"])
  }

  @Test func anotherTermSortsWhatIsEqual() throws {
    let longestFirst = Track.all.sorted(by: \.genre).sorted(by: \.milliseconds, .descending)
    let names = try database.read { try $0.fetchAll(longestFirst) }.map(\.name)
    #expect(names == ["Crossroads", "Ahead", "Blue", "Anthem", "Zoo"])
  }

  @Test func storedPropertiesDivide() throws {
    let provider = try FetchedResultsProvider(
      database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
    try provider.performFetch()
    #expect(provider.sections.map(\.name) == ["Blues", "Jazz", "Rock"])
    let genresBackwards = SectionKey<Track>.property(\.genre, .descending, nulls: .last)
    try provider.setRequest(provider.request, sectionedBy: genresBackwards)
    #expect(provider.sections.map(\.name) == ["Rock", "Jazz", "Blues"])
    try provider.setRequest(provider.request, sectionedBy: \.genre)
    let lines = try printed {
      let identity = try provider.identity(at: [1, 0])
      let place = try provider.indexPath(forIdentity: identity)
      print(place == [1, 0], try provider.indexPath(forIdentity: 999) == nil)
    }
    #expect(lines == ["true true"])
    let titles = provider.sectionIndexTitles()
    let section = try provider.section(forSectionIndexTitle: titles[1], at: 1)
    #expect(section == 1)
  }

  @Test func expressionsDivide() throws {
    let lines = try printed {
      let byLength = SectionKey<Track>.expression(
        "CASE WHEN \(\.milliseconds) < \(250_000) THEN 'short' ELSE 'long' END",
        order: .expression("\(\.milliseconds) >= \(250_000)"))
      let provider = try FetchedResultsProvider(
        database: database, request: Track.all.sorted(by: \.name), sectionedBy: byLength)
      try provider.performFetch()
      print(provider.sections.compactMap(\.name))
    }
    #expect(lines == [#"["short", "long"]"#])
  }

  @Test func theOrderOfSectionsCanBeThatOfAnotherTable() throws {
    try database.write { connection in
      try connection.execute(
        script: """
          CREATE TABLE genre(title TEXT PRIMARY KEY, position INTEGER NOT NULL);
          INSERT INTO genre VALUES ('Rock', 1), ('Blues', 2), ('Jazz', 3);
          """)
    }
    let inOrder = SectionKey<Track>.expression(
      "\(\.genre)", order: .expression("(SELECT position FROM genre WHERE title = \(\.genre))"))
    let provider = try FetchedResultsProvider(
      database: database, request: Track.all.sorted(by: \.name), sectionedBy: inOrder)
    try provider.performFetch()
    #expect(provider.sections.map(\.name) == ["Rock", "Blues", "Jazz"])
    try database.write { connection in
      try connection.execute("UPDATE genre SET position = 0 WHERE title = 'Jazz'")
    }
    try provider.refresh()
    #expect(provider.sections.map(\.name) == ["Jazz", "Rock", "Blues"])
  }

  @Test func sectionsHaveNames() throws {
    let byLength = SectionKey<Track>.expression("\(\.milliseconds) >= 250000", .descending)
      .titled { (isLong: Int) in isLong == 0 ? "Short" : "Long" }
    let provider = try FetchedResultsProvider(
      database: database, request: Track.all, sectionedBy: byLength)
    try provider.performFetch()
    #expect(provider.sections.map(\.name) == ["Long", "Short"])
  }

  @Test func namesAreInTheOrderOfALanguage() throws {
    var configuration = Database.Configuration()
    configuration.collations = [.localized()]
    let byName = Track.all.sorted(by: \.name, collation: .localized)
    let database = try Database.inMemory(configuration: configuration)
    try database.write { connection in
      try connection.execute(
        script: """
          CREATE TABLE track(id INTEGER PRIMARY KEY, name, genre, milliseconds);
          INSERT INTO track VALUES (1, 'Zoo', '', 1), (2, 'track 10', '', 1), (3, 'Track 9', '', 1),
            (4, 'Éric', '', 1), (5, 'erik', '', 1), (6, 'Eric', '', 1);
          """)
    }
    let names = try database.read { try $0.fetchAll(byName) }.map(\.name)
    #expect(names == ["Eric", "Éric", "erik", "Track 9", "track 10", "Zoo"])
  }

  @Test func computedPropertiesDivideUnlessTheOrderTearsThem() throws {
    let lines = try printed {
      let provider = try FetchedResultsProvider(
        database: database, request: Track.all.sorted(by: \.name, collation: .nocase),
        sectionedBy: \.initial)
      try provider.performFetch()
      print(provider.sectionIndexTitles())
    }
    #expect(lines == [#"["A", "B", "C", "Z"]"#])
    let errors = try printed {
      let torn = try FetchedResultsProvider(
        database: database, request: Track.all.sorted(by: \.milliseconds),
        sectionedBy: \.initial)
      do {
        try torn.performFetch()
      } catch let error as FetchError where error.code == .tornSection {
        print(error)
      }
    }
    #expect(errors.count == 1)
    #expect(errors.first?.hasPrefix("the order separates the rows of section \"A\": row 5") == true)
  }

  @Test func sectionsHaveTotals() throws {
    let lines = try printed {
      let totalled = Track.all.sorted(by: \.name)
        .totals(.count, .sum(\.milliseconds), .average("\(\.milliseconds) / 1000.0"))
      let provider = try FetchedResultsProvider(
        database: database, request: totalled, sectionedBy: \.genre)
      try provider.performFetch()
      let rock = try provider.totals(at: 2)
      print(try rock.count, try rock.sum(\.milliseconds) ?? 0)
      let seconds = try rock.decode(.average("\(\.milliseconds) / 1000.0"), as: Double.self)
      print(seconds)
      try database.write { connection in
        try connection.execute("UPDATE track SET milliseconds = 100500 WHERE name = 'Zoo'")
      }
      for section in try provider.refresh().updatedSections {
        print(section.new, try provider.totals(at: section.new).sum(\.milliseconds) ?? 0)
      }
    }
    #expect(lines == ["2 300000", "150.0", "2 300500"])
  }

  @Test func rowsNeedNoRecord() throws {
    let lines = try printed {
      let rows = FetchRequest(table: "track").sorted(by: \Row["name"])
      let provider = try FetchedResultsProvider(
        database: database, request: rows, sectionedBy: \Row["genre"])
      try provider.performFetch()
      print(try provider.object(at: [0, 0])["name"])
    }
    #expect(lines.first?.contains("Crossroads") == true)
    let perGenre = FetchRequest(
      select: "SELECT genre, count(*) AS tracks FROM track GROUP BY genre ORDER BY tracks DESC")
    let provider = try FetchedResultsProvider(database: database, request: perGenre)
    try provider.performFetch()
    #expect(provider.fetchedObjects?.map { $0["tracks"] } == [2, 2, 1])
  }
}
