import SQLiteStorage

@testable import FetchedResults

/// A random file, a random list of it, and random transactions: all that one seed gives.
struct SchemaCase {
  let seed: UInt64
  /// The statements that make the file.
  var schema: [String]
  /// The first rows. Those that the schema does not allow are left out.
  var rows: [String]
  var transactions: [RandomWrites.Transaction]
  let request: FetchRequest<Row>
  let sectionKey: SectionKey<Row>?
  /// Whether the order may tear a section.
  let mayTear: Bool
  let plain: PlainList
  /// The columns that the caller names as the key; nil for those that follow.
  let key: [String]?

  init(seed: UInt64, transactionCount: Int) {
    var draw = RandomDraw(seed: seed)
    let schema = RandomSchema(&draw)
    let writes = RandomWrites(schema)
    rows = (0..<draw.number(5...40)).map { _ in
      writes.insert(into: draw.one(of: schema.tables), &draw)
    }
    self.schema = schema.statements
    self.seed = seed

    let (base, select, columns) = Self.source(schema, &draw)
    var request = base.request
    key = base.key
    let mayCollate = select?.isExact ?? true
    var order: [String] = []
    for _ in 0..<draw.one(of: [0, 1, 1, 2]) where !columns.isEmpty {
      let term = RandomTerm(draw.one(of: columns), mayCollate: mayCollate, &draw)
      request = request.sorted(term.term)
      order.append(term.order)
    }
    var section: RandomTerm?
    if draw.chance(45), !columns.isEmpty {
      section = RandomTerm(draw.one(of: columns), mayCollate: mayCollate, &draw)
    }
    // Sections whose order is not the key itself may be torn, which a short window seldom is.
    var sectionOrder: RandomTerm?
    if section != nil, mayCollate, draw.chance(25) {
      sectionOrder = RandomTerm(draw.one(of: columns), mayCollate: true, &draw)
      // The key is an expression then, which has no declared collation.
      if section?.collation == nil { section?.collation = .binary }
    }
    var totals: [String] = []
    if draw.chance(35), !columns.isEmpty {
      let name = draw.one(of: columns).name
      request = request.totals([
        .count, .sum(\Row[name]), .average(\Row[name]), .min(\Row[name]), .max(\Row[name]),
      ])
      totals = ["count(*)", "sum(\(name))", "avg(\(name))", "min(\(name))", "max(\(name))"]
    }
    var window = RowWindow.all
    if sectionOrder != nil || draw.chance(20) {
      let limit = draw.one(of: sectionOrder == nil ? [1, 3, 6] : [3, 4])
      window =
        draw.chance(30)
        ? .last(limit, shown: nil) : .first(limit, offset: draw.one(of: [0, 0, 2]))
      request = request.limited(window)
    }
    if draw.chance(30) { request.chunkPolicy = ChunkPolicy(identityLimit: 0, chunkSize: 3) }
    self.request = request
    sectionKey = section?.sectionKey(order: sectionOrder)
    mayTear = sectionOrder != nil
    plain = PlainList(
      select: base.sql, section: section.map { ($0.name, $0.order) },
      sectionOrder: sectionOrder?.order,
      order: order + (select?.order ?? []), window: window,
      totals: totals, isExact: select?.isExact ?? true)
    transactions = (0..<transactionCount).map { _ in writes.next(&draw) }
  }

  private typealias Base = (request: FetchRequest<Row>, sql: String, key: [String]?)

  /// The rows: of a table, a view or a SELECT.
  private static func source(
    _ schema: RandomSchema, _ draw: inout RandomDraw
  ) -> (Base, SchemaSelect?, [RandomSchema.Column]) {
    if draw.chance(20) {
      let source = draw.one(of: schema.tables + schema.views)
      var request = FetchRequest(table: source.name)
      var sql = "SELECT * FROM \(source.name)"
      if draw.chance(40) {
        let column = draw.one(of: source.columns)
        let condition =
          "\(column.name) \(draw.one(of: ["=", ">", "IS NOT"])) \(draw.value(for: column.type))"
        request = request.filter(SQLFragment(verbatim: condition))
        sql += " WHERE \(condition)"
      }
      return ((request, sql, nil), nil, source.columns)
    }
    let select = SchemaSelect(schema, &draw)
    // Names that may identify the rows, or not.
    if draw.chance(8), let column = select.columns.first, select.order.isEmpty {
      let key = [column.name]
      return (
        (FetchRequest(select: SQL(verbatim: select.sql), key: key), select.sql, key), select,
        select.columns
      )
    }
    return (
      (FetchRequest(select: SQL(verbatim: select.sql)), select.sql, nil), select, select.columns
    )
  }

  /// All that is needed to make the list by hand.
  var description: String {
    """
    \((schema + rows).joined(separator: ";\n"));
    -- \(plain.select)
    -- key \(key as Any), section \(plain.section as Any) by \(plain.sectionOrder as Any), order \(plain.order), \
    window \(plain.window), totals \(plain.totals)
    \(transactions.map { transaction in
      (transaction.isForeign ? "-- by another\n" : "--\n") + transaction.statements.joined(separator: ";\n") + ";"
    }.joined(separator: "\n"))
    """
  }
}

/// A term of an order or a section key.
private struct RandomTerm {
  let name: String
  let direction: SortTerm<Row>.Direction
  var collation: Collation?
  let nulls: SortTerm<Row>.Nulls?

  init(_ column: RandomSchema.Column, mayCollate: Bool, _ draw: inout RandomDraw) {
    name = column.name
    direction = draw.chance(60) ? .ascending : .descending
    collation =
      mayCollate ? draw.one(of: [nil, nil, nil, .binary, .nocase, .rtrim]) : nil
    nulls = draw.one(of: [nil, nil, .first, .last])
  }

  var term: SortTerm<Row> { .by(\Row[name], direction, collation: collation, nulls: nulls) }

  func sectionKey(order: RandomTerm?) -> SectionKey<Row> {
    guard let order else {
      return .property(\Row[name], direction, collation: collation, nulls: nulls)
    }
    return .expression(
      "\(\Row[name])", direction, collation: collation, nulls: nulls, order: order.term)
  }

  var order: String {
    name + (collation.map { " COLLATE \($0.name)" } ?? "")
      + (direction == .descending ? " DESC" : "")
      + (nulls.map { $0 == .first ? " NULLS FIRST" : " NULLS LAST" } ?? "")
  }
}
