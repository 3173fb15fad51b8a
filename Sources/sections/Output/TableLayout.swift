/// The widths and alignments of a table's columns.
struct TableLayout: Equatable {
  enum Alignment: Equatable {
    case left, right
  }

  struct Column: Equatable {
    /// The width to which shorter text is padded, in cells.
    var width: Int
    /// The width to which longer text is cut; nil if it may make its line longer.
    var limit: Int?
    var alignment: Alignment
  }

  /// The separator between two columns.
  static let separator: StaticString = " │ "
  static let separatorWidth = 3
  /// No column is made narrower to fit: two characters and `…` are still useful.
  static let minimumWidth = 3

  private(set) var columns: [Column]
  /// The widths before the columns were shrunk.
  private var naturalWidths: [Int]
  /// For each column whether a number was added, and whether a text was.
  private var hasNumber: [Bool]
  private var hasText: [Bool]
  private let lineWidth: Int?

  /// Makes columns as wide as their widest cell, header included. A column is right-aligned if all
  /// its cells in `rows` that are not placeholders are numbers.
  ///
  /// With `width` the widest columns shrink first until the table fits, or until all of them are at
  /// the minimum: then the lines are longer than `width`.
  init(columns names: [String], rows: [[DisplayCell]], width: Int?) {
    naturalWidths = names.map { DisplayText($0).width }
    columns = names.map { _ in Column(width: 0, limit: nil, alignment: .left) }
    hasNumber = names.map { _ in false }
    hasText = hasNumber
    lineWidth = width
    add(rows)
  }

  /// Makes room for more rows. The columns of the rows before do not become narrower, unless a line
  /// would be longer than the width.
  mutating func add(_ rows: [[DisplayCell]]) {
    for index in columns.indices {
      for row in rows {
        let cell = row[index]
        // No column is wider than the line that it must fit in.
        let width = DisplayText(cell.text).width(upTo: lineWidth ?? .max)
        naturalWidths[index] = max(naturalWidths[index], width)
        switch cell.kind {
        case .number: hasNumber[index] = true
        case .text: hasText[index] = true
        case .placeholder: break
        }
      }
      columns[index].alignment = hasNumber[index] && !hasText[index] ? .right : .left
    }
    fit()
  }

  /// Widens a column of numbers for a number that is longer than those in `rows`.
  ///
  /// Text is still readable without its end, a number is not. Columns of numbers also tend to grow:
  /// the ids of the first 200 rows have three digits. Columns of text shrink to make room.
  mutating func makeRoom(for cell: DisplayCell, in column: Int) {
    let width = cell.text.utf8.count
    guard cell.kind == .number, columns[column].alignment == .right,
      width > naturalWidths[column]
    else { return }
    naturalWidths[column] = width
    fit()
  }

  /// The width of a line, in cells.
  var totalWidth: Int {
    columns.reduce(0) { $0 + $1.width } + max(columns.count - 1, 0) * Self.separatorWidth
  }

  private mutating func fit() {
    for (index, width) in naturalWidths.enumerated() {
      columns[index].width = width
    }
    guard let lineWidth else { return }
    var excess = totalWidth - lineWidth
    while excess > 0 {
      // Shrink the widest columns to the next smaller width at once: then the number of rounds is
      // limited by the number of columns, not by the width of the text.
      guard let widest = columns.map(\.width).max(), widest > Self.minimumWidth else { break }
      let next = columns.map(\.width).filter { $0 < widest }.max() ?? 0
      let affected = columns.indices.filter { columns[$0].width == widest }
      let possible = (widest - max(next, Self.minimumWidth)) * affected.count
      let wanted = min(possible, excess)
      let (each, left) = wanted.quotientAndRemainder(dividingBy: affected.count)
      for (order, index) in affected.enumerated() {
        // The last columns lose the remainder, so that the first ones stay wider.
        columns[index].width -= each + (order >= affected.count - left ? 1 : 0)
      }
      excess -= wanted
    }
    for index in columns.indices { columns[index].limit = columns[index].width }
    // Text at the end of a line is not padded, so later rows can use the space that is left.
    if excess < 0, let last = columns.indices.last, columns[last].alignment == .left {
      columns[last].limit = columns[last].width - excess
    }
  }
}
