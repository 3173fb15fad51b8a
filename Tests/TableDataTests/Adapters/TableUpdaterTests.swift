import Foundation
import TableDataTesting
import Testing

@testable import TableData

/// A table that shows a drag before its data source moves the row, as those of UIKit do.
struct TableUpdaterTests {
  /// The rows on the screen, and what the updater did to them.
  private final class DragScreen {
    let source: any ComposableTableViewDataSource
    var rows: [[Int]] = []
    var batches: [String] = []
    var refreshed: [IndexPath] = []
    var errors: [any Error] = []
    var updater: TableUpdater?

    init(_ source: any ComposableTableViewDataSource) throws {
      self.source = source
      rows = try content()
      updater = try TableUpdater(
        source, onError: { [unowned self] in errors.append($0) },
        show: { [unowned self] in try show($0) },
        showAgain: { [unowned self] paths in
          refreshed += paths
          for path in paths { rows[path.section][path.row] = try content()[path.section][path.row] }
        })
    }

    func content() throws -> [[Int]] {
      try (0..<source.numberOfSections).map { section in
        try (0..<(try source.numberOfRows(inSection: section))).map { row in
          let path = IndexPath(row: row, section: section)
          return try #require(source.row(at: path).viewModel as? Item).id
        }
      }
    }

    private func show(_ changes: TableChanges) throws {
      batches.append("\(changes)")
      let new = try content()
      try changes.validate(oldCounts: rows.map(\.count), newCounts: new.map(\.count))
      rows = try changes.applied(to: rows, newSection: { new[$0] }) { new[$0.section][$0.row] }
    }

    /// The user drags a row: the table shows it there, and then asks the data source.
    func drag(_ from: IndexPath, _ to: IndexPath) {
      rows[to.section].insert(rows[from.section].remove(at: from.row), at: to.row)
      updater?.moveRow(at: from, to: to)
      #expect(batches.isEmpty, "the table may not be changed while it asks")
      updater?.showPending()
    }
  }

  /// A data source that makes of a move whatever the test wants.
  private final class Rows: ComposableTableViewDataSource, TableChangesObserver {
    weak var observer: (any TableChangesObserver)?
    let base: TableViewDataSource<SectionDataProvider<Item>>
    var move: (IndexPath, IndexPath) throws -> Void = { _, _ in }

    var provider: SectionDataProvider<Item> { base.dataProvider }

    init(_ sections: [Int]...) throws {
      let sections = sections.map { Section<Item>(nil, $0) }
      base = try TableViewDataSource(dataProvider: try SectionDataProvider(sections: sections))
      base.observer = self
      move = { [base] in try base.perform(.move($0, to: $1)) }
    }

    var numberOfSections: Int { base.numberOfSections }
    func numberOfRows(inSection section: Int) throws -> Int {
      try base.numberOfRows(inSection: section)
    }
    func section(_ section: Int) throws -> TableSection { try base.section(section) }
    func row(at indexPath: IndexPath) throws -> TableRow { try base.row(at: indexPath) }
    func perform(_ edit: TableEdit) throws {
      guard case .move(let path, to: let newPath) = edit else { return try base.perform(edit) }
      try move(path, newPath)
    }
  }

  private struct Refused: Error {}

  @Test func whatTheUserHasMovedIsNotMovedAgain() throws {
    let screen = try DragScreen(try Rows([1, 2, 3, 4], [5]))
    screen.drag([0, 0], [0, 2])
    #expect(screen.rows == [[2, 3, 1, 4], [5]])
    #expect(try screen.rows == screen.content())
    #expect(screen.batches == ["no changes"])
    // Its content may be new: a cover that moved to another artist.
    #expect(screen.refreshed == [[0, 2]])
    #expect(screen.errors.isEmpty)
  }

  @Test func aDragBetweenComponentsReloadsNothing() throws {
    let first = try ArrayDataProvider(items: items([1, 2, 3]))
    let second = try ArrayDataProvider(items: items([4, 5]))
    let list = try ComposedTableViewDataSource([
      try TableViewDataSource(dataProvider: first), try TableViewDataSource(dataProvider: second),
    ])
    let screen = try DragScreen(list)
    screen.drag([0, 1], [1, 2])
    #expect(screen.rows == [[1, 3], [4, 5, 2]])
    #expect(second.items.map(\.id) == [4, 5, 2])
    #expect(screen.batches == ["no changes"])
    #expect(screen.refreshed == [[1, 2]])
  }

  @Test func aRefusedMoveGoesBack() throws {
    let source = try Rows([1, 2], [3])
    source.move = { _, _ in throw Refused() }
    let screen = try DragScreen(source)
    screen.drag([0, 0], [1, 1])
    #expect(screen.rows == [[1, 2], [3]])
    #expect(screen.batches == ["[1,1]>[0,0]"])
    #expect(screen.errors.count == 1)
  }

