import Foundation
import TableData
import TableDataTesting
import Testing

/// Which cell a generator that changes by itself reaches.
struct GeneratorCellTests {
  let form = DataDisplayManager()
  let screen = TableViewController(height: 2) { Issue.record($0) }
  var table: TableView { screen.tableView }
  let first = Field("first")

  init() throws {
    try form.addCellGenerators([first] + fields("b", "c", "d"))
    try screen.setDataSource(form)
  }

  private func text(at path: IndexPath) -> String? {
    (table.cellForRow(at: path) as? FieldCell)?.text
  }

  @Test func aChangeIsShownInTheCellWithoutAskingForAnother() throws {
    let cell = try #require(table.cellForRow(at: [0, 0]))
    first.text = "!"
    try form.update(generators: [first])
    #expect(text(at: [0, 0]) == "first!")
    #expect(table.cellForRow(at: [0, 0]) === cell)
  }

  /// In the original the generator kept its cell, which showed another row by then.
  @Test func aCellThatShowsAnotherRowIsNotTouched() throws {
    let cell = try #require(table.cellForRow(at: [0, 0]) as? FieldCell)
    try table.setContentOffset(2)
    #expect(["c", "d"].contains(cell.text))
    first.text = "!"
    try form.update(generators: [first])
    #expect([text(at: [0, 2]), text(at: [0, 3])] == ["c", "d"])
    #expect(first.builds == 1)
    try table.setContentOffset(0)
    #expect(text(at: [0, 0]) == "first!")
    try form.update(generators: [first])
  }

  /// The other component makes its cells by the same identifier: the form is not asked when one of
  /// them is used again.
  @Test func aCellThatShowsARowOfAnotherComponentIsNotTouched() throws {
    let other = DataDisplayManager()
    try other.addCellGenerators(fields("x", "y", "z"))
    try screen.setDataSource(nil)
    let list = try ComposedTableViewDataSource([form, other])
    try screen.setDataSource(list)
    try table.setContentOffset(5)
    first.text = "!"
    try form.update(generators: [first])
    #expect([text(at: [1, 1]), text(at: [1, 2])] == ["y", "z"])
  }

  /// In the original the completion wrote into the cell, which showed another row by then.
  @Test func aLateImageIsShownWhereItsRowIsThenAndNowhereElse() throws {
    final class Picture: TableCellGenerator, ViewBuilding {
      private(set) var image = "…"
      weak var form: DataDisplayManager?

      func build(view: FieldCell) { view.text = image }

      func imageDidLoad(_ image: String) throws {
        self.image = image
        try form?.update(generators: [self])
      }
    }
    let picture = Picture()
    picture.form = form
    try form.insert([picture], at: [0, 0])
    #expect(text(at: [0, 0]) == "…")
    // The cell is used for another row, then the image is there.
    try table.setContentOffset(2)
    let cells = table.visibleCells.map { ($0 as? FieldCell)?.text }
    try picture.imageDidLoad("sea")
    #expect(table.visibleCells.map { ($0 as? FieldCell)?.text } == cells)
    // Back in the window it has it, and a better one comes where it is.
    try table.setContentOffset(0)
    #expect(text(at: [0, 0]) == "sea")
    try picture.imageDidLoad("sea, large")
    #expect(text(at: [0, 0]) == "sea, large")
  }

  @Test func aCellThatWaitsForAnotherRowIsNotTouched() throws {
    let cell = try #require(table.cellForRow(at: [0, 0]) as? FieldCell)
    try screen.setDataSource(nil)
    first.text = "!"
    try form.update(generators: [first])
    #expect(cell.text == "first")
  }

  @Test func aCellMovesWithItsRow() throws {
    try form.insert(fields("new"), at: [0, 0])
    first.text = "!"
    try form.update(generators: [first])
    #expect(text(at: [0, 1]) == "first!")
  }

  @Test func aGeneratorThatWasRemovedReachesNoCell() throws {
    try form.remove(first)
    first.text = "!"
    let error = #expect(throws: TableDataError.self) { try form.update(generators: [first]) }
    #expect(error?.code == .unknownGenerator)
    #expect([text(at: [0, 0]), text(at: [0, 1])] == ["b", "c"])
  }

  @Test func anotherGeneratorOfTheSameIDIsNotMistakenForIt() throws {
    try form.remove(first)
    try form.insert(fields("first"), at: [0, 0])
    first.text = "!"
    try form.update(generators: [first])
    #expect(text(at: [0, 0]) == "first")
  }

  /// In the original the generator held its cell.
  @Test func noCellIsKeptAlive() throws {
    weak var cell: TableViewCell?
    do {
      try screen.setDataSource(nil)
      let table = TableView()
      table.dataSource = form
      try table.reloadData()
      cell = table.cellForRow(at: [0, 0])
      #expect(cell != nil)
    }
    #expect(cell == nil)
    try form.update(generators: [first])
  }

  @Test func theFormIsNotKeptAliveByItsGenerators() throws {
    weak var form: DataDisplayManager?
    let field = Field("field")
    do {
      let manager = DataDisplayManager()
      try manager.addCellGenerator(field)
      form = manager
    }
    #expect(form == nil)
  }

  // MARK: Wrong cells

  @Test func aCellOfAnotherClassIsNotBuilt() {
    let error = #expect(throws: TableDataError.self) {
      try TableCell(builtBy: Field.self).show(first, in: TableViewCell(reuseIdentifier: nil))
    }
    #expect(error?.code == .wrongCell)
    #expect(
      error?.message == "a Field needs a cell of class FieldCell, but got a TableViewCell")
  }

  @Test func aGeneratorWithoutACellIsAnError() throws {
    final class Bare: TableCellGenerator {}
    try form.addCellGenerator(Bare())
    let error = #expect(throws: TableDataError.self) { try form.row(at: [0, 4]).cell }
    #expect(error?.code == .missingCell)
    #expect(error?.message == "Bare has no cell")
  }
}
