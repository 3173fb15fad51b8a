internal import SQLiteStorage

/// The order of a request whose rows are sorted by their ``Position``, in one transaction.
///
/// It does not depend on the type of the records. The rows are those of the request. Rows that its
/// conditions exclude have their own order, like the rows of another list.
struct UserOrder {
  struct Columns {
    let position: String
    /// The section column; nil if the section key is not a column, or there are no sections.
    let section: String?
  }

  struct OrderedRow {
    let key: KeyTuple
    let value: Value

    /// The position; nil if the column has none yet, or another value.
    var position: Position? {
      if case .text(let text) = value { Position(rawValue: text) } else { nil }
    }
  }

  /// A free position.
  struct Place {
    let position: Position
    /// The number of other rows that got new positions to make room.
    let rewrittenCount: Int
  }

  // The decision record about positions has the reasons for these numbers.

  /// The maximum length of a position. Above it, the rows around get shorter ones.
  static let longest = 128
  /// The minimum by which they get shorter, and again for each eightfold number of rows.
  static let shortening = 16
  /// The minimum number of rows that get shorter positions.
  static let leastWindow = 128

  let connection: Connection
  let plan: QueryPlan
  let table: WrittenTable
  let columns: Columns
  /// The number of terms in the plan's order that sort the sections.
  let sectionTermCount: Int

  var term: QueryPlan.OrderTerm { plan.parts.terms[sectionTermCount] }
  var isDescending: Bool { term.comparison.isDescending }
}

// MARK: - Rows

extension UserOrder {
  /// The current values of a row in the database; nil if it is no longer in the result.
  func find(_ identity: RowIdentity) throws -> (row: OrderedRow, section: KeyTuple?)? {
    guard let observed = try plan.observe(RowKey(identity), in: connection) else { return nil }
    let values = observed.sortKey.values
    // Under a collation such as NOCASE, another row may have replaced it.
    guard Array(values.suffix(plan.parts.key.count)) == identity.values else { return nil }
    return (OrderedRow(key: identity.key, value: values[sectionTermCount]), observed.sectionKey)
  }

  func isSameSection(_ lhs: KeyTuple?, _ rhs: KeyTuple?) -> Bool {
    guard let lhs, let rhs else { return lhs == nil && rhs == nil }
    return plan.parts.sectioning.comparator.isSame(lhs, rhs)
  }

  /// The rows of a section in order, without one row.
  ///
  /// Complexity: O(rows of the section).
  func rows(of section: KeyTuple?, without excluded: KeyTuple?) throws -> [OrderedRow] {
    let terms = (plan.parts.terms + plan.parts.keyTerms).filter { !$0.isNumber }
    return try rows(
      section, "", [], BoundSQL(" ORDER BY ") + terms.map(\.sql).joined(", "), without: excluded)
  }

  /// The row with the nearest position above or below, without one row; nil if there is none.
  ///
  /// Complexity: one look-up in an index of the section and the position; O(n) without one.
  func nearest(
    _ direction: Direction, _ position: Position, in section: KeyTuple?,
    without excluded: KeyTuple?
  ) throws -> OrderedRow? {
    let column = columns.position.quotedIdentifier
    let (comparison, order) = direction == .above ? (">", "ASC") : ("<", "DESC")
    return try rows(
      section, "\(column)\(term.collate) \(comparison) ?", [position.columnValue],
      BoundSQL(" ORDER BY \(column)\(term.collate) \(order) LIMIT 2"), without: excluded
    ).first
  }

  /// The direction of a search, in ascending order of the texts.
  enum Direction {
    case above, below
  }

  private func rows(
    _ section: KeyTuple?, _ condition: String, _ values: [Value], _ order: BoundSQL,
    without excluded: KeyTuple?
  ) throws -> [OrderedRow] {
    var conditions = [plan.parts.filter].compactMap(\.self)
    if case .sql(let expression, _, _) = plan.parts.sectioning {
      let collate = plan.parts.terms[sectionTermCount - 1].collate
      conditions.append(expression + collate + BoundSQL(" IS ?", [try value(of: section)]))
    }
    if !condition.isEmpty { conditions.append(BoundSQL(condition, values)) }
    let list = plan.parts.key.map(\.quotedIdentifier) + [columns.position.quotedIdentifier]
    var sql = BoundSQL("SELECT \(list.joined(separator: ", ")) FROM ") + plan.parts.source
    if !conditions.isEmpty { sql = sql + " WHERE " + conditions.joined(" AND ") }
    let statement = try plan.statement(for: sql + order, in: connection)
    var rows: [OrderedRow] = []
    try statement.forEachRow { row in
      let count = plan.parts.key.count
      let key = KeyTuple(packing: row, columns: 0..<count)
      guard key != excluded else { return }
      rows.append(OrderedRow(key: key, value: row.value(at: count)))
    }
    return rows
  }

  private func value(of section: KeyTuple?) throws -> Value {
    let value = section?.values.first ?? .null
    guard section == KeyTuple([value], isExact: true) else {
      throw FetchError(
        .notOrdered, "the section \(value.shortDescription) holds bytes that are not valid UTF-8",
        nextStep: "Correct the text of its rows before moving them")
    }
    return value
  }
}