  @Test func anErrorAfterTheMoveMovesNothingBack() throws {
    let source = try Rows([1, 2], [3])
    source.move = { [base = source.base] from, to in
      try base.perform(.move(from, to: to))
      throw Refused()
    }
    let screen = try DragScreen(source)
    screen.drag([0, 0], [1, 1])
    #expect(screen.rows == [[2], [3, 1]])
    #expect(try screen.rows == screen.content())
    #expect(screen.errors.count == 1)
  }

  @Test func otherChangesOfTheSameBatchAreShown() throws {
    let source = try Rows([1, 2, 3], [4])
    source.move = { [provider = source.provider] from, to in
      try provider.performBatch { sections in
        let item = sections[from.section].items.remove(at: from.row)
        sections[to.section].items.insert(item, at: to.row)
        sections[0].items.insert(contentsOf: items([8, 9]), at: 0)
      }
    }
    let screen = try DragScreen(source)
    screen.drag([0, 0], [1, 0])
    #expect(screen.batches == ["+[0,0] +[0,1]"])
    #expect(screen.rows == [[8, 9, 2, 3], [1, 4]])
    #expect(screen.refreshed == [[1, 0]])
  }

  @Test func aMoveThatIsReportedLaterIsNotShownTwice() throws {
    let source = try Rows([1, 2, 3])
    source.move = { _, _ in }
    let screen = try DragScreen(source)
    screen.drag([0, 0], [0, 2])
    #expect(screen.rows == [[2, 3, 1]])
    try source.provider.performBatch { $0[0].items = items([2, 3, 1]) }
    #expect(screen.batches == ["no changes"])
    // Another move of the user, which the data source then does not make.
    screen.batches = []
    screen.drag([0, 0], [0, 1])
    try source.provider.performBatch { $0[0].items.append(Item(id: 4)) }
    #expect(screen.rows == [[2, 3, 1, 4]])
    #expect(screen.errors.isEmpty)
  }

  /// A provider that loads a page when its last row is displayed, say.
  @Test func changesInACallOfTheTableAreShownAfterIt() throws {
    let source = try Rows([1, 2])
    let screen = try DragScreen(source)
    let updater = try #require(screen.updater)
    updater.deferringChanges {
      try source.provider.performBatch { $0[0].items.append(Item(id: 3)) }
      // A call inside of another one.
      updater.deferringChanges {
        try source.provider.performBatch { $0[0].items.insert(Item(id: 4), at: 0) }
      }
      updater.showPending()
      #expect(screen.batches.isEmpty)
      throw Refused()
    }
    #expect(screen.errors.count == 1)
    #expect(screen.batches.isEmpty && updater.hasPending)
    updater.showPending()
    #expect(screen.batches == ["+[0,0] +[0,3]"])
    #expect(screen.rows == [[4, 1, 2, 3]])
    updater.showPending()
    #expect(screen.batches.count == 1 && !updater.hasPending)
  }

  @Test func aReloadShowsEverything() throws {
    let form = DataDisplayManager()
    try form.addCellGenerators(fields("a"))
    var shown: [TableChanges] = []
    let updater = try TableUpdater(
      form, onError: { Issue.record($0) }, show: { shown.append($0) }, showAgain: { _ in })
    updater.moveRow(at: [0, 0], to: [0, 0])
    #expect(shown.isEmpty)
    try form.forceRefill()
    #expect(shown.map { $0.reset != nil } == [true])
  }

  /// The table shows moves at once. The data source sends them with what else has happened, or not at all.
  @Test(arguments: SeededGenerator.seeds(60))
  func theTableFollowsWhateverIsSent(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var lastID = 100
    let source = try Rows([1, 2, 3, 4], [5, 6], [])
    let provider = source.provider
    let screen = try DragScreen(source)
    func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
    func edit(_ sections: inout [TableData.Section<Item>]) {
      let section = number(0..<sections.count)
      let count = sections[section].items.count
      if count > 1, number(0..<2) == 0 {
        sections[section].items.remove(at: number(0..<count))
      } else {
        lastID += 1
        sections[section].items.insert(Item(id: lastID), at: number(0..<count + 1))
      }
    }
    for step in 0..<30 {
      let full = screen.rows.indices.filter { !screen.rows[$0].isEmpty }
      let section = full[number(0..<full.count)]
      let from = IndexPath(row: number(0..<screen.rows[section].count), section: section)
      let other = number(0..<screen.rows.count)
      let room = screen.rows[other].count + (other == section ? 0 : 1)
      let to = IndexPath(row: number(0..<room), section: other)
      source.move = { from, to in
        try provider.performBatch { sections in
          if number(0..<4) > 0 {
            let item = sections[from.section].items.remove(at: from.row)
            sections[to.section].items.insert(item, at: to.row)
          }
          for _ in 0..<number(0..<3) { edit(&sections) }
        }
      }
      screen.batches = []
      screen.drag(from, to)
      if try screen.rows != screen.content() {
        // The data source has sent nothing. The next change puts the row back.
        try provider.performBatch { edit(&$0) }
      }
      let content = try screen.content()
      try #require(screen.rows == content, "step \(step)")
      try #require(screen.errors.isEmpty, "step \(step): \(screen.errors)")
    }
  }
}
