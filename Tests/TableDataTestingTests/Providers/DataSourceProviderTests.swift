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
    var title: (Int) throws -> String?? = { _ in nil }
    var indexTitles: [String] = []
    var indexSection: (String, Int) throws -> Int = { title, _ in
      throw TableDataError.unknownIndexTitle(title, titles: [])
    }

    var numberOfSections: Int { counts.count }

    func numberOfRows(inSection section: Int) throws -> Int {
      if let count = try count(section) { return count }
      guard counts.indices.contains(section) else {
        throw TableDataError.sectionOutOfRange(section, count: counts.count)
      }
      return counts[section]
    }

    func sectionIndexTitles() -> [String] { indexTitles }

    func section(forSectionIndexTitle title: String, at position: Int) throws -> Int {
      try indexSection(title, position)
    }

    func viewModelForRow(at indexPath: IndexPath) throws -> Any {
      if let row = try row(indexPath) { return row }
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
      if let title = try title(section) { return title }
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

  @Test func aTitleOutOfRangeThatIsAnsweredIsFound() {
    source.title = { $0 == 0 ? nil : .some(nil) }
    expectViolation(
      "`titleForHeader(inSection: -1)` must throw a TableDataError of code .sectionOutOfRange, and "
        + "gives: nil")
  }

  @Test func aRowOutOfRangeThatIsAnsweredByItsNeighbourIsFound() {
    source.row = { $0 == [0, 2] ? "neighbour" : nil }
    expectViolation(
      "`viewModelForRow(at: [0,2])` must throw a TableDataError of code .rowOutOfRange, and gives: "
        + "neighbour")
  }

  @Test func anErrorThatDoesNotSayWhatIsMissingIsFound() {
    struct Failure: Error {}
    source.row = { path in
      guard path != [-1, 0] else { throw Failure() }
      return nil
    }
    expectViolation(
      "`viewModelForRow(at: [-1,0])` must throw a TableDataError of code .sectionOutOfRange, and "
        + "throws: Failure()")
  }

  @Test func aMalformedPathThatIsAnsweredIsFound() {
    source.row = { $0.count > 2 ? "row" : nil }
    expectViolation(
      "`viewModelForRow(at: [0,0,0])` must throw a TableDataError of code .malformedIndexPath, and "
        + "gives: row")
  }

  private func showIndex(_ titles: [String], section: @escaping (String, Int) throws -> Int) {
    source.counts = [1, 1, 1]
    let names = ["Apple", "Avocado", "Banana"]
    source.title = { names.indices.contains($0) ? .some(names[$0]) : nil }
    source.indexTitles = titles
    source.indexSection = section
  }

  @Test func repeatedIndexTitlesAreFound() {
    showIndex(["A", "A", "B"]) { _, position in position }
    expectViolation(
      "the sections have the index titles [\"A\", \"B\"], but the index has [\"A\", \"A\", \"B\"]")
  }

  @Test func anIndexTitleThatLeadsToItsOwnPositionIsFound() {
    showIndex(["A", "B"]) { _, position in position }
    expectViolation(
      "the index title \"B\" leads to section 1, but the first section that has it is 2")
  }

  @Test func anUnknownIndexTitleThatIsAnsweredIsFound() {
    showIndex(["A", "B"]) { title, _ in title == "B" ? 2 : 0 }
    expectViolation(
      "`section(forSectionIndexTitle: \"…\", at: 0)` must throw a TableDataError of code "
        + ".unknownIndexTitle, and gives: 0")
  }

  private func expectViolation(_ message: String, sourceLocation: SourceLocation = #_sourceLocation)
  {
    let violation = #expect(throws: ProviderViolation.self, sourceLocation: sourceLocation) {
      try DataSourceProvider(source).checkConformance()
    }
    #expect(violation?.message == message, sourceLocation: sourceLocation)
  }
}
