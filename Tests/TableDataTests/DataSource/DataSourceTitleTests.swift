import Foundation
import TableData
import TableDataTesting
import Testing

/// Titles that a data source makes itself are up to date too.
struct DataSourceTitleTests {
  private let provider: SectionDataProvider<Item>
  private let source: TableViewDataSource<SectionDataProvider<Item>>
  private let harness: ProviderHarness<DataSourceProvider, AnyHashable>

  init() throws {
    provider = try SectionDataProvider(sections: [
      Section(name: "A", footer: "base", items: items([1, 2])), Section("B", [3]),
    ])
    source = try .showing(provider)
    harness = try ProviderHarness(try DataSourceProvider(source))
    harness.observe()
  }

  private var told: [String] { harness.batches.map(\.description) }

  @Test func theProviderGivesTheFooters() throws {
    #expect(try source.section(0).footer.title == "base")
    try provider.setFooter(nil, ofSection: 0)
    #expect(told == ["[0]=[0]"])
    try harness.checkObserved()
  }

  @Test func aFooterThatCountsRowsIsUpdatedWithThem() throws {
    source.footerTitle = { [provider] in "\(try provider.numberOfRows(inSection: $0)) rows" }
    try provider.insert(Item(id: 9), at: [1, 0])
    try provider.insertSection(Section("0", [7]), at: 0)
    try provider.replace(at: [1, 0], with: Item(id: 1, text: "x"))
    try provider.move(from: [1, 0], to: [2, 0])
    #expect(
      told == [
        "[0]=[0] [1]=[1]", "[1]=[1] +[1,0]", "+[0] +[0,0]", "[1,0]=[1,0]",
        "[1]=[1] [2]=[2] [1,0]>[2,0]",
      ])
    try harness.checkObserved()
  }

  @Test func aTitleThatIsGoneIsReported() throws {
    source.footerTitle = { [provider] in
      try provider.numberOfRows(inSection: $0) > 0 ? "some" : nil
    }
    harness.observe()
    source.footerTitle = { _ in nil }
    #expect(told.last == "[0]=[0] [1]=[1]")
    source.headerTitle = { _ in nil }
    #expect(told.last == "[0]=[0] [1]=[1]")
    try harness.checkObserved()
  }

  @Test func anotherHeaderTitleIsReportedAtOnce() throws {
    source.headerTitle = { $0 == 0 ? "first" : "B" }
    #expect(told == ["[0]=[0]"])
    source.headerTitle = { $0 == 0 ? "first" : "B" }
    #expect(source.updateTitles().isEmpty)
    var name = "first"
    source.headerTitle = { $0 == 0 ? name : "B" }
    name = "second"
    #expect(source.updateTitles().description == "[0]=[0]")
    source.headerTitle = nil
    #expect(told == ["[0]=[0]", "[0]=[0]", "[0]=[0]"])
    #expect(try source.section(0).header.title == "A")
  }

  @Test func aTableShowsTheTitlesThatItWasNotifiedOf() throws {
    let list = try SectionDataProvider(sections: [Section("A", [1]), Section("B", [2])])
    let source = try TableViewDataSource.showing(list)
    let screen = TableViewController { Issue.record($0) }
    try screen.setDataSource(source)
    let table = screen.tableView
    let cells = table.visibleCells.map(ObjectIdentifier.init)
    try list.performBatch {
      $0[1].name = "C"
      $0[1].footer = "end"
      $0.insert(Section("0", []), at: 0)
    }
    #expect(try (0..<3).map { try table.titleForHeader(inSection: $0) } == ["0", "A", "C"])
    #expect(try table.titleForFooter(inSection: 2) == "end")
    #expect(table.visibleCells.map(ObjectIdentifier.init) == cells)
    #expect(throws: TableDataError.self) { try table.titleForHeader(inSection: 3) }
    list.observer = nil
    try list.setTitle("unseen", ofSection: 0)
    #expect(try table.titleForHeader(inSection: 0) == "0")
    try table.reloadData()
    #expect(try table.titleForHeader(inSection: 0) == "unseen")
  }

  @Test func aHeaderGeneratorReportsItsOtherTitles() throws {
    final class Header: TableHeaderGenerator {
      var title: String? = "a"
      var footerTitle: String?
    }
    let form = DataDisplayManager()
    let header = Header()
    try form.addSectionHeaderGenerator(header)
    let list = try ComposedTableViewDataSource([
      try TableViewDataSource.showing(try provider.copy()), form,
    ])
    let harness = try ProviderHarness(try DataSourceProvider(list))
    harness.observe()
    header.title = "b"
    header.footerTitle = "c"
    #expect(try form.update(header: header).description == "[0]=[0]")
    #expect(harness.batches.map(\.description) == ["[2]=[2]"])
    try harness.checkObserved()
    #expect(throws: TableDataError.self) { try form.update(header: Header()) }
  }
}

extension SectionDataProvider<Item> {
  fileprivate func copy() throws -> SectionDataProvider {
    try SectionDataProvider(sections: content)
  }
}
