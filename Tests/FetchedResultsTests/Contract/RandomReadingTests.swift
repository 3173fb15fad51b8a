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
    for number in 0..<UInt64(SeededGenerator.scaled(15)) {
      let seed = part << 32 | number
      do {
        try check(RandomCase(seed: seed), "seed \(seed)")
      } catch  where !(error is ExpectationFailedError) {
        Issue.record(error, "seed \(seed)")
      }
    }
  }

  @Test(arguments: 0..<8)
  func aRefreshedProviderSaysWhatAPlainSelectSays(part: UInt64) throws {
    for number in 0..<UInt64(SeededGenerator.scaled(4)) {
      let seed = 99 << 40 | part << 32 | number
      do {
        try checkRefreshing(RandomCase(seed: seed), "seed \(seed)")
      } catch  where !(error is ExpectationFailedError) {
        Issue.record(error, "seed \(seed)")
      }
    }
  }

  private func check(_ random: RandomCase, _ comment: Comment) throws {
    let store = try random.store()
    let provider = try FetchedResultsProvider(
      database: store, request: random.request, sectionedBy: random.section?.key)
    guard try !random.tearsSections(try provider.performFetch(), comment) else { return }
    try check(provider, try random.expected(in: store), random, comment)
  }

  private func checkRefreshing(_ random: RandomCase, _ comment: Comment) throws {
    final class Silent: FetchedResultsProviderDelegate {
      func provider(_ provider: FetchedResultsProvider<Row>, didChange changes: TableChanges) {}
    }

    var random = random
    let store = try random.store()
    let provider = try FetchedResultsProvider(
      database: store, request: random.request, sectionedBy: random.section?.key)
    // With a delegate the whole order is fetched, without one only up to the end of the window.
    let delegate = Silent()
    if Bool.random(using: &random.generator) { provider.delegate = delegate }
    var isTorn = try random.tearsSections(try provider.performFetch(), comment)
    for _ in 0..<6 {
      try random.write(to: store)
      let isFetched =
        provider.fetchedObjects != nil && Int.random(in: 0..<5, using: &random.generator) > 0
      isTorn = try random.tearsSections(
        isFetched ? _ = try provider.refresh() : try provider.performFetch(), comment)
      let fresh = try FetchedResultsProvider(
        database: store, request: random.request, sectionedBy: random.section?.key)
      try #require(try random.tearsSections(try fresh.performFetch(), comment) == isTorn, comment)
      if isTorn { continue }
      try check(provider, try random.expected(in: store), random, comment)
    }
    withExtendedLifetime(delegate) {}
  }

  private func check(
    _ provider: FetchedResultsProvider<Row>, _ expected: [RandomCase.ExpectedRow],
    _ random: RandomCase, _ comment: Comment
  ) throws {
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

extension RandomCase {
  /// Whether a fetch finds that the order tears sections apart, which only one of its own can.
  fileprivate func tearsSections(_ fetch: @autoclosure () throws -> Void, _ comment: Comment) throws
    -> Bool
  {
    do {
      try fetch()
      return false
    } catch let error as FetchError where error.code == .tornSection {
      try #require(section?.order != nil, comment)
      return true
    }
  }
}
