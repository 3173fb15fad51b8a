import CSQLite
import FetchedResults
import Foundation
import SQLiteStorage
import TableData

/// The list as a table view would have it: read once, and from then on changed by nothing but what
/// the provider tells. It is compared row by row with a fresh query: the sections that had events
/// after every few changes, and all of them at the end.
///
/// `TableDataTesting` has the same replay, written to be read: it makes a new list of all rows for
/// each change, which takes a tenth of a second at a million rows. This one changes its list in
/// place.
struct ListMirror<Record: Sendable & Equatable> {
  /// The queries for the rows as they are: the key first, then the section's name.
  struct Query: Sendable {
    /// All rows in the order of the list.
    let all: String
    /// Those of one section, its name being the parameter; nil where the list is small.
    let section: String?
    /// The record of the row that a statement is at.
    let record: @Sendable (OpaquePointer) -> Record
  }

  private struct Row {
    var id: Int64
    /// A hash of all columns; 0 where an event came for the row, whose content is then expected to
    /// be new.
    var hash: UInt64
  }

  private struct Section {
    var name: String
    var rows: [Row] = []
  }

  private let provider: FetchedResultsProvider<Record>
  private let query: Query
  private let all: RawStatement
  private let one: RawStatement?
  private var sections: [Section] = []

  /// Reads the list, which must be what the provider shows.
  init(of provider: FetchedResultsProvider<Record>, _ query: Query, in database: RawDatabase) throws
  {
    self.provider = provider
    self.query = query
    all = try database.prepare(query.all)
    one = try query.section.map { try database.prepare($0) }
    sections = provider.sections.map { Section(name: $0.name ?? "") }
    for section in sections.indices {
      sections[section].rows.reserveCapacity(try provider.numberOfRows(inSection: section) + 16)
    }
    var section = 0
    try all.forEachRow { row in
      while section < sections.count, try isFull(section) { section += 1 }
      guard section < sections.count else { throw BenchError("the provider has too few rows") }
      sections[section].rows.append(Row(id: sqlite3_column_int64(row, 0), hash: Self.hash(row)))
    }
    try checkAll()
  }

  private func isFull(_ section: Int) throws -> Bool {
    try sections[section].rows.count == provider.numberOfRows(inSection: section)
  }
}

// MARK: - Replaying

extension ListMirror {
  /// What was told, and what the provider says of the rows and sections that came.
  struct Batch {
    fileprivate let changes: TableChanges
    fileprivate let newRows: [(place: IndexPath, id: Int64)]
    fileprivate let newSections: [(number: Int, name: String)]

    /// Notes a batch that has just been told.
    init(_ changes: TableChanges, _ provider: FetchedResultsProvider<Record>) throws {
      guard changes.reset == nil else { throw BenchError("a reset, where changes were expected") }
      self.changes = changes
      newRows = try (changes.insertedRows + changes.movedRows.map(\.to)).sorted().map { place in
        guard case .integer(let id)? = try provider.identity(at: place).values.first else {
          throw BenchError("the key at \(place) is no integer")
        }
        return (place, id)
      }
      newSections = try changes.insertedSections.map { section in
        // The section titles are not read here: all of them would be kept, and the next step would free them.
        guard case .text(let name)? = try provider.sectionKey(at: section) else {
          throw BenchError("the key of section \(section) is no text")
        }
        return (section, name)
      }
    }
  }

  /// Applies batches, of which the last one leads to what the provider shows, and compares the
  /// sections that they name.
  mutating func replay(_ batches: [Batch]) throws {
    var names: Set<String> = []
    for batch in batches { try replay(batch, &names) }
    guard provider.numberOfSections == sections.count else {
      throw BenchError("there are \(provider.numberOfSections) sections, not \(sections.count)")
    }
    guard let one, names.count < max(8, sections.count / 4) else { return try checkAll() }
    for section in sections.indices where names.contains(sections[section].name) {
      try check(section, by: one)
    }
  }

