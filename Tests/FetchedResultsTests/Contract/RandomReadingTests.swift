import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Random requests on random stores, against a plain SELECT of the same.
struct RandomReadingTests {
  @Test(arguments: 0..<8)
  func theProviderSaysWhatAPlainSelectSays(part: UInt64) throws {
    for number in 0..<UInt64(40 * SeededGenerator.scale) {
      let seed = part << 32 | number
      do {
        try check(RandomCase(seed: seed), "seed \(seed)")
      } catch {
        Issue.record(error, "seed \(seed)")
      }
    }
  }

  private func check(_ random: RandomCase, _ comment: Comment) throws {
    let store = try random.store()
    let expected = try random.expected(in: store)
    let provider = try FetchedResultsProvider(
      database: store, request: random.request, sectionedBy: random.section?.key)
    do {
      try provider.performFetch()
    } catch let error as FetchError where error.code == .tornSection {
      // Only an order of its own can tear sections, and then it must have done so.
      try #require(random.section?.order != nil, comment)
      return
    }

    var sizes: [Int] = []
    for row in expected {
      if row.continuesSection, !sizes.isEmpty {
        sizes[sizes.count - 1] += 1
      } else {
        sizes.append(1)
      }
    }
    if random.section == nil { sizes = [expected.count] }
    try #require(provider.sections.map(\.numberOfRows) == sizes, comment)

    let objects = try #require(provider.fetchedObjects, comment)
    try #require(objects.map { $0["seq"] } == expected.map { $0.row["seq"] }, comment)
    try checkRecords(provider, objects, expected.map(\.row), comment)
    try checkPlaces(provider, sizes, comment)
    try checkTitles(provider, comment)
  }

  private func checkRecords(
    _ provider: FetchedResultsProvider<Row>, _ objects: FetchedObjects<Row>, _ expected: [Row],
    _ comment: Comment
  ) throws {
    func isSame(_ record: Row, _ row: Row) -> Bool {
      record.columnNames.names.allSatisfy { record[$0] == row[$0] }
    }
    try #require(zip(objects, expected).allSatisfy(isSame), comment)
    try #require(zip(objects.reversed(), expected.reversed()).allSatisfy(isSame), comment)
    var generator = SeededGenerator(seed: UInt64(expected.count))
    for position in expected.indices.shuffled(using: &generator) {
      try #require(isSame(objects[position], expected[position]), comment)
    }
  }

  private func checkPlaces(
    _ provider: FetchedResultsProvider<Row>, _ sizes: [Int], _ comment: Comment
  ) throws {
    let objects = try #require(provider.fetchedObjects, comment)
    var position = 0
    var identities: Set<RowIdentity> = []
    for (section, size) in sizes.enumerated() {
      for row in 0..<size {
        let path: IndexPath = [section, row]
        let identity = try provider.identity(at: path)
        try #require(identities.insert(identity).inserted, comment)
        try #require(try provider.indexPath(forIdentity: identity) == path, comment)
        try #require(try provider.object(at: path) == objects[position], comment)
        position += 1
      }
    }
  }

  private func checkTitles(_ provider: FetchedResultsProvider<Row>, _ comment: Comment) throws {
    let titles = provider.sectionIndexTitles()
    try #require(Set(titles).count == titles.count, comment)
    for (position, title) in titles.enumerated() {
      let section = try provider.section(forSectionIndexTitle: title, at: position)
      let first = provider.sections.firstIndex { $0.indexTitle == title }
      try #require(section == first, comment)
    }
  }
}
