import Foundation
import TableData
import TableDataTesting
import Testing

struct SectionDataProviderTests {
  let list: SectionDataProvider<Item>
  let harness: ProviderHarness<SectionDataProvider<Item>, Int>

  init() throws {
    list = try SectionDataProvider(sections: [
      Section("Apples", [1, 2, 3]), Section("Avocados", []), Section("Bananas", [4, 5]),
    ])
    harness = try ProviderHarness(list)
    harness.observe()
  }

  @Test func aMoveToWhatIsNoRowIsRefused() throws {
    for path: IndexPath in [[], [0], [0, 0, 0], [0, 3], [3, 0], [-1, 0]] {
      #expect(throws: TableDataError.self) { try list.move(from: [0, 0], to: path) }
      #expect(throws: TableDataError.self) { try list.perform(.move([0, 0], to: path)) }
    }
  }

  @Test func rowEventsAreReportedAsTheirKind() throws {
    #expect(try list.insert(items([6, 7]), at: [1, 0]).description == "+[1,0] +[1,1]")
    #expect(try list.move(from: [0, 0], to: [2, 2]).description == "[0,0]>[2,2]")
    #expect(try list.remove(at: [0, 1]).description == "-[0,1]")
    #expect(
      try list.replace(at: [2, 0], with: Item(id: 4, text: "x")).description == "[2,0]=[2,0]")
    #expect(list.content.map { $0.items.map(\.id) } == [[2], [6, 7], [4, 5, 1]])
    #expect(harness.batches.count == 4)
    try harness.checkObserved()
  }

  @Test func sectionsAreReportedWithTheirRows() throws {
    #expect(
      try list.insertSection(Section("Cherries", [8, 9]), at: 1).description
        == "+[1] +[1,0] +[1,1]")
    #expect(try list.removeSection(at: 2).description == "-[2]")
    #expect(
      try list.moveSection(from: 0, to: 2).description
        == "-[0] +[2] -[0,2] -[0,1] -[0,0] +[2,0] +[2,1] +[2,2]")
    #expect(list.sections.map(\.name) == ["Cherries", "Bananas", "Apples"])
    try harness.checkObserved()
  }

  @Test func theLastRowOfASectionLeavesItEmpty() throws {
    try list.remove(at: [2, 0])
    try list.remove(at: [2, 0])
    #expect(list.sections.map(\.numberOfRows) == [3, 0, 0])
    try harness.checkObserved()
  }

  @Test func aRenamedSectionHasAnotherHeaderAndNoRowEvents() throws {
    let changes = try list.performBatch {
      $0[2].name = "Zucchini"
      $0.insert(Section("0", [70]), at: 0)
    }
    #expect(changes.description == "+[0] [2]=[3] +[0,0]")
    #expect(list.sections[3].indexTitle == "Z")
    #expect(try list.setTitle("Yams", ofSection: 3).description == "[3]=[3]")
    #expect(try list.setTitle("Yams", ofSection: 3).isEmpty)
    #expect(list.sectionIndexTitles().last == "Y")
    try harness.checkObserved()
    #expect(throws: TableDataError.self) { try list.setTitle("", ofSection: 4) }
  }

  @Test func anotherFooterIsAnotherHeader() throws {
    #expect(try list.setFooter("2 fruits", ofSection: 2).description == "[2]=[2]")
    #expect(list.sections[2].footer == "2 fruits")
    #expect(try list.performBatch { $0[0].footer = "3" }.description == "[0]=[0]")
    #expect(try list.performBatch { $0[0].indexTitle = "#" }.description == "[0]=[0]")
    try harness.checkObserved()
  }

  @Test func sectionsOfOneIDStayUnderOtherNames() throws {
    let list = try SectionDataProvider(sections: [
      Section(id: "a", name: "A", items: items([1])),
      Section(id: "b", name: "B", items: items([2])),
    ])
    let harness = try ProviderHarness(list)
    harness.observe()
    try list.setSections([
      Section(id: "b", name: "B", items: items([2])),
      Section(id: "a", name: "C", items: items([1])),
    ])
    try list.setSections([
      Section(id: "b", name: "D", items: items([2])),
      Section(id: "a", name: "C", items: items([1])),
    ])
    #expect(harness.batches.last?.description == "[0]=[0]")
    try harness.checkObserved()
  }

  @Test func sectionsOfOneNameAreDistinguishedByTheirOrder() throws {
    let list = try SectionDataProvider(sections: [Section(nil, [1]), Section(nil, [2])])
    let harness = try ProviderHarness(list)
    harness.observe()
    try list.setSections([Section(nil, [1, 3]), Section(nil, [2]), Section(nil, [4])])
    #expect(harness.batches.map(\.description) == ["+[2] +[0,1] +[2,0]"])
    try harness.checkObserved()
  }

  @Test func aPlaceThatIsNotThereIsRefused() throws {
    typealias Attempt = (code: TableDataError.Code, body: () throws -> TableChanges)
    let attempts: [Attempt] = [
      (.sectionOutOfRange, { try list.insert(Item(id: 9), at: [3, 0]) }),
      (.rowOutOfRange, { try list.insert(Item(id: 9), at: [1, 1]) }),
      (.rowOutOfRange, { try list.remove(at: [1, 0]) }),
      (.malformedIndexPath, { try list.remove(at: [0]) }),
      (.rowOutOfRange, { try list.move(from: [0, 0], to: [0, 3]) }),
      (.rowOutOfRange, { try list.move(from: [0, 0], to: [2, 3]) }),
      (.sectionOutOfRange, { try list.insertSection(Section("X", []), at: 4) }),
      (.sectionOutOfRange, { try list.removeSection(at: -1) }),
      (.sectionOutOfRange, { try list.moveSection(from: 0, to: 3) }),
      (.duplicateIdentity, { try list.insert(Item(id: 4), at: [0, 0]) }),
      (.duplicateIdentity, { try list.insertSection(Section("X", [4]), at: 0) }),
    ]
    for attempt in attempts {
      let error = #expect(throws: TableDataError.self) { try attempt.body() }
      #expect(error?.code == attempt.code)
    }
    #expect(harness.batches.isEmpty)
    try harness.checkObserved()
  }

  @Test func theObserverIsNotKeptAlive() throws {
    var log: ObservationLog? = ObservationLog()
    list.observer = log
    log = nil
    #expect(list.observer == nil)
    try list.remove(at: [0, 0])
  }

  @Test(arguments: SeededGenerator.seeds(40))
  func randomEditsAreFollowed(seed: UInt64) throws {
    var edits = RandomEdits(seed: seed)
    for step in 0..<40 {
      try edits.edit(list)
      #expect(throws: Never.self, "step \(step)") {
        try harness.checkObserved()
        try list.checkInvariants()
      }
    }
  }
}
