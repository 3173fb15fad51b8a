import Foundation
import TableData
import TableDataTesting
import Testing

@testable import sections

/// The lines of a headless table, as a terminal gets them.
@Suite struct TableRendererTests {
  private final class Cell: TableViewCell, Configurable, TerminalCell {
    var terminalRow = TerminalRow(leading: [])
    func configure(with item: Item) {
      terminalRow = TerminalRow(
        leading: [StyledText(item.text)],
        trailing: item.detail.isEmpty ? [] : [StyledText(item.detail, .dim)])
    }
  }

  /// A cell that knows nothing of terminals.
  private final class OtherCell: TableViewCell, Configurable {
    func configure(with number: Number) {}
  }

  private struct Item: ItemViewModel {
    let id: Int
    let text: String
    var detail = ""
  }

  private struct Number: ItemViewModel { let id: Int }

  private let table = TableView()
  private let source: ComposedTableViewDataSource

  init() throws {
    let items = try SectionDataProvider(sections: [
      Section(
        name: "Fruit",
        items: [Item(id: 1, text: "apple", detail: "12"), Item(id: 2, text: "pear", detail: "7")]),
      Section(name: "Empty", items: []),
      Section(
        name: "Odd\u{1B}[2J\n",
        items: [
          Item(id: 3, text: "終点の灯り 終点の灯り", detail: "1983"),
          Item(id: 4, text: "tab\tbell\u{7}\u{202E}", detail: "a\u{9B}b"),
          Item(id: 5, text: "a text that is too long for its line", detail: "a detail as well"),
        ]),
    ])
    let numbers = try ArrayDataProvider(items: [Number(id: 1)])
    let itemSource = try TableViewDataSource(dataProvider: items)
    itemSource.registerCell(Cell.self, identifier: "item", for: Item.self)
    let numberSource = try TableViewDataSource(dataProvider: numbers)
    numberSource.registerCell(OtherCell.self, identifier: "number", for: Number.self)
    source = try ComposedTableViewDataSource([itemSource, numberSource])
    table.dataSource = source
    try table.reloadData()
  }

  private func draw(
    _ window: Range<Int>? = nil, width: Int? = 30, usesColor: Bool = false,
    cursor: TableLines.Line? = nil
  ) throws -> [String] {
    var renderer = TableRenderer(options: TerminalOptions(width: width, usesColor: usesColor))
    renderer.heading = { $0 == 0 ? ("▾ ", 2) : ("", nil) }
    let counts = table.numbersOfRows
    let lines = TableLines(
      rowCounts: counts,
      headers: try counts.indices.map { try source.section($0).header.title })
    return try renderer.draw(table, lines, window: window ?? 0..<lines.count, cursor: cursor)
  }

  @Test func headingsAndRowsAreLines() throws {
    #expect(
      try draw(cursor: .row([0, 1])).joined(separator: "\n") == """
          ▾ Fruit (2)
            apple                   12
        ›   pear                     7
          Empty
          Odd␛[2J␊
            終点の灯り 終点の灯り 1983
            tab␉bell␇\\u{202E} a\\u{9B}b
            a text that is… a detail …
            OtherCell
        """)
  }

  @Test func aLineFitsWhateverTheWidth() throws {
    for width in 1...60 {
      for line in try draw(width: width, cursor: .header(0)) {
        let cells = line.reduce(0) { $0 + $1.displayWidth }
        #expect(cells <= width, "\(width): \(line)")
      }
    }
    #expect(try draw(1..<2, width: nil) == ["    apple  12"])
  }

  @Test func onlyTheRowsInTheWindowHaveACell() throws {
    #expect(try draw(2..<6).count == 4)
    #expect(table.indexPathsForVisibleRows == [[0, 1], [2, 0]])
    #expect(try draw(3..<5) == ["  Empty", "  Odd␛[2J␊"])
    #expect(table.visibleCells.isEmpty)
    _ = try draw(7..<9)
    #expect(table.indexPathsForVisibleRows == [[2, 2], [3, 0]])
    #expect(try draw(0..<0) == [])
  }

  @Test func theCurrentLineIsInReverseToItsEnd() throws {
    let line = try #require(try draw(1..<2, usesColor: true, cursor: .row([0, 0])).first)
    let (reverse, plain, dim) = ("\u{1B}[7m", "\u{1B}[0m", "\u{1B}[2m")
    #expect(
      line == "\(reverse)›   apple                   \(dim)12\(plain)\(reverse)\(plain)")
    let heading = try #require(try draw(3..<4, usesColor: true, cursor: .header(1)).first)
    #expect(heading.hasPrefix("\(reverse)› \u{1B}[1mEmpty\(plain)\(reverse)   "))
    #expect(try draw(3..<4, usesColor: true).first == "  \u{1B}[1mEmpty\(plain)")
  }
}
