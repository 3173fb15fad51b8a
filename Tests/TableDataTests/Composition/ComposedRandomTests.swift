import Foundation
import TableData
import TableDataTesting
import Testing

/// Nested compositions of all kinds of providers, changed at random, through the strict table.
struct ComposedRandomTests {
  private final class Form {
    let array: ArrayDataProvider<Item>
    let sections: SectionDataProvider<Item>
    let filtered: FilteredDataProvider<SectionDataProvider<Item>>
    let folded: FoldedDataProvider<FilteredDataProvider<SectionDataProvider<Item>>>
    let inner: ComposedTableViewDataSource
    let outer: ComposedTableViewDataSource
    let spare: TableViewDataSource<ArrayDataProvider<Item>>

    init() throws {
      array = try ArrayDataProvider(title: "Array", items: items(1...4))
      sections = try SectionDataProvider(sections: [Section("A", [1, 2]), Section("B", [3])])
      let base = try SectionDataProvider(sections: [Section("F", Array(1...6)), Section("G", [7])])
      filtered = try FilteredDataProvider(
        try SectionDataProvider(sections: [Section("C", [1, 2, 3, 4])])
      ) { !$0.id.isMultiple(of: 3) }
      folded = try FoldedDataProvider(
        try FilteredDataProvider(base) { !$0.id.isMultiple(of: 2) })
      inner = try ComposedTableViewDataSource([
        try TableViewDataSource.showing(filtered), try TableViewDataSource.showing(folded),
      ])
      outer = try ComposedTableViewDataSource([
        try TableViewDataSource.showing(array), inner,
        try TableViewDataSource.showing(sections),
      ])
      spare = try .showing(try ArrayDataProvider(title: "Spare", items: items([1])))
    }

    func checkInvariants() throws {
      try array.checkInvariants()
      try sections.checkInvariants()
      try filtered.checkInvariants()
      try folded.checkInvariants()
      try folded.base.checkInvariants()
      try inner.checkInvariants()
      try outer.checkInvariants()
    }

    func edit(_ edits: inout RandomEdits) throws {
      switch edits.number(in: 0..<9) {
      case 0, 1: try edits.edit(array)
      case 2: try edits.edit(sections)
      case 3: try edits.edit(filtered.base)
      case 4: try edits.edit(folded.base.base)
      case 5:
        let divisor = edits.number(in: 1..<4)
        try filtered.setFilter { $0.id.isMultiple(of: divisor) }
      case 6 where folded.numberOfSections > 0:
        let section = edits.number(in: 0..<folded.numberOfSections)
        try folded.setFolded(try !folded.isFolded(section: section), section: section)
      case 7:
        let list = edits.number(in: 0..<2) == 0 ? inner : outer
        if let owner = spare.observer as? ComposedTableViewDataSource {
          try owner.remove(spare)
        } else {
          try list.insert(spare, at: edits.number(in: 0..<list.components.count + 1))
        }
      default: try edits.edit(spare.dataProvider)
      }
    }
  }

  @Test(arguments: SeededGenerator.seeds(30))
  func nestedListsAreFollowedThroughTheStrictTable(seed: UInt64) throws {
    var edits = RandomEdits(seed: seed)
    let form = try Form()
    let provider = try DataSourceProvider(form.outer)
    let harness = try ProviderHarness(provider, height: 8)
    // A filter and a batch do not know whether a row that moved looks the same.
    harness.requiresMinimalChanges = false
    harness.allowsReinsertedRows = true
    harness.table.allowsMultipleSelection = true
    harness.observe()
    for step in 0..<30 {
      let count = harness.batches.count
      if edits.number(in: 0..<3) == 0 {
        try form.outer.performBatch {
          for _ in 0..<edits.number(in: 1..<6) { try form.edit(&edits) }
        }
        #expect(harness.batches.count <= count + 1)
      } else {
        try form.edit(&edits)
      }
      do {
        try harness.checkObserved()
        try form.checkInvariants()
      } catch {
        Issue.record("step \(step): \(error)")
        return
      }
      try harness.table.setContentOffset(edits.number(in: 0..<20))
      if let row = harness.table.indexPathsForVisibleRows.last {
        try harness.table.selectRow(at: row)
      }
    }
  }
}
