import Foundation
import TableData
import TableDataTesting
import Testing

struct DataSourceProviderTests {
  /// A component each of whose answers can be wrong.
  private final class Source: ComposableTableViewDataSource {
    weak var observer: (any TableChangesObserver)?
    var counts = [2]
    var identity: (IndexPath) -> AnyHashable? = { $0 }
    var place: (AnyHashable) -> IndexPath? = { $0.base as? IndexPath }

    var numberOfSections: Int { counts.count }

    func numberOfRows(inSection section: Int) throws -> Int {
      guard counts.indices.contains(section) else {
        throw TableDataError.sectionOutOfRange(section, count: counts.count)
      }
      return counts[section]
    }

    func viewModelForRow(at indexPath: IndexPath) throws -> Any {
      guard indexPath.count == 2 else { throw TableDataError.malformedIndexPath(indexPath) }
      guard counts.indices.contains(indexPath.section) else {
        throw TableDataError.sectionOutOfRange(indexPath, count: counts.count)
      }
      guard 0..<counts[indexPath.section] ~= indexPath.row else {
        throw TableDataError.rowOutOfRange(indexPath, count: counts[indexPath.section])
      }
      return indexPath
    }

    func titleForHeader(inSection section: Int) throws -> String? {
      _ = try numberOfRows(inSection: section)
      return nil
    }

    func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
      _ = try viewModelForRow(at: indexPath)
      return identity(indexPath)
    }

    func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? { place(identity) }

    func tableView(
      _ tableView: TableView, cellForRowAt indexPath: IndexPath
    ) throws -> TableViewCell { TableViewCell(reuseIdentifier: nil) }
  }

  private let source = Source()

  @Test func aDataSourceIsCheckedAndFollowedAsAProvider() throws {
    let provider = try DataSourceProvider(source)
    let harness = try ProviderHarness(provider)
    harness.observe()
    source.observer?.contentWillChange(of: source)
    source.counts = [2, 1]
    source.observer?.contentDidChange(of: source, by: TableChanges(insertedSections: [1]))
    try harness.checkObserved()
    #expect(harness.batches.count == 1)
  }

  @Test func aListOnAScreenIsRefusedAndStaysThere() throws {
    let screen = TableViewController { Issue.record($0) }
    try screen.setDataSource(source)
    let error = #expect(throws: TableDataError.self) {
      try DataSourceProvider(source).checkConformance()
    }
    #expect(error?.code == .alreadyObserved)
    #expect(source.observer === screen)
    try screen.setDataSource(nil)
    try DataSourceProvider(source).checkConformance()
  }

  @Test func theListIsReleasedWithItsProvider() throws {
    do { _ = try ProviderHarness(try DataSourceProvider(source)) }
    #expect(source.observer == nil)
  }

  @Test func failuresArePassedOn() throws {
    let harness = try ProviderHarness(try DataSourceProvider(source))
    harness.observe()
    source.observer?.content(of: source, didFailWith: CancellationError())
    #expect(harness.failures.count == 1)
  }

  @Test func aRowWithoutAnIdentityIsFound() {
    source.identity = { _ in nil }
    expectViolation("the row [0,0] has no identity")
  }

  @Test func aRowThatIsFoundElsewhereIsFound() {
    source.place = { _ in [0, 0] }
    expectViolation("the row [0,1] is not where its identity [0, 1] is found")
  }

  private func expectViolation(_ message: String, sourceLocation: SourceLocation = #_sourceLocation)
  {
    let violation = #expect(throws: ProviderViolation.self, sourceLocation: sourceLocation) {
      try DataSourceProvider(source).checkConformance()
    }
    #expect(violation?.message == message, sourceLocation: sourceLocation)
  }
}
