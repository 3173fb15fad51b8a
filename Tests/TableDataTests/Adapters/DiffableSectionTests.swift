import Foundation
import TableDataTesting
import Testing

@testable import TableData

struct DiffableSectionTests {
  private let list: SectionDataProvider<Item>
  private let source: TableViewDataSource<SectionDataProvider<Item>>

  init() throws {
    list = try SectionDataProvider(sections: [
      Section(id: "first", name: "A", items: [Item(id: 1)]), Section("B", [2]),
      Section(id: "second", name: "A", items: []), Section(nil, [3]),
    ])
    source = try TableViewDataSource(dataProvider: list)
  }

  @Test func sectionsOfOneTitleAreDistinguishedByTheirIdentity() throws {
    let sections = try DiffableSection.sections(of: source)
    #expect(
      sections.map(\.identity) == [SectionID("first"), SectionID("B"), SectionID("second"), nil])
    #expect(Set(sections).count == 4)
    try list.removeSection(at: 0)
    #expect(try DiffableSection.sections(of: source) == Array(sections[1...]))
  }

  @Test func aRenamedSectionIsTheSame() throws {
    let sections = try DiffableSection.sections(of: source)
    let changes = try list.setTitle("A", ofSection: 1)
    #expect(try DiffableSection.sections(of: source) == sections)
    #expect(changes.updatedSections == [.init(old: 1, new: 1)])
  }

  @Test func twoComponentsMayHaveSectionsOfOneIdentity() throws {
    let other = try TableViewDataSource(
      dataProvider: try SectionDataProvider(sections: [Section("B", [4])]))
    let composed = try ComposedTableViewDataSource([source, other])
    let sections = try DiffableSection.sections(of: composed)
    #expect(Set(sections).count == 5)
    try composed.swap(source, other)
    #expect(
      try DiffableSection.sections(of: composed) == [sections[4]] + Array(sections[..<4]))
  }

  @Test func sectionsWithoutIdentityAreNumbered() throws {
    let plain = PlainSections()
    let sections = try DiffableSection.sections(of: plain)
    #expect(sections.map(\.identity) == ["A", "B", "A", nil, nil])
    #expect(sections.map(\.occurrence) == [0, 0, 1, 0, 1])
    #expect(Set(sections).count == 5)
  }

  @Test func rowsAreIdentifiedByTheirItems() throws {
    let id: Int = try DiffableSection.identity(of: source, at: [3, 0])
    #expect(id == 3)
    let list = try ComposedTableViewDataSource([source])
    let inner: Int = try DiffableSection.identity(of: list, at: [1, 0])
    #expect(inner == 2)
  }

  /// Such a row is deleted and inserted, and was not configured again: its cell kept the old content.
  @Test func aRowThatGoesToANewSectionIsConfiguredAgain() throws {
    let changes = try list.performBatch { sections in
      sections[1].items = []
      sections.insert(Section("New", [2]), at: 1)
    }
    #expect("\(changes)" == "+[1] -[1,0] +[1,0]")
    #expect(try DiffableSection.changedRows(changes, of: source) == [[1, 0]])
    #expect(try DiffableSection.changedRows(changes.compacted, of: source) == [[1, 0]])
    #expect(DiffableSection.changedSections(changes, of: source) == [1])
  }

  @Test func aRowThatIsInsertedAgainIsConfiguredAgain() throws {
    let moved = try list.moveSection(from: 0, to: 2)
    #expect(try DiffableSection.changedRows(moved, of: source) == [[2, 0]])
    #expect(DiffableSection.changedSections(moved, of: source) == [2])
    let changes = try list.performBatch { sections in
      sections[3].items[0] = Item(id: 3, text: " new")
      sections[0].items.append(Item(id: 9))
    }
    #expect(try DiffableSection.changedRows(changes, of: source) == [[3, 0], [0, 1]])
    #expect(DiffableSection.changedSections(changes, of: source) == [])
  }

  @Test func afterAResetAllRowsAreConfiguredAgain() throws {
    let reset = TableChanges.reset(oldSectionCount: 2, newSectionCount: 4)
    #expect(
      try DiffableSection.changedRows(reset, of: source) == [[0, 0], [1, 0], [3, 0]])
    #expect(DiffableSection.changedSections(reset, of: source) == [0, 1, 2, 3])
  }

  @Test func anIdentityOfAnotherTypeIsAnError() {
    let error = #expect(throws: TableDataError.self) {
      let _: String = try DiffableSection.identity(of: source, at: [0, 0])
    }
    #expect(error?.code == .unknownIdentity)
    #expect(error?.message == "the identity of the row [0, 0] is 1, which is not a String")
  }

  /// Sections with titles only.
  private final class PlainSections: ComposableTableViewDataSource {
    weak var observer: (any TableChangesObserver)?
    let titles = ["A", "B", "A", nil, nil]
    var numberOfSections: Int { titles.count }
    func section(_ section: Int) -> TableSection {
      TableSection(numberOfRows: 0, header: TableHeading(titles[section]))
    }
    func row(at indexPath: IndexPath) throws -> TableRow {
      throw TableDataError.rowOutOfRange(indexPath, count: 0)
    }
  }
}
