import Foundation
import TableData
import TableDataTesting
import Testing

/// What a table says of the rows that it displays, and changes that are made meanwhile (contract, rule 28).
struct DisplayEventTests {
  /// A provider that notes its display events and reacts to them.
  final class Watched: RowDisplayObserver, TableChangesObserver {
    weak var observer: (any TableChangesObserver)?
    let list: ArrayDataProvider<Item>
    var events: [String] = []
    var onDisplay: (IndexPath) throws -> Void = { _ in }
    var onEnd: () throws -> Void = {}

    init(_ count: Int) throws {
      list = try ArrayDataProvider(items: items(0..<count))
      list.observer = self
    }

    var sections: [SectionInfo] { list.sections }
    func item(at indexPath: IndexPath) throws -> Item {
      try list.itemForRow(at: indexPath)
    }
    func willDisplayRow(at indexPath: IndexPath) throws {
      events.append("+\(try itemForRow(at: indexPath).id)")
      try onDisplay(indexPath)
    }
    func didEndDisplayingRow(withIdentity identity: AnyHashable) {
      events.append("-\(identity)")
      do { try onEnd() } catch { events.append("\(error)") }
    }
  }

  /// A cell that reacts to being configured.
  final class Reacting: TableViewCell, Configurable {
    struct Model: ItemViewModel {
      let id: Int
      var react: (() -> Void)?
    }
    private(set) var id = -1

    func configure(with viewModel: Model) {
      id = viewModel.id
      viewModel.react?()
    }
  }

  let watched: Watched
  let source: TableViewDataSource<Watched>
  let screen: TableViewController
  final class Errors { var all: [any Error] = [] }
  let errors = Errors()

  init() throws {
    watched = try Watched(10)
    source = try .showing(watched)
    screen = TableViewController(height: 3) { [errors] in errors.all.append($0) }
  }

  private var events: [String] {
    defer { watched.events = [] }
    return watched.events
  }

  private var shown: [String] {
    screen.tableView.visibleCells.map { ($0 as? ItemCell)?.text ?? "?" }
  }

  @Test func rowsAreReportedWhenTheyAppearAndDisappear() throws {
    try screen.setDataSource(source)
    #expect(events == ["+0", "+1", "+2"])
    try screen.tableView.setContentOffset(2)
    #expect(Set(events) == ["-0", "-1", "+3", "+4"])
    try watched.list.remove(at: 3)
    #expect(events == ["-3", "+5"])
    try watched.list.replace(at: 2, with: Item(id: 2, text: "!"))
    // It keeps its cell, which stays displayed.
    #expect(events == [])
    #expect(shown.first == "2!")
    try screen.setDataSource(nil)
    #expect(Set(events) == ["-2", "-4", "-5"])
  }

  @Test func theLastRowIsReported() throws {
    var count = 0
    source.onLastRow = { count += 1 }
    try screen.setDataSource(source)
    #expect(count == 0)
    try screen.tableView.setContentOffset(100)
    #expect(count == 1)
  }

  @Test func inACompositionEachComponentHasItsEventsAndItsLastRow() throws {
    let other = try Watched(2)
    let otherSource = try TableViewDataSource.showing(other)
    let list = try ComposedTableViewDataSource([
      try ComposedTableViewDataSource([otherSource]), source,
      try TableViewDataSource.showing(try ArrayDataProvider<Item>(items: [])),
    ])
    var last: [String] = []
    otherSource.onLastRow = { last.append("other") }
    source.onLastRow = { last.append("watched") }
    list.onLastRow = { last.append("list") }
    try screen.setDataSource(list)
    #expect(other.events == ["+0", "+1"])
    #expect(events == ["+0"])
    #expect(last == ["other"])
    try screen.tableView.setContentOffset(100)
    #expect(other.events == ["+0", "+1", "-0", "-1"] || other.events == ["+0", "+1", "-1", "-0"])
    #expect(events == ["-0", "+7", "+8", "+9"])
    #expect(last == ["other", "watched", "list"])
  }

  // MARK: Rule 28

  /// The changes were refused as "while the data source is being asked", and were lost.
  @Test func aChangeFromADisplayEventIsTheNextBatch() throws {
    watched.onDisplay = { [watched] path in
      guard path == [0, 1], watched.list.items.count == 10 else { return }
      try watched.list.remove(at: 0)
      try watched.list.insert(Item(id: 99), at: 0)
      try watched.list.append(Item(id: 100))
    }
    try screen.setDataSource(source)
    #expect(errors.all.isEmpty)
    #expect(shown == ["99", "1", "2"])
    #expect(screen.tableView.numbersOfRows == [11])
  }

