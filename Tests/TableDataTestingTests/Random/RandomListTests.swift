import TableData
import TableDataTesting
import TestLists
import Testing

struct RandomListTests {
  @Test func aSeedRepeatsItsTransactions() {
    var generators = (SeededGenerator(seed: 5), SeededGenerator(seed: 5))
    var first = RandomList(rowCount: 20, using: &generators.0)
    var second = RandomList(rowCount: 20, using: &generators.1)
    #expect(first == second)
    for _ in 0..<50 {
      #expect(first.commit(using: &generators.0) == second.commit(using: &generators.1))
    }
    #expect(first == second)
  }

  @Test(arguments: SeededGenerator.seeds(5))
  func theEditsOfATransactionMakeTheSameListElsewhere(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var list = RandomList(rowCount: 10, using: &generator)
    for _ in 0..<50 {
      var copy = list
      for edit in list.commit(using: &generator) { copy.apply(edit) }
      #expect(copy.sections == list.sections)
      #expect(copy.allRows == list.allRows)
    }
  }

  @Test(arguments: SeededGenerator.seeds(5))
  func rowsAreInSectionsByNameAndThereByRankAndId(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let list = RandomList(rowCount: 60, rankCount: 3, using: &generator)
    let sections = list.sections
    #expect(sections.map { $0.name ?? "" } == sections.map { $0.name ?? "" }.sorted())
    #expect(sections.allSatisfy { !$0.items.isEmpty })
    for section in sections {
      #expect(section.items.allSatisfy { $0.section == section.name })
      for (row, next) in zip(section.items, section.items.dropFirst()) {
        #expect((row.rank, row.id) < (next.rank, next.id))
      }
    }
    #expect(sections.flatMap(\.items).sorted { $0.id < $1.id } == list.allRows)
  }

  @Test func allKindsOfEventsHappen() {
    var generator = SeededGenerator(seed: 0)
    var list = RandomList(rowCount: 30, using: &generator)
    var all = TableChanges()
    var silent = 0
    for _ in 0..<200 {
      let old = list
      let edits = list.commit(using: &generator)
      let changes = old.changes(to: list)
      all.deletedSections += changes.deletedSections
      all.insertedSections += changes.insertedSections
      all.deletedRows += changes.deletedRows
      all.insertedRows += changes.insertedRows
      all.movedRows += changes.movedRows
      all.updatedRows += changes.updatedRows
      if changes.isEmpty, !edits.isEmpty { silent += 1 }
    }
    #expect(all.deletedSections.count > 10)
    #expect(all.insertedSections.count > 10)
    #expect(all.deletedRows.count > 50)
    #expect(all.insertedRows.count > 50)
    #expect(all.movedRows.count > 50)
    #expect(all.updatedRows.count > 50)
    #expect(silent > 5)
  }

  @Test func anEditOfARowThatIsNotThereDoesNothing() {
    var generator = SeededGenerator(seed: 0)
    var list = RandomList(rowCount: 3, using: &generator)
    let old = list
    list.apply(.delete(id: 99))
    list.apply(.update(RandomList.Row(id: 99, section: "A", rank: 0, content: 0)))
    #expect(list == old)
  }
}
