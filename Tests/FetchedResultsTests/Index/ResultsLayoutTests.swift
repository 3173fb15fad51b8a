import CountedTrees
import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

struct ResultsLayoutTests {
  /// Sections with these numbers of rows.
  private func layout(
    _ sizes: [Int], offset: Int = 0, limit: Int? = nil, isDivided: Bool = true
  ) -> ResultsLayout {
    var sections = CountedTree<SectionEntry>.Builder()
    for (section, size) in sizes.enumerated() {
      sections.append(
        SectionEntry(key: isDivided ? KeyTuple([.integer(Int64(section))]) : nil, rowCount: size))
    }
    return ResultsLayout(
      sections: sections.finish(), window: .first(limit, offset: offset))
  }

  /// The rows of each section, numbered through, and a check that places and positions agree.
  private func rows(_ layout: ResultsLayout) throws -> [[Int]] {
    try layout.checkInvariants()
    var position = 0
    return (0..<layout.sectionCount).map { section in
      let rows = layout.rows(inSection: section)
      #expect(rows.lowerBound == position)
      #expect(layout.section(at: section).rowCount == rows.count)
      for row in rows {
        #expect(layout.place(of: row).section == section)
        #expect(layout.place(of: row).row == row - rows.lowerBound)
      }
      position = rows.upperBound
      return rows.map { layout.window.lowerBound + $0 }
    }
  }

  @Test func placesAndPositionsAgreeInEveryWindow() throws {
    for sizes in [[], [1], [3], [1, 1, 1], [2, 3, 1, 4], Array(repeating: 7, count: 40)] {
      let total = sizes.reduce(0, +)
      var all: [[Int]] = []
      for size in sizes {
        let start = all.reduce(0) { $0 + $1.count }
        all.append(Array(start..<(start + size)))
      }
      for offset in [0, 1, 2, 3, 5, total, total + 9] {
        for limit in [nil, 0, 1, 2, 4, total, total + 9] as [Int?] {
          let window = Array((0..<total).dropFirst(offset).prefix(limit ?? total))
          let expected = all.map { $0.filter(window.contains) }.filter { !$0.isEmpty }
          let layout = layout(sizes, offset: offset, limit: limit)
          #expect(try rows(layout) == expected, "\(sizes) \(offset) \(String(describing: limit))")
          #expect(layout.count == window.count)
        }
      }
    }
  }

  @Test func anEmptySectionOfADividedResultBreaksAnInvariant() {
    #expect(throws: BrokenInvariant.self) { try layout([2, 0, 1]).checkInvariants() }
  }

  @Test func aResultThatIsNotDividedKeepsItsOneSection() throws {
    for (size, offset, limit) in [(0, 0, nil), (5, 0, 0), (5, 9, nil), (5, 5, 2)]
      as [(Int, Int, Int?)]
    {
      let layout = layout([size], offset: offset, limit: limit, isDivided: false)
      #expect(try rows(layout) == [[]])
      #expect(layout.section(at: 0).name == nil)
    }
  }
}

/// Sections whose rows the order alone does not keep together.
@Suite struct ResultsLayoutEditorTests {
  private func editor(
    _ sections: [(key: Int64, rowCount: Int)], isWindow: Bool = false
  ) -> ResultsLayoutEditor {
    var builder = CountedTree<SectionEntry>.Builder()
    for (key, rowCount) in sections {
      builder.append(SectionEntry(key: KeyTuple([.integer(key)]), rowCount: rowCount))
    }
    let layout = ResultsLayout(sections: builder.finish())
    return ResultsLayoutEditor(
      layout, .computed(\Int.self) { _ in .null }, isWindow: isWindow)
  }

  /// The keys and the numbers of rows.
  private func sections(_ layout: ResultsLayout) -> [String] {
    layout.sections.elements().map { "\($0.name ?? ""): \($0.rowCount)" }
  }

  @Test func aRowInTheMiddleOfAnotherSectionTearsIt() {
    var editor = editor([(0, 3)])
    editor.insert(at: 1, sectionKey: KeyTuple([9]))
    let layout = editor.finish(.all)
    #expect(sections(layout) == ["0: 1", "9: 1", "0: 2"])
    #expect(editor.tornSection(of: layout) == 2)
  }

