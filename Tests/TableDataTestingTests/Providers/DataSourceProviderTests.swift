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
    /// Answers that replace the right ones.
    var count: (Int) throws -> Int? = { _ in nil }
    var row: (IndexPath) throws -> Any? = { _ in nil }
    var description: (Int) throws -> TableSection? = { _ in nil }

    var numberOfSections: Int { counts.count }

    func numberOfRows(inSection section: Int) throws -> Int {
      if let count = try count(section) { return count }
      guard counts.indices.contains(section) else {
        throw TableDataError.sectionOutOfRange(section, count: counts.count)
      }
      return counts[section]
    }

    func row(at indexPath: IndexPath) throws -> TableRow {
      if let viewModel = try row(indexPath) { return TableRow(viewModel) }
      guard indexPath.count == 2 else { throw TableDataError.malformedIndexPath(indexPath) }
      guard counts.indices.contains(indexPath.section) else {
        throw TableDataError.sectionOutOfRange(indexPath, count: counts.count)
      }
      guard 0..<counts[indexPath.section] ~= indexPath.row else {
        throw TableDataError.rowOutOfRange(indexPath, count: counts[indexPath.section])
      }
      return TableRow(indexPath, id: identity(indexPath), cell: TableCell(PathCell.self))
    }

    func section(_ number: Int) throws -> TableSection {
      try description(number) ?? TableSection(numberOfRows: try numberOfRows(inSection: number))
    }

    func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? { place(identity) }
  }

  private final class PathCell: TableViewCell, Configurable {
    func configure(with viewModel: IndexPath) {}
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

  // MARK: What a provider cannot get wrong

  @Test func aCountThatCannotBeReadIsFound() {
    source.count = { _ in throw CancellationError() }
    expectViolation("section 0 says that it has -1 rows")
  }

  @Test func aSectionOutOfRangeThatIsAnsweredByTheLastOneIsFound() {
    source.count = { _ in 2 }
    expectViolation(
      "`numberOfRows(inSection: -1)` must throw a TableDataError of code .sectionOutOfRange, and "
        + "gives: 2")
  }

  @Test func aSectionOutOfRangeThatIsDescribedIsFound() {
    source.description = { $0 == 0 ? nil : TableSection(numberOfRows: 1) }
    expectViolation(
      "`section(-1)` must throw a TableDataError of code .sectionOutOfRange, and gives: 1 rows")
  }

  @Test func aSectionThatIsCountedInTwoWaysIsFound() {
    source.count = { $0 == 0 ? 3 : nil }
    source.description = { $0 == 0 ? TableSection(numberOfRows: 2) : nil }
    expectViolation(
      "section 0 says that it has 2 rows, but `numberOfRows(inSection:)` is 3")
  }

  @Test func aRowOutOfRangeThatIsAnsweredByItsNeighbourIsFound() {
    source.row = { $0 == [0, 2] ? "neighbour" : nil }
    expectViolation(
      "`row(at: [0,2])` must throw a TableDataError of code .rowOutOfRange, and gives: "
        + "neighbour")
  }

  @Test func anErrorThatDoesNotSayWhatIsMissingIsFound() {
    struct Failure: Error {}
    source.row = { path in
      guard path != [-1, 0] else { throw Failure() }
      return nil
    }
    expectViolation(
      "`row(at: [-1,0])` must throw a TableDataError of code .sectionOutOfRange, and "
        + "throws: Failure()")
  }

  @Test func aMalformedPathThatIsAnsweredIsFound() {
    source.row = { $0.count > 2 ? "row" : nil }
    expectViolation(
      "`row(at: [0,0,0])` must throw a TableDataError of code .malformedIndexPath, and "
        + "gives: row")
  }

  private func expectViolation(_ message: String, sourceLocation: SourceLocation = #_sourceLocation)
  {
    let violation = #expect(throws: ProviderViolation.self, sourceLocation: sourceLocation) {
      try DataSourceProvider(source).checkConformance()
    }
    #expect(violation?.message == message, sourceLocation: sourceLocation)
  }
}
