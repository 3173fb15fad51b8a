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
    let provider = DataSourceProvider(source)
    let harness = try ProviderHarness(provider)
    harness.observe()
    source.observer?.contentWillChange(of: source)
    source.counts = [2, 1]
    source.observer?.contentDidChange(of: source, by: TableChanges(insertedSections: [1]))
    try harness.checkObserved()
    #expect(harness.batches.count == 1)
  }

  @Test func aListOnAScreenIsCheckedAndStaysThere() throws {
    let screen = Screen()
    source.observer = screen
    try DataSourceProvider(source).checkConformance()
    #expect(source.observer === screen)
    do {
      let harness = try ProviderHarness(DataSourceProvider(source))
      harness.observe()
      source.observer?.contentWillChange(of: source)
      source.counts = [2, 1]
      source.observer?.contentDidChange(of: source, by: TableChanges(insertedSections: [1]))
      source.observer?.content(of: source, didFailWith: CancellationError())
      try harness.checkObserved()
      #expect(harness.failures.count == 1)
    }
    #expect(screen.lines == ["will", "+[1]", "failed"])
    #expect(screen.senders.allSatisfy { $0 === source })
    #expect(source.observer === screen)
  }

  @Test func theListIsReleasedWhenItIsNotObserved() {
    let (screen, other) = (Screen(), Screen())
    source.observer = screen
    let provider = DataSourceProvider(source)
    provider.observer = other
    provider.observer = screen
    #expect(source.observer === provider)
    provider.observer = nil
    #expect(source.observer === screen)
  }

  /// Writes down what it is told.
  private final class Screen: TableChangesObserver {
    var lines: [String] = []
    var senders: [any TableChangesSender] = []

    private func add(_ line: String, _ sender: any TableChangesSender) {
      lines.append(line)
      senders.append(sender)
    }

    func contentWillChange(of sender: any TableChangesSender) { add("will", sender) }

    func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
      add("\(changes)", sender)
    }

    func content(of sender: any TableChangesSender, didFailWith error: any Error) {
      add("failed", sender)
    }
  }

  @Test func aRowWithoutAnIdentityIsFound() {
    source.identity = { _ in nil }
    expectViolation("the row [0, 0] has no identity")
  }

  @Test func aRowThatIsFoundElsewhereIsFound() {
    source.place = { _ in [0, 0] }
    expectViolation("the row [0, 1] is not where its identity [0, 1] is found")
  }

  private func expectViolation(_ message: String, sourceLocation: SourceLocation = #_sourceLocation)
  {
    let violation = #expect(throws: ProviderViolation.self, sourceLocation: sourceLocation) {
      try DataSourceProvider(source).checkConformance()
    }
    #expect(violation?.message == message, sourceLocation: sourceLocation)
  }
}
