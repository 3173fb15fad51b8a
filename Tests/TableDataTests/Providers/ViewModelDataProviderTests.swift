import Foundation
import TableData
import Testing

struct ViewModelDataProviderTests {
  /// The least a provider must have.
  private final class Planets: ViewModelDataProvider {
    weak var observer: (any TableChangesObserver)?
    let sections: [SectionInfo]

    init(_ sections: [SectionInfo]) { self.sections = sections }

    func item(at indexPath: IndexPath) throws -> String { "\(indexPath)" }
  }

  private let planets = Planets([
    SectionInfo(name: "rocky", numberOfRows: 4), SectionInfo(name: nil, numberOfRows: 0),
    SectionInfo(name: "Ringed", numberOfRows: 1), SectionInfo(name: "gas", numberOfRows: 4),
  ])

  @Test func theRestFollowsFromTheSections() throws {
    #expect(planets.numberOfSections == 4)
    #expect(try (0..<4).map { try planets.numberOfRows(inSection: $0) } == [4, 0, 1, 4])
    #expect(
      try (0..<4).map { try planets.title(forSection: $0) } == ["rocky", nil, "Ringed", "gas"])
    #expect(planets.sectionIndexTitles() == ["R", "G"])
    #expect(try planets.section(forSectionIndexTitle: "R", at: 0) == 0)
    #expect(try planets.section(forSectionIndexTitle: "G", at: 1) == 3)
    #expect(try planets.section(forSectionIndexTitle: "G", at: 0) == 3)
  }

  @Test(arguments: [-1, 4, Int.max, Int.min])
  func aSectionOutOfRangeThrowsAndNamesTheCount(section: Int) {
    for error in [
      #expect(throws: TableDataError.self) { try planets.numberOfRows(inSection: section) },
      #expect(throws: TableDataError.self) { try planets.title(forSection: section) },
    ] {
      #expect(error?.code == .sectionOutOfRange)
      #expect(error?.message == "there is no section \(section): the list has 4")
    }
  }

  @Test func anUnknownIndexTitleThrows() {
    let error = #expect(throws: TableDataError.self) {
      try planets.section(forSectionIndexTitle: "X", at: 0)
    }
    #expect(error?.code == .unknownIndexTitle)
  }

  @Test func anEmptyProviderHasNothing() {
    let empty = Planets([])
    #expect(empty.numberOfSections == 0)
    #expect(empty.sectionIndexTitles().isEmpty)
    #expect(throws: TableDataError.self) { try empty.numberOfRows(inSection: 0) }
    #expect(throws: TableDataError.self) { try empty.title(forSection: 0) }
  }

  @Test func aProviderCanBeUsedWithoutKnowingItsType() throws {
    let provider: any ViewModelDataProvider<String> = planets
    #expect(try provider.itemForRow(at: [2, 0]) == "[2, 0]")
  }

  // MARK: Edits

  private final class Editable: EditableDataProvider {
    weak var observer: (any TableChangesObserver)?
    private(set) var edits: [String] = []
    var sections: [SectionInfo] { [SectionInfo(name: nil, numberOfRows: 2)] }
    func item(at indexPath: IndexPath) -> Item { Item(id: indexPath.row) }
    func perform(_ edit: RowEdit<Item>) throws { edits.append("\(edit.target)") }
  }

  @Test func thePlaceOfAnInsertedRowIsChecked() throws {
    let list = Editable()
    let source = try TableViewDataSource(dataProvider: list)
    let places: [(IndexPath, TableDataError.Code)] = [
      ([0, 3], .rowOutOfRange), ([0, -1], .rowOutOfRange), ([1, 1], .sectionOutOfRange),
      ([-1, 0], .sectionOutOfRange), ([0], .malformedIndexPath), ([], .malformedIndexPath),
    ]
    for (place, code) in places {
      for error in [
        #expect(throws: TableDataError.self) { try list.insertRow(Item(id: 9), at: place) },
        #expect(throws: TableDataError.self) {
          try source.perform(.insert(Item(id: 9), at: place))
        },
        #expect(throws: TableDataError.self) {
          try list.destination(of: .insert(Item(id: 9), at: place))
        },
      ] { #expect(error?.code == code) }
    }
    try list.insertRow(Item(id: 9), at: [0, 2])
    // The first row of a new section.
    try list.insertRow(Item(id: 9), at: [1, 0])
    #expect(list.edits == ["[0, 2]", "[1, 0]"])
  }

  @Test func noEditOfARowThatDoesNotExistLeadsAnywhere() throws {
    let list = try ArrayDataProvider(items: items([1, 2]))
    for edit in [
      .delete([0, 2]), .delete([]), .move([0, 2], to: [0, 0]), .move([0, 0], to: [0, 2]),
      .move([0, 0], to: [1, 0]), .insert(Item(id: 9), at: [0, 3]),
      .insert(Item(id: 9), at: [1, 0]),
    ] as [RowEdit<Item>] {
      #expect(throws: TableDataError.self) { try list.destination(of: edit) }
    }
    #expect(try list.destination(of: .insert(Item(id: 9), at: [0, 2])) == [0, 2])
    #expect(try list.destination(of: .move([0, 1], to: [0, 0])) == [0, 0])
  }
}
