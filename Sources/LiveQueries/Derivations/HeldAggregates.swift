internal import SQLiteStorage

/// The aggregate of a total, by its name in SQL.
package enum TotalFunction: String, Sendable {
  case count, sum, total
  case average = "avg"
  case minimum = "min"
  case maximum = "max"

  /// Whether it is the smallest or the largest value.
  package var isExtreme: Bool { self == .minimum || self == .maximum }
}

/// The queries by which the aggregates of a grouped SELECT are held: the values of a group are moved
/// by what a touched row adds to them, and the other rows of the group are not read.
///
/// SQLite computes everything else. The row of a group is the SELECT itself, in which the aggregates
/// and the terms of GROUP BY are parameters, so that no rule about HAVING, expressions and the
/// conditions around the SELECT is written twice.
package struct HeldAggregates: Sendable {
  package struct Term: Sendable {
    package let function: TotalFunction
    /// The position of the argument in the columns of a ``Contribution``; nil for `count(*)`.
    package let argument: Int?
    /// The aggregate as people write it.
    package let name: String
    /// The query for its value in one group, if it is an extreme. Its parameters are the key.
    package let query: String?
    /// The columns of ``HeldAggregates/counters`` from which it is counted.
    package let columns: Range<Int>
  }

  /// What a touched row of one table adds to its groups.
  package struct Contribution: Sendable {
    package let table: String
    package let schema: String
    /// The query for the joined rows that contain the touched row, whose key is its parameters. Its
    /// columns are what identifies the joined row, the key of the result, and the arguments.
    package let query: String
  }

  /// Whether a group without rows has no row in the result. Otherwise there is only one group.
  package let isGrouped: Bool
  package let terms: [Term]
  /// For each argument, whether a REAL may be equal to an INTEGER, so that SQLite's plan decides
  /// which of them is the extreme.
  package let mayTie: [Bool]
  /// For each column of the key the type that its values must have, so that a parameter behaves as
  /// the column; nil if it is only selected, and must not be REAL.
  package let keyTypes: [String?]
  /// The number of columns that identify a joined row.
  package let rowKeyCount: Int
  package let contributions: [Contribution]
  /// The query for what is held of one group, in one row: the number of rows; the number of values for
  /// which the group must be evaluated instead, a REAL in the key or beside the extreme; and the columns of
  /// each term.
  package let counters: String
  /// The query for the row of a group. Its parameters are the key, and then the terms.
  package let row: String

  /// - Parameters:
  ///   - select: the SELECT of a ``LivePlan``.
  ///   - keys: the columns that identify a row of the result.
  /// - Throws: ``SelectRefusal`` if its aggregates cannot be held.
  package init(_ select: SelectAnalysis, keys: [String]) throws(SelectRefusal) {
    let finder = select.finder
    var parts = try GroupedParts(select.prepared, keys: try select.positions(of: keys), finder)
    row = SelectTree(try parts.row()).named(select.columns).sql
    (isGrouped, keyTypes) = (!parts.grouped.groupBy.isEmpty, parts.keyTypes)
    let group = parts.group
    let aggregates = parts.aggregates
    let arguments = parts.arguments
    mayTie = arguments.map(\.mayTie)
    var reals = zip(parts.key, parts.keyTypes).filter { $1 == nil }.map { $0.0.realCount }
    for aggregate in aggregates where aggregate.function.isExtreme {
      guard let argument = aggregate.argument.map({ arguments[$0] }), argument.mayTie else {
        continue
      }
      reals.append(argument.value.realCount)
    }
    let realCount = reals.dropFirst().reduce(reals.first ?? Expression(.literal("0"))) {
      Expression(.chain($0, [Expression.Link(sign: "+", operand: $1)]))
    }
    var columns = [TotalFunction.count.call(nil), realCount]
    terms = aggregates.map { aggregate in
      let argument = aggregate.argument.map { arguments[$0].value }
      let first = columns.count
      columns += aggregate.function.columns(of: argument)
      return Term(
        function: aggregate.function, argument: aggregate.argument,
        name: "\(aggregate.function.rawValue)(\(argument?.text() ?? "*"))",
        query: aggregate.function.isExtreme
          ? group.returning([aggregate.function.call(argument)]).sql : nil,
        columns: first..<columns.count)
    }
    counters = group.returning(columns).sql
    let rowKeys = parts.rowKeys
    rowKeyCount = rowKeys.count
    contributions = parts.grouped.from.compactMap { item in
      guard let table = finder.table(item.number) else { return nil }
      var rows = parts.rows
      rows.require(
        table.key.enumerated().map { index, column in
          .binary(.column(item.number, .named(column.exact)), "=", Expression(.key(index)))
        })
      return Contribution(
        table: table.name, schema: table.schema,
        query: rows.returning(rowKeys + parts.key + arguments.map(\.value)).sql)
    }
  }
}

