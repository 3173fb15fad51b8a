import Foundation
import TableData
import TableDataTesting
import Testing

/// What is selected, on one screen and on several.
struct ScreenSelectionTests {
  let selection = Selection()
  let screen: TableViewController
  let provider: SectionDataProvider<Item>
  let source: TableViewDataSource<SectionDataProvider<Item>>

  init() throws {
    screen = TableViewController(selection: selection) { Issue.record($0) }
    provider = try SectionDataProvider(sections: [Section("A", [1, 2, 3]), Section("B", [4])])
    source = try .showing(provider)
    try screen.setDataSource(source)
  }

  @Test func selectingARowSelectsItsItem() throws {
    try screen.selectRow(at: [0, 1])
    #expect(selection.identity(as: Int.self) == 2)
    #expect(screen.tableView.indexPathForSelectedRow == [0, 1])
  }

  /// In the original it was a row number.
  @Test func theSelectionFollowsTheItemAndNotTheRow() throws {
    try screen.selectRow(at: [0, 1])
    try provider.remove(at: [0, 0])
    try provider.move(from: [0, 0], to: [1, 0])
    #expect(screen.tableView.indexPathForSelectedRow == [1, 0])
    #expect(selection.identity(as: Int.self) == 2)
  }

  @Test func whatIsSelectedElsewhereIsSelectedHere() throws {
    selection.select(4)
    #expect(screen.tableView.indexPathForSelectedRow == [1, 0])
    selection.select(99)
    #expect(screen.tableView.indexPathForSelectedRow == nil)
    // As soon as it is there.
    try provider.insert(Item(id: 99), at: [0, 0])
    #expect(screen.tableView.indexPathForSelectedRow == [0, 0])
    selection.select(nil)
    #expect(screen.tableView.indexPathForSelectedRow == nil)
  }

  @Test func aDeletedItemStaysSelectedOnScreensThatStillShowIt() throws {
    try screen.selectRow(at: [0, 0])
    try provider.remove(at: [0, 0])
    #expect(screen.tableView.indexPathForSelectedRow == nil)
    #expect(selection.identity(as: Int.self) == 1)
  }

  @Test func twoScreensShowOneSelection() throws {
    let other = TableViewController(selection: selection) { _ in }
    try other.setDataSource(
      try TableViewDataSource.showing(try ArrayDataProvider(items: items([4, 3, 2]))))
    try screen.selectRow(at: [0, 2])
    #expect(other.tableView.indexPathForSelectedRow == [0, 1])
    try other.selectRow(at: [0, 2])
    #expect(screen.tableView.indexPathForSelectedRow == [0, 1])
  }

  @Test func aRowOfAComponentIsSelectedByWhatItIsThere() throws {
    let list = try ComposedTableViewDataSource([
      try TableViewDataSource.showing(try ArrayDataProvider(items: items([1, 4])))
    ])
    try screen.setDataSource(list)
    try list.append(source)
    // Both components have a 4: the one that was meant stays selected.
    try screen.selectRow(at: [2, 0])
    #expect(selection.identity(as: Int.self) == 4)
    #expect(screen.tableView.indexPathForSelectedRow == [2, 0])
    try provider.insert(Item(id: 9), at: [1, 0])
    #expect(screen.tableView.indexPathForSelectedRow == [2, 1])
    selection.select(3)
    #expect(screen.tableView.indexPathForSelectedRow == [1, 2])
  }

  @Test func anotherRowOfThatIdentityIsNotTakenForTheDeletedOne() throws {
    let array = try ArrayDataProvider(items: items([1, 4]))
    let list = try ComposedTableViewDataSource([try TableViewDataSource.showing(array)])
    try screen.setDataSource(list)
    try list.append(source)
    try screen.selectRow(at: [2, 0])
    try provider.remove(at: [1, 0])
    #expect(screen.tableView.indexPathForSelectedRow == nil)
    #expect(selection.identity(as: Int.self) == 4)
    // As soon as it is there again.
    try provider.insert(Item(id: 4), at: [0, 0])
    #expect(screen.tableView.indexPathForSelectedRow == [1, 0])
    try screen.setDataSource(nil)
    try screen.setDataSource(
      try TableViewDataSource.showing(try ArrayDataProvider(items: items([4]))))
    #expect(screen.tableView.indexPathForSelectedRow == [0, 0])
  }

  @Test func aRowDeletedBecauseOfItsSelectionIsNotSelected() throws {
    final class Closing: TableCellGenerator, ViewBuilder {
      let close: (Closing) -> Void
      init(close: @escaping (Closing) -> Void) { self.close = close }
      func build(view: FieldCell) {}
      func didSelect() { close(self) }
    }
    let form = DataDisplayManager()
    try form.addCellGenerator(
      Closing { generator in
        do { try form.remove(generator) } catch { Issue.record(error) }
      })
    try screen.setDataSource(form)
    try screen.selectRow(at: [0, 0])
    #expect(selection.identity == nil)
    #expect(form.cellGenerators.isEmpty)
  }
}
