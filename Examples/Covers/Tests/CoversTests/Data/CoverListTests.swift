import FetchedResults
import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import Covers

@Suite struct CoverListTests {
  private let controller: DataController
  private let list: CoverList

  init() throws {
    controller = try Store.sample()
    list = try controller.makeList()
    try list.performFetch()
  }

  @Test func coversAreInSectionsByArtist() throws {
    #expect(try list.text == "Ada: Engines, Notes, Tables; Bix: Cornet")
    #expect(list.sectionIndexTitles() == ["A", "B"])
    #expect(try list.identityForRow(at: [0, 1]) == AnyHashable(Int64(2)))
    #expect(try list.indexPath(forIdentity: AnyHashable(Int64(4))) == [1, 0])
    #expect(try list.indexPath(forIdentity: AnyHashable("4")) == nil)
  }

  @Test func artistsAreInOrderWhateverTheirCaseAndStayApart() throws {
    for artist in ["bob", "ada", "Émile", "Cy"] {
      try controller.add(CoverDraft(artist: artist, label: "x"))
    }
    try list.base.refresh()
    #expect(list.sections.map(\.name) == ["Ada", "ada", "Bix", "bob", "Cy", "Émile"])
  }

  @Test func changesAreFoundWithoutReadingAllCovers() {
    #expect(list.base.maintenance == .touchedRows)
  }

  @Test func aNewCoverIsTheLastOrTheFirstOfItsArtist() throws {
    try controller.add(CoverDraft(artist: "Ada", label: "Last"))
    try controller.add(CoverDraft(artist: "Ada", label: "First"), first: true)
    try controller.add(CoverDraft(artist: "Abe", label: "New"))
    #expect(try list.base.refresh().description == "+[0] +[0,0] +[1,0] +[1,4]")
    #expect(try list.text == "Abe: New; Ada: First, Engines, Notes, Tables, Last; Bix: Cornet")
  }

  @Test func aDeletedCoverIsReportedAsOneDelete() throws {
    try list.removeRow(at: [0, 1])
    #expect(try list.text == "Ada: Engines, Notes, Tables; Bix: Cornet")
    #expect(try list.base.refresh().description == "-[0,1]")
    try list.removeRow(at: [1, 0])
    #expect(try list.base.refresh().description == "-[1] -[1,0]")
    #expect(try list.text == "Ada: Engines, Tables")
    #expect(try controller.delete(99) == false)
  }

  @Test func aMovedCoverIsReportedAsOneMove() throws {
    try list.moveRow(at: [0, 0], to: [0, 2])
    #expect(try list.base.refresh().description == "[0,0]>[0,2]")
    try list.moveRow(at: [0, 2], to: [0, 1])
    #expect(try list.base.refresh().movedRows.count == 1)
    #expect(try list.text == "Ada: Notes, Engines, Tables; Bix: Cornet")
  }

  @Test func aMoveWritesOneRowAlsoManyTimesBetweenTheSameCovers() throws {
    for _ in 0..<20 {
      try list.moveRow(at: [0, 2], to: [0, 1])
      #expect(try list.base.refresh().description == "[0,2]>[0,1]")
    }
    #expect(try list.text == "Ada: Engines, Notes, Tables; Bix: Cornet")
  }

  @Test func coversBetweenPositionsOfOtherProgramsCanBeMoved() throws {
    try controller.database.write { try $0.execute("UPDATE cover SET position = '5'") }
    try list.base.refresh()
    #expect(try list.text == "Ada: Engines, Notes, Tables; Bix: Cornet")
    try list.moveRow(at: [0, 2], to: [0, 1])
    try list.base.refresh()
    #expect(try list.text == "Ada: Engines, Tables, Notes; Bix: Cornet")
    try list.moveRow(at: [1, 0], to: [0, 0])
    try list.base.refresh()
    #expect(try list.text == "Ada: Cornet, Engines, Tables, Notes")
  }

  @Test func aCoverCanBeGivenToAnotherArtist() throws {
    try list.moveRow(at: [0, 1], to: [1, 0])
    // The artist has a cover of another year now.
    let changes = try list.base.refresh()
    #expect(changes.updatedSections.map(\.new) == [1])
    #expect(changes.movedRows == [.init(from: [0, 1], to: [1, 0])])
    #expect(changes.rowCount == 1)
    #expect(try list.text == "Ada: Engines, Tables; Bix: Notes, Cornet")
  }

  @Test func aMoveToWhereNothingIsIsRefused() throws {
    #expect(throws: TableDataError.self) {
      try list.moveRow(at: [0, 0], to: [0, 3])
    }
    #expect(throws: TableDataError.self) {
      try list.moveRow(at: [0, 0], to: [2, 0])
    }
    let error = #expect(throws: CoverError.self) {
      try controller.move(1, toArtist: "Nobody", after: nil)
    }
    guard case .gone? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try list.base.refresh().isEmpty)
  }

  @Test func searchingReportsInsertedAndDeletedCovers() throws {
    #expect(try list.search("N").description == "-[0,2]")
    #expect(try list.text == "Ada: Engines, Notes; Bix: Cornet")
    #expect(try list.search("no").description == "-[1] -[1,0] -[0,0]")
    #expect(list.searchText == "no")
    let changes = try list.search("bix")
    #expect(changes.deletedSections == [0] && changes.insertedSections == [0])
    #expect(changes.deletedRows == [[0, 0]] && changes.insertedRows == [[0, 0]])
    try list.search("%")
    #expect(try list.text == "")
    try list.search("")
    #expect(try list.text == "Ada: Engines, Notes, Tables; Bix: Cornet")
  }

  @Test func coversThatASearchHidesKeepTheirOrder() throws {
    try controller.add(CoverDraft(artist: "Ada", label: "Notes II"))
    try list.base.refresh()
    try list.search("notes")
    #expect(try list.text == "Ada: Notes, Notes II")
    try list.moveRow(at: [0, 1], to: [0, 0])
    #expect(try list.base.refresh().description == "[0,1]>[0,0]")
    try list.search("")
    #expect(try list.text == "Ada: Notes II, Engines, Notes, Tables; Bix: Cornet")
  }
}