  /// - Parameter names: gets the sections of rows with events.
  private mutating func replay(_ batch: Batch, _ names: inout Set<String>) throws {
    let changes = batch.changes
    for place in (changes.deletedRows + changes.movedRows.map(\.from)).sorted(by: >) {
      try require(place)
      sections[place.section].rows.remove(at: place.row)
      names.insert(sections[place.section].name)
    }
    for section in changes.deletedSections {
      guard sections.indices.contains(section), sections[section].rows.isEmpty else {
        throw BenchError("the section \(section) goes, but not all of its rows")
      }
      sections.remove(at: section)
    }
    for section in batch.newSections {
      guard section.number <= sections.count else { throw BenchError("a section is missing") }
      sections.insert(Section(name: section.name), at: section.number)
    }
    for (place, id) in batch.newRows {
      try require(place, isNew: true)
      sections[place.section].rows.insert(Row(id: id, hash: 0), at: place.row)
      names.insert(sections[place.section].name)
    }
    for place in changes.updatedRows.map(\.new) {
      try require(place)
      sections[place.section].rows[place.row].hash = 0
      names.insert(sections[place.section].name)
    }
  }

  private func require(_ place: IndexPath, isNew: Bool = false) throws {
    guard sections.indices.contains(place.section),
      0..<(sections[place.section].rows.count + (isNew ? 1 : 0)) ~= place.row
    else { throw BenchError("there is no row \(place) in the list") }
  }
}

// MARK: - Comparing

extension ListMirror {
  private mutating func check(_ section: Int, by statement: RawStatement) throws {
    var place = IndexPath(row: 0, section: section)
    try statement.bind(.text(sections[section].name))
    try statement.forEachRow { row in
      try check(place, row)
      place = place.nextRow
    }
    try requireEnd(place)
  }

  /// Compares all rows.
  mutating func checkAll() throws {
    guard !sections.isEmpty else { return }
    var place = IndexPath(row: 0, section: 0)
    try all.forEachRow { row in
      if place.row == sections[place.section].rows.count {
        guard place.section + 1 < sections.count else { throw BenchError("rows are missing") }
        place = IndexPath(row: 0, section: place.section + 1)
      }
      try check(place, row)
      place = place.nextRow
    }
    try requireEnd(place)
    guard place.section == sections.count - 1 else {
      throw BenchError("there are sections too many")
    }
  }

  private func requireEnd(_ place: IndexPath) throws {
    let count = try provider.numberOfRows(inSection: place.section)
    guard place.row == sections[place.section].rows.count, place.row == count else {
      throw BenchError("section \(place.section) has \(count) rows, and not \(place.row)")
    }
  }

  private mutating func check(_ place: IndexPath, _ row: OpaquePointer) throws {
    let (section, number) = (place.section, place.row)
    guard number < sections[section].rows.count,
      sections[section].rows[number].id == sqlite3_column_int64(row, 0),
      sections[section].name == Self.sectionName(row)
    else { throw BenchError("the changes do not lead to the row at \(place)") }
    let hash = Self.hash(row)
    let known = sections[section].rows[number].hash
    if known == hash { return }
    guard known == 0 else { throw BenchError("the row at \(place) changed without an event") }
    guard try provider.object(at: place) == query.record(row) else {
      throw BenchError("the record at \(place) is wrong")
    }
    sections[section].rows[number].hash = hash
  }

  private static func sectionName(_ row: OpaquePointer) -> String {
    sqlite3_column_text(row, 1).map { String(cString: $0) } ?? ""
  }

  /// FNV-1a over the columns as text, never 0.
  private static func hash(_ row: OpaquePointer) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for column in 0..<sqlite3_column_count(row) {
      let text = UnsafeBufferPointer(
        start: sqlite3_column_text(row, column), count: Int(sqlite3_column_bytes(row, column)))
      for byte in text { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
      hash = (hash ^ 0xFF) &* 0x0000_0100_0000_01B3
    }
    return hash | 1
  }
}

extension IndexPath {
  fileprivate var nextRow: IndexPath { IndexPath(row: row + 1, section: section) }
}
