import Foundation
import TableData
import TableDataTesting
import Testing

/// The display events of lists that are made of other lists reach the list that has the row.
struct DisplayForwardingTests {
  private typealias Recorder = DisplayRecorder<SectionDataProvider<Item>>

  private let list: SectionDataProvider<Item>
  private let rows: Recorder

  init() throws {
    list = try SectionDataProvider(sections: [
      Section("A", [1, 2, 3, 4]), Section("B", [5, 6, 7]), Section("C", [8, 9]),
    ])
    rows = try DisplayRecorder(list)
  }

  /// Edits the list and scrolls at random, and checks the events.
  private func follow<Provider>(
    _ provider: Provider, _ edits: inout RandomEdits, edit: (inout RandomEdits) throws -> Void
  ) throws where Provider: ViewModelDataProvider {
    let harness = try ProviderHarness(
      provider, height: 5,
      id: { ($0 as? Item).map { "\($0.id)" } ?? "\($0)" },
      isUnchanged: { "\($0)" == "\($1)" })
    harness.allowsReinsertedRows = true
    harness.requiresMinimalChanges = false
    harness.observe()
    for _ in 0..<40 {
      if edits.number(in: 0..<4) == 0 { try edit(&edits) } else { try edits.edit(list) }
      try harness.table.setContentOffset(edits.number(in: 0..<15))
      try harness.checkObserved()
      try harness.checkDisplayed(by: rows)
    }
  }

  @Test(arguments: SeededGenerator.seeds(8))
  func ofAMappedList(seed: UInt64) throws {
    var edits = RandomEdits(seed: seed)
    try follow(try rows.map { $0 }, &edits) { try $0.edit(list) }
  }

  @Test(arguments: SeededGenerator.seeds(8))
  func ofAFilteredList(seed: UInt64) throws {
    var edits = RandomEdits(seed: seed)
    let filtered = try FilteredDataProvider(rows) { !$0.id.isMultiple(of: 3) }
    try follow(filtered, &edits) { edits in
      let divisor = edits.number(in: 2..<5)
      try filtered.setFilter { !$0.id.isMultiple(of: divisor) }
    }
  }

  @Test(arguments: SeededGenerator.seeds(8))
  func ofAFoldedList(seed: UInt64) throws {
    var edits = RandomEdits(seed: seed)
    let folded = try FoldedDataProvider(rows)
    try follow(folded, &edits) { edits in
      guard folded.numberOfSections > 0 else { return }
      let section = edits.number(in: 0..<folded.numberOfSections)
      try folded.setFolded(try !folded.isFolded(section: section), section: section)
    }
  }

  @Test(arguments: SeededGenerator.seeds(8))
  func ofAPagedList(seed: UInt64) throws {
    var edits = RandomEdits(seed: seed)
    let paging = try PagingDataProvider(
      rows, edges: [.start, .end], store: { (_: LoadedPage<Item, Int>, _) in },
      load: { _ in LoadedPage([], cursor: nil, isLast: true) })
    paging.loadsAutomatically = false
    try follow(paging, &edits) { try $0.edit(list) }
  }

  @Test(arguments: SeededGenerator.seeds(10))
  func ofAComposedList(seed: UInt64) throws {
    var edits = RandomEdits(seed: seed)
    let array = try ArrayDataProvider(items: items(20..<24))
    let arrayRows = try DisplayRecorder(array)
    let spare = try ArrayDataProvider(items: items(30..<33))
    let spareRows = try DisplayRecorder(spare)
    let filtered = try FilteredDataProvider(rows) { !$0.id.isMultiple(of: 3) }
    let spareSource = try TableViewDataSource.showing(spareRows)
    let inner = try ComposedTableViewDataSource([try TableViewDataSource.showing(filtered)])
    let outer = try ComposedTableViewDataSource([
      try TableViewDataSource.showing(arrayRows), inner,
    ])
    let harness = try ProviderHarness(DataSourceProvider(outer), height: 6)
    harness.allowsReinsertedRows = true
    harness.requiresMinimalChanges = false
    harness.requiresSameSectionNames = false
    harness.observe()
    for _ in 0..<40 {
      switch edits.number(in: 0..<6) {
      case 0: try edits.edit(array)
      case 1: try edits.edit(spare)
      case 2:
        if let owner = spareSource.observer as? ComposedTableViewDataSource {
          try owner.remove(spareSource)
        } else {
          let list = edits.number(in: 0..<2) == 0 ? inner : outer
          try list.insert(spareSource, at: edits.number(in: 0..<list.components.count + 1))
        }
      case 3: try outer.move(inner, to: edits.number(in: 0..<outer.components.count))
      default: try edits.edit(list)
      }
      try harness.table.setContentOffset(edits.number(in: 0..<20))
      try harness.checkObserved()
      try harness.checkDisplayed(by: rows)
      try harness.checkDisplayed(by: arrayRows)
      try harness.checkDisplayed(by: spareRows)
    }
  }

  /// The component was not notified, because it was no longer in the list.
  @Test func aRemovedComponentIsNotifiedThatItsRowsAreNoLongerDisplayed() throws {
    let source = try TableViewDataSource.showing(rows)
    let inner = try ComposedTableViewDataSource([source])
    let outer = try ComposedTableViewDataSource([inner])
    let screen = TableViewController(height: 3) { Issue.record($0) }
    try screen.setDataSource(outer)
    #expect(rows.displayed == [1, 2, 3])
    try inner.remove(source)
    #expect(rows.displayed.isEmpty)
    try inner.append(source)
    #expect(rows.displayed == [1, 2, 3])
    try outer.remove(inner)
    #expect(rows.displayed.isEmpty)
  }

  /// Each row may edit the list while it is displayed, and when it is no longer displayed.
  @Test(arguments: SeededGenerator.seeds(8))
  func ofAListThatChangesMeanwhile(seed: UInt64) throws {
    var edits = RandomEdits(seed: seed)
    var reactions = RandomEdits(seed: seed &+ 1, firstNumber: 100_000)
    var remaining = 0
    let watched = try DisplayEventTests.Watched(10)
    let react = {
      guard remaining > 0, reactions.number(in: 0..<3) == 0 else { return }
      remaining -= 1
      var edits = RandomEdits(
        seed: UInt64(reactions.number(in: 0..<1_000)),
        firstNumber: reactions.newItem().id * 1_000)
      try edits.edit(watched.list)
    }
    watched.onDisplay = { _ in try react() }
    watched.onEnd = react
    let rows = try DisplayRecorder(watched)
    let outer = try ComposedTableViewDataSource([
      try TableViewDataSource.showing(try ArrayDataProvider(items: items([-1]))),
      try TableViewDataSource.showing(try FilteredDataProvider(rows) { !$0.id.isMultiple(of: 3) }),
    ])
    let harness = try ProviderHarness(DataSourceProvider(outer), height: 4)
    harness.allowsReinsertedRows = true
    harness.requiresMinimalChanges = false
    harness.observe()
    for step in 0..<40 {
      remaining = 6
      if edits.number(in: 0..<2) == 0 {
        try edits.edit(watched.list)
      } else {
        try harness.table.setContentOffset(edits.number(in: 0..<12))
      }
      do {
        try harness.checkObserved()
        try harness.checkDisplayed(by: rows)
      } catch {
        Issue.record("step \(step): \(error)")
        return
      }
    }
  }
}
