import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import TestLists
import Testing

@testable import FetchedResults

extension RandomTable {
  /// Changes something, or several things as one batch; shows pages that are loaded; scrolls; selects; and
  /// checks everything.
  func step() async throws {
    if number(in: 0..<3) == 0 {
      let list = number(in: 0..<lists.count)
      try lists[list].performBatch {
        for _ in 0..<number(in: 2..<5) { try change(inBatchOf: list) }
      }
    } else {
      try change(inBatchOf: 0)
    }
    try check()
    if number(in: 0..<2) == 0 {
      while PageEdge.allCases.contains(where: { pages.status(at: $0)?.state == .loading }) {
        await pages.deliverNext()
        try check()
      }
    }
    try screen.tableView.setContentOffset(number(in: 0..<60))
    if let row = screen.tableView.indexPathsForVisibleRows.randomElement(using: &generator) {
      try tap(row)
    }
    try check()
  }

  /// Selects or deselects a row, as the user does, or deselects everything.
  private func tap(_ path: IndexPath) throws {
    if number(in: 0..<8) == 0 {
      selection.select(nil)
    } else if screen.tableView.indexPathsForSelectedRows.contains(path) {
      try screen.deselectRow(at: path)
    } else {
      let item = try #require(try lists[0].row(at: path).itemIdentity)
      chosen[item] = try lists[0].row(at: path).identity
      try screen.selectRow(at: path)
    }
  }

  /// - Parameter owner: which list has begun a batch. Those around it do not know yet what has become
  ///   of it, and must not be asked for rows or given components.
  private func change(inBatchOf owner: Int) throws {
    switch number(in: 0..<24) {
    case 0...4: try commit(list.commit(using: &generator))
    case 5: try deleteStoredRow(inOrBelow: owner)
    case 6, 7: try changeArray(number(in: 0..<3) == 0 ? spare.dataProvider : array)
    case 8: try changeSections(sections)
    case 9: try changeSections(filtered.base)
    case 10:
      let divisor = number(in: 1..<4)
      try filtered.setFilter { $0.id.isMultiple(of: divisor) }
      self.divisor = divisor
    case 11 where folded.numberOfSections > 0:
      let section = number(in: 0..<folded.numberOfSections)
      try folded.setFolded(try !folded.isFolded(section: section), section: section)
    case 12: try addOrRemoveComponent(inOrBelow: owner)
    case 13 where owner == 0: try moveAnyRow()
    case 14: try changeSections(mapped.base)
    case 15: try search()
    case 16, 17: try changeTitle([sections, filtered.base, mapped.base][number(in: 0..<3)])
    case 18: changePages()
    case 19, 20: try reorderComponents(inOrBelow: owner)
    default: try changeForm()
    }
  }

  // MARK: Stored rows

  /// Carries out a transaction, and shows it.
  private func commit(_ edits: [RandomList.Edit]) throws {
    try database.run(edits.map(\.sql).joined())
    try refresh()
  }

  private func refresh() throws {
    let providers = [bySection, first, folded.base.base, mappedRows.base, pages.base]
    for provider in providers { try provider.refresh() }
  }

  /// As the user does, in the list.
  private func deleteStoredRow(inOrBelow outermost: Int) throws {
    guard let row = list.allRows.randomElement(using: &generator),
      let path = try bySection.indexPath(forIdentity: RowIdentity(.integer(Int64(row.id)))),
      let source = bySection.observer as? any ComposableTableViewDataSource,
      let owner = lists[outermost...].first(where: { $0 === source.observer }),
      let place = owner.indexPath(of: path, in: source)
    else { return }
    list.apply(.delete(id: row.id))
    try owner.perform(.delete(place))
    try refresh()
  }

  /// Loads a page, or cancels it.
  private func changePages() {
    let edge: PageEdge = number(in: 0..<2) == 0 ? .start : .end
    if number(in: 0..<3) == 0 { pages.cancel(edge) } else { pages.load(edge) }
  }

  /// In the folded list.
  private func search() throws {
    let floor = number(in: -1..<3)
    try folded.base.setFilter { $0.content > floor }
    self.floor = floor
  }

  // MARK: Rows in memory

  private func changeTitle(_ provider: SectionDataProvider<Piece>) throws {
    guard !provider.content.isEmpty else { return }
    let section = number(in: 0..<provider.content.count)
    let title = "T\(number(in: 0..<3))"
    if number(in: 0..<2) == 0 {
      try provider.setTitle(title, ofSection: section)
    } else {
      try provider.setFooter(title, ofSection: section)
    }
  }

