internal import CountedTrees
internal import LiveQueries
internal import SQLiteStorage

/// Reads totals from the database: those that cannot be adjusted by the rows that changed, and those of
/// a window.
struct TotalsReader {
  private let plan: QueryPlan
  private let connection: Connection

  /// - Parameter connection: a connection that sees the version of the totals.
  init(_ plan: QueryPlan, in connection: Connection) {
    self.plan = plan
    self.connection = connection
  }

  /// Reads the totals of the rows in the window of a layout, in one ordered scan.
  ///
  /// Complexity: O(rows up to the end of the window), with an SQL index that has the order.
  func totals(of layout: ResultsLayout) throws -> ResultTotals {
    var builder = ResultTotals.Builder(plan.parts.totals.terms, from: 0)
    let statement = try plan.statement(
      for: plan.parts.totalArguments(at: layout.window), in: connection)
    defer { statement.reset() }
    var section = 0
    var end = layout.sectionCount > 0 ? layout.rows(inSection: 0).upperBound : 0
    var position = 0
    while try statement.step() {
      while position >= end, section + 1 < layout.sectionCount {
        section += 1
        end = layout.rows(inSection: section).upperBound
      }
      builder.add(statement.currentRow, section: section)
      position += 1
    }
    var totals = builder.finish(sectionCount: layout.sectionCount)
    try complete(&totals, of: layout)
    return totals
  }

  /// Completes the totals of a layout in which rows have changed.
  func update(_ layout: inout ResultsLayout) throws {
    guard var totals = layout.totals else {
      layout.totals = try totals(of: layout)
      return
    }
    try complete(&totals, of: layout)
    layout.totals = totals
  }

  /// Reads the values that are not known.
  ///
  /// Complexity: O(rows of the section) for each of these values, with an SQL index of the section
  /// key, and O(n) without. If there are many, they are read together. O(n) for a value of the whole
  /// list; its smallest and largest value follow from the sections.
  ///
  /// - Throws: `DatabaseError`; `FetchError` with code `.totalOverflow` if SQLite cannot add integers.
  func complete(_ totals: inout ResultTotals, of layout: ResultsLayout) throws {
    let isWindow = plan.parts.isWindow
    if totals.sections.weight > 4, !isWindow, let all = plan.parts.totalsOfSections {
      try readSections(&totals, by: all)
    }
    while totals.sections.weight > 0 {
      let section = totals.sections.position(containingWeight: 0).position
      var new = totals.sections[section]
      try new.complete { index, counter in
        try read(totals.terms[index], counter) {
          try value(of: $0, inSection: section, of: layout, isWindow: isWindow)
        }
      }
      totals.sections.update(at: section) { $0 = new }
    }
    // The only section of an undivided result is the list.
    if plan.parts.sectioning.isNone, !totals.sections.isEmpty {
      totals.whole = totals.sections[0]
      return
    }
    let (terms, sections) = (totals.terms, totals.sections)
    try totals.whole.complete { index, counter in
      if terms[index].function.isExtreme {
        var extreme = TotalCounter(terms[index].function)
        for section in sections.elements() {
          extreme.add(section.totals[index], terms[index].comparator)
        }
        return extreme.known
      }
      return try read(terms[index], counter) { term in
        try value(
          of: isWindow
            ? plan.parts.total(term, at: layout.window)
            : plan.parts.total(term, isOfSection: false))
      }
    }
  }

  private func value(
    of term: TotalTerm, inSection section: Int, of layout: ResultsLayout, isWindow: Bool
  ) throws -> TotalArgument {
    let key = layout.section(at: section).key
    if !isWindow, plan.parts.totals.sectionKey != nil, let key {
      return try value(of: plan.parts.total(term, isOfSection: true), key: key)
    }
    if !isWindow, key == nil { return try value(of: plan.parts.total(term, isOfSection: false)) }
    let rows = layout.rows(inSection: section)
    let start = layout.window.lowerBound + rows.lowerBound
    return try value(of: plan.parts.total(term, at: start..<(start + rows.count)))
  }

  private func value(of query: BoundSQL, key: KeyTuple? = nil) throws -> TotalArgument {
    let (statement, firstUnbound) = try connection.statement(
      for: query, parameters: plan.statements.parameters, unboundCount: key == nil ? 0 : 1)
    defer { statement.reset() }
    try key?.bind(to: statement, from: firstUnbound)
    guard try statement.step() else { return TotalArgument(.null) }
    return statement.currentRow.withContent(at: 0) { TotalArgument($0) }
  }

  private func readSections(_ totals: inout ResultTotals, by query: BoundSQL) throws {
    let statement = try plan.statement(for: query, in: connection)
    defer { statement.reset() }
    for section in 0..<totals.sections.count {
      do {
        guard try statement.step() else { return }
      } catch let error as DatabaseError where error.isAboutValues {
        // Reported by the section that has it, which is read alone next.
        return
      }
      guard totals.sections[section].weight > 0 else { continue }
      totals.sections.update(at: section) { counters in
        counters.complete { index, _ in
          statement.currentRow.withContent(at: index) { TotalArgument($0) }
        }
      }
    }
  }

  /// Reads a total. SQLite's message about an overflow does not say what it is about.
  private func read(
    _ term: TotalTerm, _ counter: TotalCounter, _ read: (TotalTerm) throws -> TotalArgument
  ) throws -> TotalArgument {
    do {
      return try read(term)
    } catch let error as DatabaseError where error.isAboutValues && counter.mayOverflow {
      // All arguments have been read, so this is not about one of them.
      throw FetchError.totalOverflow(term.name)
    }
  }
}
