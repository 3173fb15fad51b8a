internal import CountedTrees
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
    let arguments = plan.parts.totals.arguments
    var builder = ResultTotals.Builder(plan.parts.totals.terms, columns: 0..<arguments.count)
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
      for index in new.counters.indices where !new.counters[index].isKnown {
        let term = totals.terms[index]
        new.counters[index].set(
          try read(term) {
            try value(of: term, inSection: section, of: layout, isWindow: isWindow)
          })
      }
      totals.sections.update(at: section) { $0 = new }
    }
    // The only section of an undivided result is the list.
    if plan.parts.sectioning.isNone, !totals.sections.isEmpty {
      totals.whole = totals.sections[0]
      return
    }
    for index in totals.whole.counters.indices where !totals.whole.counters[index].isKnown {
      let term = totals.terms[index]
      if case .extreme = totals.whole.counters[index] {
        var extreme = TotalCounter(term)
        for section in totals.sections.elements() { extreme.add(section.counters[index]) }
        totals.whole.counters[index] = extreme
        continue
      }
      let query =
        isWindow
        ? plan.parts.total(term, at: layout.window)
        : plan.parts.total(term, isOfSection: false)
      totals.whole.counters[index].set(try read(term) { try value(of: query) })
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
    return statement.currentRow.withComponent(at: 0) { TotalArgument($0) }
  }

  private func readSections(_ totals: inout ResultTotals, by query: BoundSQL) throws {
    let statement = try plan.statement(for: query, in: connection)
    defer { statement.reset() }
    for section in 0..<totals.sections.count {
      do {
        guard try statement.step() else { return }
      } catch let error as DatabaseError where error.isOverflow {
        // Reported by the section that has it, which is read alone next.
        return
      }
      let old = totals.sections[section]
      guard old.weight > 0 else { continue }
      var new = old
      for index in new.counters.indices where !new.counters[index].isKnown {
        new.counters[index].set(
          statement.currentRow.withComponent(at: index) { TotalArgument($0) })
      }
      totals.sections.update(at: section) { $0 = new }
    }
  }

  /// Runs `body`. SQLite's message about an overflow does not say what it is about.
  private func read(
    _ term: TotalTerm, _ body: () throws -> TotalArgument
  ) throws -> TotalArgument {
    do {
      return try body()
    } catch let error as DatabaseError where error.isOverflow {
      throw FetchError(
        .totalOverflow, "the total \(term.name) is too large for an integer",
        nextStep: "Add REAL values: sum(x * 1.0)")
    }
  }
}

extension DatabaseError {
  /// Whether `sum()` has added integers to one that is too large.
  var isOverflow: Bool { message.contains("integer overflow") }
}