/// A SELECT of one grouped SELECT, taken apart.
private struct GroupedParts {
  struct Argument {
    let value: Expression
    let mayTie: Bool
  }

  private let finder: DerivationFinder
  /// The SELECT around the grouped one.
  private let outer: SelectCore
  let grouped: SelectCore
  /// The terms of GROUP BY in the order of the key.
  let key: [Expression]
  let keyTypes: [String?]
  /// The aggregates found so far, and their arguments.
  private(set) var aggregates: [(function: TotalFunction, argument: Int?)] = []
  private(set) var arguments: [Argument] = []

  /// - Parameter tree: a prepared SELECT.
  init(_ tree: SelectTree, keys: [Int], _ finder: DerivationFinder) throws(SelectRefusal) {
    let outer = tree.arms[0].core
    guard tree.arms.count == 1, outer.isPlain, !finder.isGrouped(outer), outer.from.count == 1,
      case .select(let select) = outer.from[0].source, select.arms.count == 1,
      select.limit == nil, select.offset == nil
    else { throw SelectRefusal("it is not one grouped SELECT") }
    let grouped = select.arms[0].core
    guard grouped.isPlain, finder.isGrouped(grouped), !grouped.from.isEmpty else {
      throw SelectRefusal("it is not one grouped SELECT")
    }
    for item in grouped.from {
      guard case .table(_, _, nil) = item.source, [.comma, .inner, .cross].contains(item.join),
        let table = finder.table(item.number), !table.isFullText
      else { throw SelectRefusal("the groups are not those of joined tables") }
    }
    let clauses = outer.clauses + grouped.clauses + grouped.from.compactMap(\.on)
    guard clauses.allSatisfy({ $0.selects.isEmpty && !finder.hasWindow($0) }) else {
      throw SelectRefusal("it has a subquery or a window")
    }
    var key: [Expression] = []
    for position in keys {
      guard case .column(let column) = outer.outputs[position].kind,
        case .output(let index) = column.column
      else { throw SelectRefusal("the key is not the group") }
      key.append(grouped.outputs[index])
    }
    guard Set(key) == Set(grouped.groupBy) else {
      throw SelectRefusal("the key is not the group")
    }
    for group in key {
      // Which spelling of equal texts is shown depends on SQLite's plan.
      guard !group.hasCollation, [nil, "BINARY"].contains(finder.collation(group, grouped.from))
      else { throw SelectRefusal("different texts may be in one group") }
    }
    (self.finder, self.outer, self.grouped, self.key) = (finder, outer, grouped, key)
    keyTypes = key.map { group in
      guard let type = finder.storedAffinity(group, grouped.from) else { return nil }
      return ["INTEGER", "NUMERIC", "TEXT"].contains(type) ? type : nil
    }
    let untyped = zip(key, keyTypes).filter { $1 == nil }.map { $0.0 }
    for value in outer.clauses {
      if case .column = value.kind { continue }
      for column in value.columns {
        guard case .output(let index) = column.column, !untyped.contains(grouped.outputs[index])
        else { throw SelectRefusal("a comparison may convert a group") }
      }
    }
  }

  /// The rows that are grouped.
  var rows: SelectCore {
    var rows = grouped
    (rows.groupBy, rows.having) = ([], nil)
    rows.columns = []
    return rows
  }

  /// The rows of one group.
  var group: SelectCore {
    var group = rows
    finder.bind(key, to: key.parameters, in: &group)
    for (value, parameter) in zip(key, key.parameters) where !finder.isStored(value) {
      // The first condition is for the search, this one compares values alone.
      group.require([.binary(Expression(.prefix("+", value)), "IS", parameter)])
    }
    return group
  }

  /// What identifies a joined row.
  var rowKeys: [Expression] {
    grouped.from.flatMap { item in
      (finder.table(item.number)?.key ?? []).map { .column(item.number, .named($0.exact)) }
    }
  }

  /// The SELECT for the row of one group, in which terms of GROUP BY and aggregates are parameters.
  mutating func row() throws(SelectRefusal) -> SelectCore {
    var inner = SelectCore()
    for column in grouped.columns {
      inner.columns.append(
        try column.mapValue { value throws(SelectRefusal) in try held(value) })
    }
    if let having = grouped.having { inner.condition = try held(having, isPart: true) }
    var row = outer
    row.from[0].source = .select(SelectTree(inner))
    return row
  }

