internal import CountedTrees
internal import LiveQueries
internal import SQLiteStorage

/// What is counted of a group of rows, so that its totals follow the rows that come and leave, and no other row is
/// read. The group is a section, the whole list, or a group of `GROUP BY`.
///
/// Counters are a commutative group, like the summaries in a rope of swift-collections: rows are added and removed in
/// any order, a row that is added and removed leaves no trace, and the counters of two groups add up to those of all
/// their rows. Extremes are the exception: the next one is not known if the last of them is removed. A counter then says
/// that it must be read (``TotalCounter/isKnown``).
///
/// A value is shown only if it is certain that SQLite returns the same. These are not:
///
/// | what | if | why |
/// |---|---|---|
/// | `sum`, `total`, `avg` | a value is REAL, text or a blob | the last digits depend on the order in which SQLite adds |
/// | `total`, `avg` | the magnitudes add up to more than 2^53 | SQLite adds REALs, which round from there on |
/// | `sum` | the sum does not fit into 64 bits | it is an error |
/// | `sum` of a `GROUP BY` | the magnitudes add up to more than fits into 64 bits | it is an error in some orders of the rows |
/// | `min`, `max` | the extreme was removed, and no other value is known to be exactly that | the next one is another row's |
/// | `min`, `max` | a REAL was removed that is nearly the extreme | it may be the extreme, added up in another order |
/// | `min`, `max` of a `GROUP BY` | it is text that is not valid UTF-8 | a `Value` has other bytes, and SQLite would sort it elsewhere |
/// | all of a `GROUP BY` | a term of GROUP BY is REAL, or an extreme's argument that may equal an INTEGER | SQLite's plan decides which of two equal values is shown |
///
/// One case is not noticed: if the same REALs have come and left, in other rows, the sum stays, although SQLite now adds them
/// in another order.
///
/// A total of a section that is not certain is read from the database, and is certain until other values come or leave
/// (``TotalsReader``). Of a `GROUP BY` extremes are read, and for all others SQLite computes the row (``HeldStep``).
struct GroupCounters: CountedElement {
  private(set) var rowCount = 0
  /// The number of REALs in the way of all values of a `GROUP BY`.
  private var realCount = 0
  /// One for each term.
  private(set) var totals: [TotalCounter]

  /// The counters for no rows.
  init(_ terms: [TotalTerm]) { totals = terms.map { TotalCounter($0.function) } }

  /// The counters for rows that the database has counted.
  ///
  /// - Parameter row: a row of ``HeldQueries/counters``.
  init(_ queries: HeldQueries, countedIn row: borrowing RowView) {
    rowCount = Int(row.int64(at: 0))
    realCount = Int(row.int64(at: 1))
    totals = []
    for (term, columns) in zip(queries.terms, queries.counted) {
      totals.append(TotalCounter(term.function, countedIn: row, from: columns.lowerBound))
    }
  }

  /// 1 if a total must be read from the database, so that a tree finds such sections.
  var weight: Int { totals.allSatisfy(\.isKnown) ? 0 : 1 }

  /// The totals of a section or a list, each of which must be known.
  var values: [Value] { totals.map { $0.value ?? .null } }

  /// The aggregates of a `GROUP BY`; nil if SQLite must compute the row.
  var valuesOfGroup: [Value]? {
    guard realCount == 0, !totals.contains(where: \.mayOverflow) else { return nil }
    var values: [Value] = []
    values.reserveCapacity(totals.count)
    for total in totals {
      guard let value = total.value, total.isValueExact else { return nil }
      values.append(value)
    }
    return values
  }
}

extension GroupCounters {
  /// Adds a row (1), or removes one that was added (-1).
  ///
  /// - Parameter realCount: the number of REALs that are in the way of all values.
  mutating func move(
    _ arguments: [TotalArgument], realCount: Int = 0, by sign: Int, _ terms: [TotalTerm]
  ) {
    rowCount += sign
    self.realCount += sign * realCount
    for index in totals.indices {
      guard let argument = terms[index].argument else {
        // The row itself is counted.
        totals[index].move(.integer(1), by: sign, .binary)
        continue
      }
      arguments[argument].withContent {
        totals[index].move($0, by: sign, terms[index].comparator)
      }
    }
  }

  /// Adds a row that is read.
  ///
  /// - Parameter column: the column of the first argument.
  mutating func add(_ row: borrowing RowView, from column: Int, _ terms: [TotalTerm]) {
    rowCount += 1
    for index in totals.indices {
      guard let argument = terms[index].argument else {
        totals[index].add(1)
        continue
      }
      if let value = row.integer(at: column + argument) {
        totals[index].add(value)
      } else {
        row.withContent(at: column + argument) {
          totals[index].move($0, by: 1, terms[index].comparator)
        }
      }
    }
  }

  mutating func add(_ other: GroupCounters, _ terms: [TotalTerm]) {
    rowCount += other.rowCount
    realCount += other.realCount
    for index in totals.indices { totals[index].add(other.totals[index], terms[index].comparator) }
  }

  /// Sets the totals that must be read, unless SQLite must compute all values.
  ///
  /// - Parameter read: returns the total at a position, of which the counter is also passed; nil if it is not read.
  mutating func complete(_ read: (Int, TotalCounter) throws -> TotalArgument?) rethrows {
    guard realCount == 0 else { return }
    for index in totals.indices where !totals[index].isKnown {
      if let value = try read(index, totals[index]) { totals[index].set(value) }
    }
  }
}