  @Test func aChangeFromConfigureIsTheNextBatch() throws {
    let list = try ArrayDataProvider<Reacting.Model>(items: [])
    var reactions = 0
    let first = Reacting.Model(id: 0) {
      guard reactions == 0 else { return }
      reactions += 1
      #expect(throws: Never.self) {
        // Rows after the cell that is being made, and that row itself.
        try list.remove(at: 2)
        try list.replace(at: 0, with: Reacting.Model(id: 0))
        try list.move(from: 0, to: 1)
      }
    }
    try list.insert([first] + (1..<5).map { Reacting.Model(id: $0) }, at: 0)
    let source = try TableViewDataSource(dataProvider: list)
    source.registerCell(Reacting.self, identifier: "r", for: Reacting.Model.self)
    try screen.setDataSource(source)
    #expect(errors.all.isEmpty)
    #expect(reactions == 1)
    #expect(screen.tableView.visibleCells.map { ($0 as? Reacting)?.id } == [1, 0, 3])
    #expect(screen.tableView.numbersOfRows == [4])
  }

  @Test func changesThatCancelEachOtherLeaveAFullWindow() throws {
    watched.onDisplay = { [watched] path in
      guard path == [0, 0] else { return }
      watched.onDisplay = { _ in }
      try watched.list.insert(Item(id: 50), at: 0)
      try watched.list.remove(at: 0)
    }
    try screen.setDataSource(source)
    #expect(shown == ["0", "1", "2"])
    #expect(Set(events) == ["+0", "+1", "+2"])
  }

  @Test func aChangeWhenARowEndsToBeDisplayedIsShown() throws {
    try screen.setDataSource(source)
    watched.onEnd = { [watched] in
      watched.onEnd = {}
      try watched.list.remove(at: 9)
    }
    try screen.tableView.setContentOffset(7)
    #expect(shown == ["6", "7", "8"])
    #expect(errors.all.isEmpty)
  }

  /// After the batch of the update the data source has another state, and moved rows are still to be
  /// reloaded.
  @Test func aChangeWhileAMoveIsShownComesAfterTheMove() throws {
    try screen.setDataSource(source)
    watched.onDisplay = { [watched] _ in
      watched.onDisplay = { _ in }
      try watched.list.remove(at: 0)
    }
    try watched.list.performBatch { items in
      items.insert(items.remove(at: 9), at: 1)
      items.append(Item(id: 77))
    }
    #expect(errors.all.isEmpty)
    #expect(shown == ["9", "1", "2"])
    #expect(screen.tableView.numbersOfRows == [10])
  }

  @Test func theSelectionIsShownAfterTheDeferredChange() throws {
    watched.onDisplay = { [watched, screen] path in
      guard path == [0, 0] else { return }
      watched.onDisplay = { _ in }
      try watched.list.insert(Item(id: 50), at: 0)
      screen.selection.select(50)
    }
    try screen.setDataSource(source)
    #expect(errors.all.isEmpty)
    #expect(screen.tableView.indexPathForSelectedRow == [0, 0])
    #expect(shown.first == "50")
  }

  @Test func theDataSourceMayBeReplacedInADisplayEvent() throws {
    let other = try TableViewDataSource.showing(try ArrayDataProvider(items: items([7])))
    watched.onDisplay = { [screen] path in
      guard path == [0, 1] else { return }
      try screen.setDataSource(other)
    }
    try screen.setDataSource(source)
    #expect(shown == ["7"])
    #expect(errors.all.isEmpty)
  }

  @Test func anErrorOfADisplayEventIsThrownByTheScroll() throws {
    struct Failure: Error {}
    try screen.setDataSource(source)
    watched.onDisplay = { _ in throw Failure() }
    #expect(throws: Failure.self) { try screen.tableView.setContentOffset(4) }
    watched.onDisplay = { _ in }
    try screen.tableView.setContentOffset(4)
    #expect(shown == ["4", "5", "6"])
  }

  /// Edits a list now and then. An edit may lead to the next one while it is made.
  private final class Reactions {
    var remaining = 0
    private var seed: UInt64

    init(seed: UInt64) { self.seed = seed + 1_000 }

    func edit(_ list: ArrayDataProvider<Item>) throws {
      seed += 7_919
      var edits = RandomEdits(seed: seed, firstNumber: 10_000 + Int(seed % 1_000_000) * 10)
      guard remaining > 0, edits.number(in: 0..<3) == 0 else { return }
      remaining -= 1
      try edits.edit(list)
    }
  }

  @Test(arguments: SeededGenerator.seeds(30))
  func randomChangesFromDisplayEventsAreFollowed(seed: UInt64) throws {
    var edits = RandomEdits(seed: seed)
    let reacting = Reactions(seed: seed)
    watched.onDisplay = { [watched] _ in try reacting.edit(watched.list) }
    watched.onEnd = { [watched] in try reacting.edit(watched.list) }
    try screen.setDataSource(source)
    for step in 0..<40 {
      reacting.remaining = 6
      if edits.number(in: 0..<2) == 0 {
        try edits.edit(watched.list)
      } else {
        try screen.tableView.setContentOffset(edits.number(in: 0..<12))
      }
      let table = screen.tableView
      let items = watched.list.items
      let offset = max(0, min(table.contentOffset, items.count - 3))
      #expect(errors.all.isEmpty, "seed \(seed), step \(step)")
      #expect(table.numbersOfRows == [items.count], "seed \(seed), step \(step)")
      #expect(
        shown == items[offset...].prefix(3).map { "\($0.id)\($0.text)" },
        "seed \(seed), step \(step)")
    }
  }
}
