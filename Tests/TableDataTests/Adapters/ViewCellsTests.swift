import Foundation
import Testing

@testable import TableData

/// The cells of UIKit and AppKit, with the cells of a headless table in the place of views.
struct ViewCellsTests {
  private final class Plain: TableViewCell {}
  private final class Other: TableViewCell {}
  private struct Note: ItemViewModel { let id: Int }

  private func source(_ ids: Int...) throws -> TableViewDataSource<ArrayDataProvider<Item>> {
    try TableViewDataSource(dataProvider: try ArrayDataProvider(items: items(ids)))
  }

  private func register<View: TableViewCell>(
    _ view: View.Type, _ identifier: String, in cells: inout ViewCells,
    show: @escaping (View, Item) -> Void = { _, _ in }
  ) throws {
    try cells.register(
      view, identifier: identifier, for: Item.self, make: { _ in nil }, show: show)
  }

  @Test func twoComponentsShowOneTypeInTwoCells() throws {
    let (first, second, third) = (try source(1), try source(2), try source(3))
    try register(Plain.self, "plain", in: &first.viewCells)
    try register(Other.self, "other", in: &second.viewCells)
    let list = try ComposedTableViewDataSource([
      try ComposedTableViewDataSource([first]), second, third,
    ])
    var own = ViewCells()
    try register(Plain.self, "own", in: &own)
    let identifiers = try (0..<3).map { section in
      let path = IndexPath(row: 0, section: section)
      return try own.cell(for: list.viewModelForRow(at: path), at: path, of: list).identifier
    }
    #expect(identifiers == ["plain", "other", "own"])
  }

  @Test func aCellShowsItsViewModel() throws {
    var cells = ViewCells()
    var shown: [Int] = []
    try register(Plain.self, "plain", in: &cells) { _, item in shown.append(item.id) }
    let cell = try cells.cell(for: Item(id: 7))
    try cell.registration.configure(Plain(reuseIdentifier: nil), Item(id: 7))
    #expect(shown == [7])
    let error = #expect(throws: TableDataError.self) {
      try cell.registration.configure(Other(reuseIdentifier: nil), Item(id: 7))
    }
    #expect(error?.code == .wrongCell)
  }

  @Test func aTypeWithoutACellIsAnError() throws {
    let list = try source(1)
    let note = Note(id: 1)
    let none = #expect(throws: TableDataError.self) {
      try ViewCells().cell(for: note, at: [0, 0], of: list)
    }
    #expect(none?.code == .unregisteredViewModel)
    // The component has cells, so the adapter's own are not looked at.
    try register(Plain.self, "plain", in: &list.viewCells)
    let error = #expect(throws: TableDataError.self) {
      try ViewCells().cell(for: note, at: [0, 0], of: list)
    }
    #expect(error?.nextStep?.hasSuffix(#"Plain ("plain")"#) == true)
  }

  @Test func aTableHasOneClassForAnIdentifier() throws {
    var (first, second) = (ViewCells(), ViewCells())
    try register(Plain.self, "cell", in: &first)
    try register(Other.self, "cell", in: &second)
    var prepared = PreparedCells()
    #expect(try prepared.add(first.cell(for: Item(id: 1))))
    #expect(try !prepared.add(first.cell(for: Item(id: 2))))
    let error = #expect(throws: TableDataError.self) {
      try prepared.add(second.cell(for: Item(id: 1)))
    }
    #expect(error?.code == .duplicateRegistration)
    #expect(try !prepared.add(first.cell(for: Item(id: 3))))
  }
}
