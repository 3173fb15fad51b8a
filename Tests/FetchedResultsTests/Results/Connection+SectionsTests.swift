import SQLiteStorage
import TableDataTesting
import Testing

@testable import FetchedResults

/// Requests that are read once, in sections.
struct ConnectionSectionsTests {
  private static let keys: [SectionKey<Track>?] = [
    nil, .property(\.genre), .property(\.genre, .descending, collation: .nocase, nulls: .first),
    .expression("\(\.milliseconds) % 3"),
    .expression("\(\.milliseconds) / 100", .descending),
    .expression(
      "CASE WHEN \(\.milliseconds) < 250 THEN 'short' ELSE 'long' END", order: .by(\.milliseconds)),
    SectionKey<Track>.property(\.genre).titled { (genre: String) in "The \(genre)" },
  ]

  /// The sections and the records of a request, as a list has them.
  private func list(
    _ request: FetchRequest<Track>, _ key: SectionKey<Track>?, in database: Database
  ) throws -> (
    sections: [CountedSection<Track>], totals: SectionTotals<Track>?, records: [[Track]],
    names: [String?]
  ) {
    let provider = try FetchedResultsProvider(
      database: database, request: request, sectionedBy: key)
    try provider.performFetch()
    let sections = try provider.sections.indices.map { number in
      (
        provider.sections[number], try provider.sectionKey(at: number),
        try provider.totals(at: number)
      )
    }
    return (
      sections.map { CountedSection(key: $1, info: $0, totals: $2) }, provider.totals,
      try sections.indices.map { section in
        try (0..<sections[section].0.numberOfRows).map {
          try provider.object(at: IndexPath(row: $0, section: section))
        }
      }, sections.map(\.0.name)
    )
  }

  @Test func sectionsAreThoseOfAList() throws {
    let database = try Track.store(
      """
      INSERT INTO track VALUES (6, 'Naima', 'jazz', 210), (7, 'Alabama', '', 120), (8, 'Nutville', NULL, 330),
        (9, 'Nardis', 'Jazz', 310);
      """)
    var generator = SeededGenerator(seed: 4)
    for key in ConnectionSectionsTests.keys {
      for _ in 0..<20 {
        var request = Track.all.totals(.count, .sum(\.milliseconds), .max(\.name))
        if Bool.random(using: &generator) {
          request = request.filter(
            "\(\.milliseconds) > \(Int.random(in: 0...500, using: &generator))")
        }
        if Bool.random(using: &generator) { request = request.sorted(by: \.name) }
        if Bool.random(using: &generator) {
          request = request.limited(
            to: Bool.random(using: &generator) ? Int.random(in: 0...4, using: &generator) : nil,
            offset: Int.random(in: 0...4, using: &generator))
        }
        let expected = try list(request, key, in: database)
        try database.read { connection throws in
          #expect(try connection.fetchSections(request, sectionedBy: key) == expected.sections)
          #expect(try connection.fetchTotals(request, sectionedBy: key) == expected.totals)
          let cursor = try connection.fetchCursor(request, sectionedBy: key)
          var records: [[Track]] = []
          var heads: [(Value?, String?)] = []
          while try cursor.nextSection() {
            let name = cursor.sectionName
            records.append([])
            while let record = try cursor.next() { records[records.count - 1].append(record) }
            // It stays the section of the records that were read.
            #expect(cursor.sectionName == name)
            heads.append((cursor.sectionKey, name))
          }
          #expect(records == expected.records)
          #expect(heads.map(\.0) == expected.sections.map(\.key))
          #expect(heads.map(\.1) == expected.names)
          #expect(try !cursor.nextSection())
          #expect(try cursor.next() == nil)
        }
      }
    }
  }

  @Test func aSectionMayBeSkipped() throws {
    let database = try Track.store()
    let request = Track.all.sorted(by: \.milliseconds)
    try database.read { connection throws in
      let cursor = try connection.fetchCursor(request, sectionedBy: \.genre)
      // Not before a section.
      #expect(try cursor.next() == nil)
      var first: [Int64] = []
      while try cursor.nextSection() { if let id = try cursor.next()?.id { first.append(id) } }
      let sections = try connection.fetchSections(request, sectionedBy: \.genre)
      #expect(first.count == sections.count)
      let all = try connection.fetchCursor(request, sectionedBy: nil)
      #expect(try all.next() != nil)
      #expect(try all.nextSection())
      #expect(try all.next() != nil)
      #expect(try !all.nextSection())
    }
  }

  @Test func aPropertyIsAShorterFormOfItsKey() throws {
    let database = try Track.store()
    // The first two by genre are not the first two by id.
    let request = Track.all.sorted(by: \.id).totals(.sum(\.milliseconds)).limited(to: 2)
    let key = SectionKey<Track>.property(\.genre)
    try database.read { connection throws in
      let sections = try connection.fetchSections(request, sectionedBy: key)
      #expect(try connection.fetchSections(request, sectionedBy: \.genre) == sections)
      let cursor = try connection.fetchSectionCursor(request, sectionedBy: \.genre)
      #expect(try cursor.next() == sections[0])
      let totals = try connection.fetchTotals(request, sectionedBy: \.genre)
      #expect(try totals == connection.fetchTotals(request, sectionedBy: key))
      #expect(try totals != connection.fetchTotals(request))
      let (short, long) = (
        try connection.fetchCursor(request, sectionedBy: \.genre),
        try connection.fetchCursor(request, sectionedBy: key)
      )
      while try long.nextSection() {
        #expect(try short.nextSection() && short.sectionName == long.sectionName)
        while let track = try long.next() { #expect(try short.next() == track) }
      }
      #expect(try !short.nextSection())
      // One that is computed in Swift is read, and cannot be counted.
      let computed = try connection.fetchCursor(Track.all, sectionedBy: \.name.count)
      #expect(try computed.nextSection())
      let error = #expect(throws: FetchError.self) {
        try connection.fetchSections(Track.all, sectionedBy: \.name.count)
      }
      #expect(error?.code == .computedProperty)
    }
  }

