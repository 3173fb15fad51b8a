import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// Sections whose rows the order alone does not keep together.
@Suite struct ResultsLayoutEditorTests {
  private func editor(_ sections: [(key: Int64, rowCount: Int)]) -> ResultsLayoutEditor {
    var builder = CountedTree<SectionEntry>.Builder()
    for (key, rowCount) in sections {
      builder.append(SectionEntry(key: KeyTuple([.integer(key)]), rowCount: rowCount))
    }
    let layout = ResultsLayout(sections: builder.finish(), offset: 0, limit: nil)
    return ResultsLayoutEditor(layout, .computed { _ in .null })
  }

  @Test func aRowInTheMiddleOfAnotherSectionTearsIt() {
    var editor = editor([(0, 3)])
    let isPlaced = editor.insert(at: 1, sectionKey: KeyTuple([9]))
    #expect(!isPlaced)
  }

  @Test func aSectionIsNotThereTwice() {
    var editor = editor([(0, 2), (1, 2)])
    let isPlaced = editor.insert(at: 4, sectionKey: KeyTuple([0]))
    #expect(!isPlaced)
  }

  @Test func aSectionThatHasLostItsRowsCanBeInsertedElsewhere() {
    var editor = editor([(0, 1), (1, 2)])
    editor.remove(at: 0)
    let isPlaced = editor.insert(at: 2, sectionKey: KeyTuple([0]))
    #expect(isPlaced)
    let layout = editor.finish(offset: 0, limit: nil)
    #expect(
      (0..<layout.sectionCount).map { layout.section(at: $0).key } == [
        KeyTuple([1]), KeyTuple([0]),
      ])
    #expect((0..<layout.sectionCount).map { layout.section(at: $0).rowCount } == [2, 1])
  }
}
