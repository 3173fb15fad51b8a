internal import CountedTrees
internal import SQLiteStorage

/// The totals of a result: of each of its sections, and of all its rows.
///
/// They are beside the sections of a ``ResultsLayout``, so that a result without totals holds
/// nothing for them.
struct ResultTotals: Sendable {
  let terms: [TotalTerm]
  /// For each section of the result. Without a limit or offset these are all sections.
  var sections: CountedTree<GroupCounters>
  /// For all rows of the result.
  var whole: GroupCounters

  /// Adds a row to a section (1), or removes one that was added (-1).
  mutating func move(_ arguments: [TotalArgument], by sign: Int, inSection section: Int) {
    sections.update(at: section) { $0.move(arguments, by: sign, terms) }
    whole.move(arguments, by: sign, terms)
  }

  /// Inserts a section without rows.
  mutating func insertSection(at section: Int) {
    sections.insert(GroupCounters(terms), at: section)
  }
}

extension ResultTotals {
  /// Computes the totals of sections from their rows, read in order.
  struct Builder {
    private let terms: [TotalTerm]
    /// The column of the first argument.
    private let column: Int
    private var sections = CountedTree<GroupCounters>.Builder()
    private var whole: GroupCounters
    /// The current section: its number, and its counters.
    private var number: Int?
    private var current: GroupCounters

    /// - Parameter column: the column of a row that has the first argument.
    init(_ terms: [TotalTerm], from column: Int) {
      (self.terms, self.column) = (terms, column)
      whole = GroupCounters(terms)
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
      current.add(row, from: column, terms)
    }

    /// Returns the totals. Some may have to be read from the database.
    ///
    /// - Parameter sectionCount: the number of sections. One of them has no rows if the result is
    ///   not divided.
    mutating func finish(sectionCount: Int) -> ResultTotals {
      endSection()
      var sections = sections.finish()
      if sections.isEmpty, sectionCount == 1 { sections = CountedTree([GroupCounters(terms)]) }
      return ResultTotals(terms: terms, sections: sections, whole: whole)
    }

    private mutating func endSection() {
      guard number != nil else { return }
      whole.add(current, terms)
      sections.append(current)
      (number, current) = (nil, GroupCounters(terms))
    }
  }
}
