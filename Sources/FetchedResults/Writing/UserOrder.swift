internal import SQLiteStorage

/// The order of a request whose rows stand where their ``Position`` says, in one transaction.
///
/// It does not know the type of the records. The rows are those of the request: rows that its
/// conditions leave out have an order of their own, as the rows of another list have.
struct UserOrder {
  /// The columns that say where a row is.
  struct Columns {
    let position: String
    /// Nil where the sections are no column, or there are none.
    let section: String?
  }

  /// A row in its section.
  struct Row {
    let key: KeyTuple
    let value: Value

    /// Its place; nil where it has none yet, or something else stands there.
    var position: Position? {
      if case .text(let text) = value { Position(rawValue: text) } else { nil }
    }
  }

  /// A place that is free now.
  struct Place {
    let position: Position
    /// The number of other rows that got new positions, to make room for it.
    let rewrittenCount: Int
  }

  // The decision about positions has the reasons for these.

  /// The greatest length: instead of a longer one the rows around get shorter ones.
  static let longest = 128
  /// How much shorter they must get, at least, and once more for eight times as many rows.
  static let shortening = 16
  /// The number of rows that get shorter ones, at least.
  static let leastWindow = 128

  let connection: Connection
  let plan: QueryPlan
  let table: WrittenTable
  let columns: Columns
  /// The number of terms in the plan's order that sort the sections.
  let sectionTermCount: Int

  var term: QueryPlan.OrderTerm { plan.terms[sectionTermCount] }
  var isDescending: Bool { term.comparison.isDescending }
}

// MARK: - Rows

extension UserOrder {
  /// What the database has of a row now; nil where it is not in the result any more.
  func find(_ identity: RowIdentity) throws -> (row: Row, section: KeyTuple?)? {
    guard let observed = try plan.observe(identity.key, in: connection) else { return nil }
    let values = observed.sortKey.values
    // Under a collation such as NOCASE it may be another row that has come in its place.
    guard Array(values.suffix(plan.key.count)) == identity.values else { return nil }
    return (Row(key: identity.key, value: values[sectionTermCount]), observed.sectionKey)
  }

  /// Whether two keys are one section.
  func isSameSection(_ lhs: KeyTuple?, _ rhs: KeyTuple?) -> Bool {
    guard let lhs, let rhs else { return lhs == nil && rhs == nil }
    let order = SortOrder(terms: [
      SortOrder.Term(
        comparator: plan.sectioning.comparator, isDescending: false, areNullsFirst: true)
    ])
    return order.compare(lhs, rhs) == 0
  }

  /// The rows of a section in order, all but one.
  ///
  /// Complexity: O(rows of the section).
  func rows(of section: KeyTuple?, without excluded: KeyTuple?) throws -> [Row] {
    let terms = (plan.terms + plan.keyTerms).filter { !$0.isNumber }
    return try rows(
      section, "", [], BoundSQL(" ORDER BY ") + terms.map(\.sql).joined(", "), without: excluded)
  }

  /// The row with the position next to another one, without regard to one row; nil where there is
  /// none.
  ///
  /// Complexity: one look-up in an index of the section and the position; O(n) without one.
  func nearest(
    _ direction: Direction, _ position: Position, in section: KeyTuple?,
    without excluded: KeyTuple?
  ) throws -> Row? {
    let column = columns.position.quotedIdentifier
    let (comparison, order) = direction == .above ? (">", "ASC") : ("<", "DESC")
    return try rows(
      section, "\(column)\(term.collate) \(comparison) ?", [position.columnValue],
      BoundSQL(" ORDER BY \(column)\(term.collate) \(order) LIMIT 2"), without: excluded
    ).first
  }

  /// Where to look, in the order of the texts.
  enum Direction {
    case above, below
  }

  private func rows(
    _ section: KeyTuple?, _ condition: String, _ values: [Value], _ order: BoundSQL,
    without excluded: KeyTuple?
  ) throws -> [Row] {
    var conditions = [plan.filter].compactMap(\.self)
    if case .sql(let expression, _, _) = plan.sectioning {
      let collate = plan.terms[sectionTermCount - 1].collate
      conditions.append(expression + collate + BoundSQL(" IS ?", [try value(of: section)]))
    }
    if !condition.isEmpty { conditions.append(BoundSQL(condition, values)) }
    let list = plan.key.map(\.quotedIdentifier) + [columns.position.quotedIdentifier]
    var sql = BoundSQL("SELECT \(list.joined(separator: ", ")) FROM ") + plan.source
    if !conditions.isEmpty { sql = sql + " WHERE " + conditions.joined(" AND ") }
    let (statement, _) = try connection.statement(for: sql + order, parameters: plan.parameters)
    var rows: [Row] = []
    try statement.forEachRow { row in
      let count = plan.key.count
      guard let key = KeyTuple(row, columns: 0..<count), key != excluded else { return }
      rows.append(Row(key: key, value: row.value(at: count)))
    }
    return rows
  }

  private func value(of section: KeyTuple?) throws -> Value {
    let value = section?.values.first ?? .null
    guard section == KeyTuple([value]) else {
      throw FetchError(
        .notOrdered, "the section \(value.shortDescription) holds bytes that are not valid UTF-8",
        nextStep: "Correct the text of its rows before moving them")
    }
    return value
  }
}