  private mutating func held(
    _ expression: Expression, isPart: Bool = false
  ) throws(SelectRefusal) -> Expression {
    if let index = key.firstIndex(of: expression) {
      let parameter = Expression(.key(index))
      if let type = keyTypes[index] { return Expression(.cast(parameter, type: type)) }
      guard !isPart else { throw SelectRefusal("a comparison may convert a group") }
      return parameter
    }
    if finder.isAggregate(expression), case .call(let call) = expression.kind {
      return Expression(.key(key.count + (try index(of: call))))
    }
    if case .column(let column) = expression.kind {
      throw SelectRefusal("\(column.column.name) is not a term of GROUP BY")
    }
    var copy = self
    defer { self = copy }
    return try expression.mapChildren(
      { child throws(SelectRefusal) in try copy.held(child, isPart: true) },
      select: { select throws(SelectRefusal) in select })
  }

  /// The position of an aggregate among those that are held.
  private mutating func index(of call: Expression.FunctionCall) throws(SelectRefusal) -> Int {
    guard let function = TotalFunction(rawValue: call.name.sqliteFolded.text), !call.isDistinct,
      call.orderBy.isEmpty, call.arguments.count == (call.arguments.isEmpty ? 0 : 1),
      !call.arguments.isEmpty || function == .count,
      !(call.arguments + [call.filter].compactMap(\.self)).contains(where: \.hasCollation)
    else { throw SelectRefusal("\(call.name)() cannot be held") }
    var value = call.arguments.first
    if function.isExtreme, let value,
      ![nil, "BINARY"].contains(finder.collation(value, grouped.from))
    {
      throw SelectRefusal("the collation of an extreme is not BINARY")
    }
    let mayTie = value.map { value in
      !["INTEGER", "NUMERIC", "REAL", "TEXT"].contains(
        finder.storedAffinity(value, grouped.from) ?? "")
    }
    if let filter = call.filter {
      let branch = Expression.Branch(condition: filter, value: value ?? .one)
      value = Expression(.choice(base: nil, branches: [branch], otherwise: nil))
    }
    var argument: Int?
    if let value {
      argument = arguments.firstIndex { $0.value == value }
      if argument == nil {
        argument = arguments.count
        arguments.append(Argument(value: value, mayTie: mayTie ?? false))
      }
    }
    if let known = aggregates.firstIndex(where: { $0 == (function, argument) }) { return known }
    aggregates.append((function, argument))
    return aggregates.count - 1
  }
}

extension DerivationFinder {
  /// The affinity of the values of a column of a table; nil if they may be of any type.
  fileprivate func storedAffinity(_ expression: Expression, _ items: [FromItem]) -> String? {
    isStored(expression) && !isOfAnyType(expression) ? affinity(expression, items) : nil
  }
}

extension SelectCore {
  /// Whether it has neither VALUES nor DISTINCT.
  fileprivate var isPlain: Bool { values == nil && !isDistinct }
}

extension TotalFunction {
  /// The columns from which it is counted in one group: the number of values; for a sum also the number,
  /// the sum and the sum of the magnitudes of the INTEGERs; for an extreme also itself.
  ///
  /// - Parameter value: nil for all rows.
  fileprivate func columns(of value: Expression?) -> [Expression] {
    let count = TotalFunction.count.call(value)
    guard let value else { return [count] }
    switch self {
    case .count: return [count]
    case .sum, .total, .average:
      let integer = value.integerOnly
      return [
        count, TotalFunction.count.call(integer), TotalFunction.sum.call(integer),
        TotalFunction.sum.call(Expression.call("abs", integer)),
      ]
    case .minimum, .maximum: return [count, call(value)]
    }
  }

  /// - Parameter argument: nil for all rows.
  fileprivate func call(_ argument: Expression?) -> Expression {
    var call = Expression.FunctionCall(name: rawValue)
    if let argument { call.arguments = [argument] } else { call.isStar = true }
    return Expression(.call(call))
  }
}

extension Expression {
  fileprivate static func call(_ name: String, _ argument: Expression) -> Expression {
    var call = FunctionCall(name: name)
    call.arguments = [argument]
    return Expression(.call(call))
  }

  /// The value if it is an INTEGER; else NULL.
  fileprivate var integerOnly: Expression { only("'integer'", self) }

  /// The number of values that are REAL.
  fileprivate var realCount: Expression {
    TotalFunction.count.call(only("'real'", .one))
  }

  private func only(_ storageClass: String, _ value: Expression) -> Expression {
    let branch = Branch(condition: Expression(.literal(storageClass.exact)), value: value)
    return Expression(
      .choice(base: .call("typeof", self), branches: [branch], otherwise: nil))
  }
}