  @Test func aSectionIsNotThereTwice() {
    var editor = editor([(0, 2), (1, 2)])
    editor.insert(at: 4, sectionKey: KeyTuple([0]))
    let layout = editor.finish(.all)
    #expect(editor.tornSection(of: layout) == 2)
  }

  @Test func anEmptiedSectionIsNotThereTwice() {
    var editor = editor([(0, 1), (1, 1), (2, 1)])
    editor.remove(at: 2)
    editor.remove(at: 0)
    editor.insert(at: 0, sectionKey: KeyTuple([2]))
    editor.insert(at: 2, sectionKey: KeyTuple([2]))
    let layout = editor.finish(.all)
    #expect(sections(layout) == ["2: 1", "1: 1", "2: 1"])
    #expect(editor.tornSection(of: layout) == 2)
  }

  @Test func onlyTheWindowDecidesWhetherASectionIsTorn() {
    let windows: [(Int, Int, Int?)] = [(0, 2, nil), (0, 3, 2), (2, 9, nil), (1, 2, nil)]
    for (offset, limit, torn) in windows {
      var editor = editor([(0, 3)], isWindow: true)
      editor.insert(at: 1, sectionKey: KeyTuple([9]))
      let layout = editor.finish(.first(limit, offset: offset))
      #expect(editor.tornSection(of: layout) == torn, "\(offset) \(limit)")
    }
  }

  @Test func partsOfASectionAreJoined() {
    var editor = editor([(0, 3), (1, 1), (0, 2), (2, 1)], isWindow: true)
    editor.remove(at: 3)
    #expect(sections(editor.finish(.first(1, offset: 0))) == ["0: 5", "2: 1"])
  }

  @Test func partsOfASectionAreJoinedOverSeveralThatAreEmpty() {
    var editor = editor([(0, 3), (1, 1), (0, 1), (2, 1), (0, 2)], isWindow: true)
    for position in [5, 4, 3] { editor.remove(at: position) }
    #expect(sections(editor.finish(.first(1, offset: 0))) == ["0: 5"])
  }

  @Test func emptiedSectionsAreFoundAmongNewOnes() {
    // The sections 0, 10, 20, … lose their rows, and 0, 5, 10, … get one.
    var editor = editor((0..<50).map { (Int64(10 * $0), 1) })
    for _ in 0..<50 { editor.remove(at: 0) }
    for number in 0..<100 {
      editor.insert(at: number, sectionKey: KeyTuple([.integer(Int64(5 * number))]))
    }
    let layout = editor.finish(.all)
    #expect(editor.tornSection(of: layout) == nil)
    #expect(
      (0..<layout.sectionCount).map { layout.section(at: $0).key }
        == (0..<100).map { KeyTuple([.integer(Int64(5 * $0))]) })
  }

  @Test func aSectionThatHasLostItsRowsCanBeInsertedElsewhere() {
    var editor = editor([(0, 1), (1, 2)])
    editor.remove(at: 0)
    editor.insert(at: 2, sectionKey: KeyTuple([0]))
    let layout = editor.finish(.all)
    #expect(editor.tornSection(of: layout) == nil)
    #expect(
      (0..<layout.sectionCount).map { layout.section(at: $0).key } == [
        KeyTuple([1]), KeyTuple([0]),
      ])
    #expect((0..<layout.sectionCount).map { layout.section(at: $0).rowCount } == [2, 1])
  }
}

struct SectionEntryTests {
  @Test(
    arguments: [
      (Value.null, ""), ("", ""), (" ", " "), (-5, "-5"), (.real(1.5), "1.5"),
      (.blob([0, 0xAB]), "00ab"), ("é", "é"),
    ] as [(Value, String)])
  func theNameIsTheKeyAsText(key: Value, name: String) {
    #expect(SectionEntry(key: KeyTuple([key]), rowCount: 1).name == name)
  }

  @Test func aResultThatIsNotDividedHasASectionWithoutAName() {
    #expect(SectionEntry(key: nil, rowCount: 0).name == nil)
  }
}
