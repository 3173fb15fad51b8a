import Foundation
import Testing

@testable import TableData

struct DiffableSectionTests {
  private let source: TableViewDataSource<SectionDataProvider<Item>>

  init() throws {
    source = try TableViewDataSource(
      dataProvider: try SectionDataProvider(sections: [
        Section("A", [1]), Section("B", [2]), Section("A", []), Section(nil, [3]),
      ]))
  }

  @Test func sectionsOfOneTitleAreDistinguished() throws {
    let sections = try DiffableSection.sections(of: source)
    #expect(sections.map(\.title) == ["A", "B", "A", nil])
    #expect(sections.map(\.occurrence) == [0, 0, 1, 0])
    #expect(Set(sections).count == 4)
  }

  @Test func rowsAreIdentifiedByTheirItems() throws {
    let id: Int = try DiffableSection.identity(of: source, at: [3, 0])
    #expect(id == 3)
    let list = try ComposedTableViewDataSource([source])
    let inner: Int = try DiffableSection.identity(of: list, at: [1, 0])
    #expect(inner == 2)
  }

  @Test func anIdentityOfAnotherTypeIsAnError() {
    let error = #expect(throws: TableDataError.self) {
      let _: String = try DiffableSection.identity(of: source, at: [0, 0])
    }
    #expect(error?.code == .unknownIdentity)
    #expect(error?.message == "the identity of the row [0, 0] is 1, which is not a String")
  }
}