  private func changeArray(_ array: ArrayDataProvider<Piece>) throws {
    let count = array.items.count
    switch number(in: 0..<6) {
    case 1 where count > 0: try array.remove(at: number(in: 0..<count))
    case 2 where count > 0:
      try array.move(from: number(in: 0..<count), to: number(in: 0..<count))
    case 3 where count > 0:
      let row = number(in: 0..<count)
      try array.replace(at: row, with: Piece(id: array.items[row].id, text: newPiece().text))
    case 4:
      try array.performBatch { items in
        items.shuffle(using: &generator)
        if items.count > 8 { items.removeFirst(5) }
      }
    default: try array.insert([newPiece(), newPiece()], at: number(in: 0..<count + 1))
    }
  }

  private func changeSections(_ provider: SectionDataProvider<Piece>) throws {
    let count = provider.content.count
    let section = Section(name: "S\(number(in: 0..<3))", items: [newPiece(), newPiece()])
    switch number(in: 0..<7) {
    case 0 where count > 3: try provider.removeSection(at: number(in: 0..<count))
    case 1 where count > 0:
      try provider.moveSection(from: number(in: 0..<count), to: number(in: 0..<count))
    case 2 where count > 0:
      try provider.performBatch { sections in
        var items = sections.flatMap(\.items)
        items.shuffle(using: &generator)
        if items.count > 12 { items.removeFirst(6) }
        for number in sections.indices { sections[number].items = [] }
        for item in items { sections[number(in: 0..<count)].items.append(item) }
      }
    case 3 where count > 0:
      try provider.performBatch { sections in
        sections.shuffle(using: &generator)
        for row in sections[0].items.indices { sections[0].items[row].text = newPiece().text }
      }
    case 4 where count > 0: try provider.insert(newPiece(), at: [number(in: 0..<count), 0])
    default: try provider.insertSection(section, at: number(in: 0..<count + 1))
    }
  }

  private func changeForm() throws {
    let generators = form.cellGenerators
    let (new, other) = (newPiece(), newPiece())
    let generator = PieceGenerator(id: new.id, text: new.text)
    guard let some = generators.randomElement(using: &self.generator) as? PieceGenerator else {
      try form.addCellGenerators([generator, PieceGenerator(id: other.id, text: other.text)])
      return
    }
    switch number(in: 0..<11) {
    case 0, 1: try form.addCellGenerator(generator, after: some)
    case 2: try form.insert(generator, before: some)
    case 3, 4: try form.remove(some)
    case 5:
      some.text += "!"
      try form.update(generators: [some])
    case 6:
      some.text += "?"
      try form.update(generators: [some])
    case 7: try form.addSectionHeaderGenerator(TitleHeaderGenerator(title: new.text))
    case 8 where form.numberOfSections > 3: try form.clearHeaderGenerators()
    case 9 where generators.count > 8: try form.clearCellGenerators()
    default: try form.forceRefill()
    }
  }

  // MARK: The lists

  private func addOrRemoveComponent(inOrBelow outermost: Int) throws {
    if let owner = spare.observer as? ComposedTableViewDataSource {
      guard let index = lists.firstIndex(where: { $0 === owner }), index >= outermost else {
        return
      }
      return try owner.remove(spare)
    }
    let list = lists[number(in: outermost..<lists.count)]
    try list.insert(spare, at: number(in: 0..<list.components.count + 1))
  }

  /// Swaps two components of a list, or moves one.
  private func reorderComponents(inOrBelow outermost: Int) throws {
    let list = lists[number(in: outermost..<lists.count)]
    guard !list.components.isEmpty else { return }
    let component = list.components[number(in: 0..<list.components.count)]
    let index = number(in: 0..<list.components.count)
    if number(in: 0..<2) == 0 {
      try list.move(component, to: index)
    } else {
      try list.swap(component, list.components[index])
    }
  }

  /// From anywhere to anywhere, as far as that is allowed.
  private func moveAnyRow() throws {
    let counts = try content().map(\.count)
    guard let from = counts.indices.filter({ counts[$0] > 0 }).randomElement(using: &generator)
    else { return }
    let to = number(in: 0..<counts.count)
    let row = number(in: 0..<counts[from])
    let newRow = number(in: 0..<counts[to] + (from == to ? 0 : 1))
    do {
      try lists[0].perform(
        .move(IndexPath(row: row, section: from), to: IndexPath(row: newRow, section: to)))
    } catch let error as TableDataError
      where error.code == .notEditable || error.code == .duplicateIdentity
    {}
  }
}
