internal import CountedTrees
internal import LiveQueries
internal import SQLiteStorage

/// The totals of a result: of each of its sections, and of all its rows.
///
/// They are beside the sections of a ``ResultsLayout``, so that a result without totals holds
/// nothing for them.
struct ResultTotals: Sendable {
  /// The counters of one section, one for each total.
  struct Section: CountedElement {
    var counters: [TotalCounter]

    /// 1 if a value must be read from the database, so that the tree finds such sections.
    var weight: Int { counters.allSatisfy(\.isKnown) ? 0 : 1 }

    /// The values. All must be known.
    var values: [Value] { counters.map { $0.value ?? .null } }
  }

  let terms: [TotalTerm]
  /// For each section of the result. Without a limit or offset these are all sections.
  var sections: CountedTree<Section>
  /// For all rows of the result.
  var whole: Section

  /// The counters for no rows.
  static func none(_ terms: [TotalTerm]) -> Section {
    Section(counters: terms.map(TotalCounter.init))
  }

  /// Adds a row to a section.
  mutating func add(_ arguments: [TotalArgument], toSection section: Int) {
    sections.update(at: section) { $0.add(arguments, terms) }
    whole.add(arguments, terms)
  }

  /// Removes a row from a section.
  mutating func remove(_ arguments: [TotalArgument], fromSection section: Int) {
    sections.update(at: section) { $0.remove(arguments, terms) }
    whole.remove(arguments, terms)
  }

  /// Inserts a section without rows.
  mutating func insertSection(at section: Int) {
    sections.insert(ResultTotals.none(terms), at: section)
  }
}

extension ResultTotals.Section {
  /// Adds a row.
  mutating func add(_ arguments: [TotalArgument], _ terms: [TotalTerm]) {
    for (index, term) in terms.enumerated() {
      arguments.withArgument(of: term) { counters[index].add($0) }
    }
  }

  /// Removes a row that was added.
  mutating func remove(_ arguments: [TotalArgument], _ terms: [TotalTerm]) {
    for (index, term) in terms.enumerated() {
      arguments.withArgument(of: term) { counters[index].remove($0) }
    }
  }

}

extension [TotalArgument] {
  /// What the totals are computed from in one row.
  init(_ row: borrowing RowView, columns: Range<Int>) {
    self = []
    for column in columns { row.withComponent(at: column) { append(TotalArgument($0)) } }
  }

  fileprivate func withArgument(of term: TotalTerm, _ body: (KeyTuple.Component) -> Void) {
    guard let argument = term.argument else { return body(.row) }
    self[argument].withComponent(body)
  }
}

extension KeyTuple.Component {
  /// Stands for the row itself, in a number of rows.
  fileprivate static var row: KeyTuple.Component { .integer(1) }
}

extension RowView {
  /// Runs `body` with the value of a column, which is valid only inside it.
  func withComponent<Result>(
    at column: Int, _ body: (KeyTuple.Component) throws -> Result
  ) rethrows -> Result {
    switch storageClass(at: column) {
    case .null: try body(.null)
    case .integer: try body(.integer(int64(at: column)))
    case .real: try body(.real(double(at: column)))
    case .text: try withBytes(at: column) { try body(.text($0)) }
    case .blob: try withBytes(at: column) { try body(.blob($0)) }
    }
  }
}

// MARK: - Building

extension ResultTotals {
  /// Computes the totals of sections from their rows, read in order.
  struct Builder {
    private let terms: [TotalTerm]
    /// For each total the column of its argument; nil for the number of rows.
    private let columns: [Int?]
    /// For each total the INTEGERs of the current section that are not in its counter yet.
    private var runs: [IntegerRun]
    private var sections = CountedTree<Section>.Builder()
    private var whole: Section
    /// The current section: its number, and its counters.
    private var number: Int?
    private var current: Section

    /// - Parameter columns: the columns of a row that have the arguments.
    init(_ terms: [TotalTerm], columns: Range<Int>) {
      self.terms = terms
      self.columns = terms.map { $0.argument.map { columns.lowerBound + $0 } }
      runs = terms.map { _ in IntegerRun() }
      whole = ResultTotals.none(terms)
      current = whole
    }

    /// Adds a row.
    ///
    /// - Parameter section: the number of its section. The first may have any number, the next ones
    ///   follow in order.
    mutating func add(_ row: borrowing RowView, section: Int) {
      if number != section {
        endSection()
        number = section
      }
      for index in columns.indices {
        guard let column = columns[index] else {
          runs[index].addRow()
          continue
        }
        if let value = row.integer(at: column) {
          runs[index].add(value)
        } else {
          row.withComponent(at: column) { current.counters[index].add($0) }
        }
      }
    }

    /// Returns the totals. Some may have to be read from the database.
    ///
    /// - Parameter sectionCount: the number of sections. One of them has no rows if the result is
    ///   not divided.
    mutating func finish(sectionCount: Int) -> ResultTotals {
      endSection()
      var sections = sections.finish()
      if sections.isEmpty, sectionCount == 1 {
        sections = CountedTree([ResultTotals.none(terms)])
      }
      return ResultTotals(terms: terms, sections: sections, whole: whole)
    }

    private mutating func endSection() {
      guard number != nil else { return }
      for index in terms.indices {
        current.counters[index].add(runs[index])
        runs[index] = IntegerRun()
        whole.counters[index].add(current.counters[index])
      }
      sections.append(current)
      (number, current) = (nil, ResultTotals.none(terms))
    }
  }
}