  @Test func anOrderThatSeparatesASectionIsRefused() throws {
    let database = try Track.store()
    let key = SectionKey<Track>.expression("\(\.genre)", order: .by(\.id))
    try database.read { connection throws in
      let cursor = try connection.fetchCursor(Track.all, sectionedBy: key)
      let read = #expect(throws: FetchError.self) { while try cursor.nextSection() {} }
      #expect(read?.code == .tornSection)
      #expect(try !cursor.nextSection())
      let counted = #expect(throws: FetchError.self) {
        try connection.fetchSections(Track.all, sectionedBy: key)
      }
      #expect(counted?.code == .tornSection)
      // What is not in the window is not torn.
      let first = Track.all.limited(to: 2)
      #expect(try connection.fetchSections(first, sectionedBy: key).count == 2)
    }
  }

  @Test func aKeyMayBeComputedInSwift() throws {
    let database = try Track.store()
    let key = SectionKey<Track>.property(\.firstLetter)
    let request = Track.all.sorted(by: \.name)
    let expected = try list(request, key, in: database)
    try database.read { connection throws in
      let cursor = try connection.fetchCursor(request, sectionedBy: key)
      var names: [String?] = []
      while try cursor.nextSection() { names.append(cursor.sectionName) }
      #expect(names == expected.names)
      let error = #expect(throws: FetchError.self) {
        try connection.fetchSections(request, sectionedBy: key)
      }
      #expect(error?.code == .computedProperty)
      #expect(try connection.fetchTotals(request.totals(.count), sectionedBy: key).count == 5)
    }
  }

  /// They are in the section of the first row that has a key, as in a list.
  @Test(arguments: [[5, 2], [5, 2, 1, 4, 3], [2], [5, 4], []])
  func theFirstRecordsMayBeUndecodable(ids: [Int]) throws {
    let list = ids.map(String.init).joined(separator: ", ")
    let database = try Track.store("UPDATE track SET milliseconds = 'long' WHERE id IN (\(list));")
    let request = Track.all.sorted(by: \.name)
    let provider = try FetchedResultsProvider(
      database: database, request: request, sectionedBy: \.firstLetter)
    try provider.performFetch()
    let expected = try provider.sections.indices.map { section in
      try (0..<provider.sections[section].numberOfRows).map { row -> Int? in
        let id = try #require(try provider.identity(at: [section, row]).int64)
        return ids.contains(Int(id)) ? nil : Int(id)
      }
    }
    try database.read { connection throws in
      let cursor = try connection.fetchCursor(request, sectionedBy: \.firstLetter)
      var names: [String?] = []
      var read: [[Int?]] = []
      var errors: [String] = []
      while try cursor.nextSection() {
        names.append(cursor.sectionName)
        var rows: [Int?] = []
        var isAtEnd = false
        while !isAtEnd {
          do {
            guard let track = try cursor.next() else {
              isAtEnd = true
              continue
            }
            rows.append(Int(track.id))
          } catch let error as DatabaseError {
            errors.append(error.message)
            rows.append(nil)
          }
        }
        read.append(rows)
      }
      #expect(names == provider.sections.map(\.name))
      #expect(read == expected)
      #expect(errors.count == ids.count)
      // Each error names its own row.
      for id in ids { #expect(errors.count { $0.contains("id = \(id))") } == 1, "\(errors)") }
      #expect(try cursor.next() == nil)
      #expect(try !cursor.nextSection())

      let skipping = try connection.fetchCursor(request, sectionedBy: \.firstLetter)
      var skipped: [String?] = []
      while try skipping.nextSection() { skipped.append(skipping.sectionName) }
      #expect(skipped == names)
    }
  }

  @Test func aRowHasNoColumnForItsSection() throws {
    let database = try Track.store()
    try database.read { connection throws in
      let request = FetchRequest(table: "track").columns(["name", "id"])
      let cursor = try connection.fetchCursor(
        request, sectionedBy: .expression("milliseconds / 1000"))
      #expect(try cursor.nextSection())
      #expect(try cursor.next()?.columnNames.names == ["name", "id"])
    }
  }

  @Test func aTotalThatOverflowsIsNamed() throws {
    let database = try Track.store(
      "UPDATE track SET milliseconds = 9223372036854775807 WHERE id IN (1, 4);")
    let request = Track.all.totals(.count, .max(\.milliseconds), .sum(\.milliseconds))
    try database.read { connection throws in
      let error = #expect(throws: FetchError.self) { try connection.fetchSections(request) }
      #expect(error?.code == .totalOverflow)
      #expect(error?.message == "the total sum(milliseconds) is too large for an integer")
      // An error of a value is not one of the sum.
      let value = #expect(throws: DatabaseError.self) {
        try connection.fetchSections(Track.all.totals(.sum("abs(-9223372036854775807 - \(\.id))")))
      }
      #expect(value?.message == "integer overflow")
    }
  }

  @Test func aParameterMayBeInATotalOnly() throws {
    let database = try Track.store()
    let request = Track.all.totals(.max("\(\.id) * :n")).with(parameters: ["n": 2])
    try database.read { connection throws in
      #expect(try connection.fetchSections(request).first?.totals.values == [10])
      #expect(try connection.fetchAll(request).count == 5)
      #expect(try connection.fetchCount(request) == 5)
    }
  }
}

extension Track {
  fileprivate var firstLetter: String { String(name.prefix(1)) }
}
