import Foundation
import TableData
import TableDataTesting

/// Changes a provider at random. New items and sections get numbers that were never there.
struct RandomEdits {
  var generator: SeededGenerator
  private var nextNumber: Int

  init(seed: UInt64, firstNumber: Int = 1_000) {
    generator = SeededGenerator(seed: seed)
    nextNumber = firstNumber
  }

  mutating func number(in range: Range<Int>) -> Int { .random(in: range, using: &generator) }

  mutating func newItem() -> Item {
    nextNumber += 1
    return Item(id: nextNumber, text: "\(number(in: 0..<3))")
  }

  mutating func newSection() -> Section<Item> {
    nextNumber += 1
    let items = (0..<number(in: 0..<4)).map { _ in newItem() }
    return Section(name: "\(["A", "B", "C"][number(in: 0..<3)])\(nextNumber)", items: items)
  }

  /// Makes one change.
  mutating func edit(_ list: ArrayDataProvider<Item>) throws {
    let count = list.items.count
    switch number(in: 0..<7) {
    case 0, 1: try list.insert([newItem(), newItem()], at: number(in: 0..<count + 1))
    case 2 where count > 0: try list.remove(at: number(in: 0..<count))
    case 3 where count > 0:
      try list.move(from: number(in: 0..<count), to: number(in: 0..<count))
    case 4 where count > 0:
      let row = number(in: 0..<count)
      try list.replace(at: row, with: Item(id: list.items[row].id, text: "\(number(in: 0..<3))"))
    case 5 where count > 0: try list.replace(at: number(in: 0..<count), with: newItem())
    default: try list.performBatch { items in rearrange(&items) }
    }
  }

  /// Makes one change.
  mutating func edit(_ list: SectionDataProvider<Item>) throws {
    let count = list.content.count
    guard count > 0 else {
      try list.insertSection(newSection(), at: 0)
      return
    }
    let section = number(in: 0..<count)
    let rows = list.content[section].items.count
    switch number(in: 0..<11) {
    case 0, 1: try list.insert(newItem(), at: [section, number(in: 0..<rows + 1)])
    case 2 where rows > 0: try list.remove(at: [section, number(in: 0..<rows)])
    case 3, 4:
      guard rows > 0 else { return }
      let target = number(in: 0..<count)
      let targetRows = list.content[target].items.count + (target == section ? 0 : 1)
      try list.move(
        from: [section, number(in: 0..<rows)], to: [target, number(in: 0..<targetRows)])
    case 5 where rows > 0:
      let row = number(in: 0..<rows)
      let id = list.content[section].items[row].id
      try list.replace(at: [section, row], with: Item(id: id, text: "\(number(in: 0..<3))"))
    case 6: try list.insertSection(newSection(), at: number(in: 0..<count + 1))
    case 7: try list.removeSection(at: section)
    case 8: try list.moveSection(from: section, to: number(in: 0..<count))
    case 9: try list.performBatch { sections in sections.shuffle(using: &generator) }
    default:
      try list.performBatch { sections in
        let item = newItem()
        rearrange(&sections[section].items)
        if Bool.random(using: &generator) {
          sections[section] = Section(name: "D\(item.id)", items: sections[section].items)
        }
        let other = number(in: 0..<count)
        sections[other].items.append(item)
        if other != section, !sections[section].items.isEmpty {
          sections[other].items.insert(sections[section].items.removeFirst(), at: 0)
        }
      }
    }
  }

  /// Makes one change.
  mutating func edit(_ form: DataDisplayManager) throws {
    let generators = form.cellGenerators
    let field = Field("\(newItem().id)")
    guard let some = generators.randomElement(using: &generator) else {
      try form.addCellGenerators([field, Field("\(newItem().id)")])
      return
    }
    switch number(in: 0..<12) {
    case 0, 1: try form.addCellGenerator(field, after: some)
    case 2: try form.insert(field, before: some)
    case 3: try form.addCellGenerator(field)
    case 4, 5: try form.remove(some)
    case 6:
      for case let generator as Field in [generators[0], some] { generator.text += "!" }
      try form.update(generators: [generators[0], some])
    case 7: try form.addSectionHeaderGenerator(TitleHeaderGenerator(title: "S\(newItem().id)"))
    case 8:
      guard let header = form.headerGenerators.compactMap(\.self).randomElement(using: &generator)
      else { return }
      try form.addCellGenerators([field], toHeader: header)
    case 9:
      guard form.numberOfSections > 2, let header = form.headerGenerators[1] else { return }
      try form.removeSection(of: header)
    case 10 where form.numberOfSections > 3: try form.clearHeaderGenerators()
    case 11 where generators.count > 20: try form.clearCellGenerators()
    default: try form.forceRefill()
    }
  }

  private mutating func rearrange(_ items: inout [Item]) {
    if Bool.random(using: &generator) { items.shuffle(using: &generator) }
    for row in items.indices where number(in: 0..<3) == 0 { items[row].text = "new" }
    if items.count > 6 { items.removeFirst(3) }
    if Bool.random(using: &generator) { items.append(newItem()) }
  }
}
