internal import LiveQueries
package import SQLiteStorage

/// A request compiled for one schema: its SQL queries, the order of their rows, and how rows are
/// found and kept up to date.
///
/// It does not depend on the type of the records. Code that handles every row must be specialised
/// for its types, and for the application's own types that is only possible in the application.
///
/// A class, because it has many parts and is the same in all versions.
///
/// Sendable: immutable.
package final class QueryPlan: Sendable {
  /// One term of the order, in SQL and for comparisons in Swift.
  struct OrderTerm: Sendable {
    let expression: BoundSQL
    /// Whether the expression is only a number, which does not sort anything.
    let isNumber: Bool
    let collation: Collation?
    let comparison: SortOrder.Term

    /// The `COLLATE` clause of the term; empty if it has no collation.
    var collate: String { collation.map { " COLLATE \($0.name.quotedIdentifier)" } ?? "" }

    /// The term for `ORDER BY`, with collation and direction.
    var sql: BoundSQL { sql(isReversed: false) }

    /// The term for `ORDER BY`, in its own or the opposite direction.
    func sql(isReversed: Bool) -> BoundSQL {
      let direction = comparison.isDescending != isReversed ? " DESC" : " ASC"
      // Written only if it is not the default, since an index has the default.
      let isDefault = comparison.areNullsFirst != comparison.isDescending
      let areNullsFirst = comparison.areNullsFirst != isReversed
      let nulls = isDefault ? "" : areNullsFirst ? " NULLS FIRST" : " NULLS LAST"
      return expression + (collate + direction + nulls)
    }
  }

  /// How the rows are divided into sections.
  enum Sectioning: Sendable {
    case none
    /// By an expression. It is contiguous if it is also the first term of the order.
    case sql(BoundSQL, comparator: TextComparator, isContiguous: Bool)
    /// By a value computed in Swift from the columns of the record, which are the first columns of
    /// the row. Nil for a row that cannot be decoded: it is in the section of the row before it.
    case computed(any AnyKeyPath & Sendable, @Sendable (borrowing RowView) -> Value?)

    /// Whether the result is not divided into sections.
    var isNone: Bool { if case .none = self { true } else { false } }

    /// Whether both are by the same property that is computed in Swift, or both are not divided, or both
    /// are divided by SQL.
    func isSameComputation(as other: Sectioning) -> Bool {
      switch (self, other) {
      case (.none, .none), (.sql, .sql): true
      case (.computed(let property, _), .computed(let other, _)): property == other
      default: false
      }
    }

    /// Compares section keys: equal keys are one section.
    var comparator: TextComparator {
      if case .sql(_, let comparator, _) = self { comparator } else { .binary }
    }

    /// Whether the order guarantees that the rows of a section are adjacent.
    var isContiguous: Bool {
      if case .sql(_, _, let isContiguous) = self { isContiguous } else { false }
    }
  }

  /// The statements that are run for each row, and which of their columns are what. They are stored
  /// because computing one costs as much as reading a row.
  package struct Statements: Sendable {
    package let parameters: [ExactText: Value]
    /// ``RequestParts/scan``; if a sort key costs more than a look-up, with its columns at the end.
    let scan: BoundSQL
    /// The columns of ``scan`` that make the sort key; nil if it has none.
    let scannedSortKey: Range<Int>?
    let probe: BoundSQL
    /// The columns of ``probe`` that make the sort key.
    let probedSortKey: Range<Int>
    let fetch: BoundSQL
    package let observation: BoundSQL
    /// The columns of ``observation`` that make the key, and the sort key, and that the totals are
    /// computed from.
    let observedKey, observedSortKey, observedTotals: Range<Int>

    fileprivate init(_ parts: RequestParts, _ maintenance: MaintenancePlan) {
      let rowQueries = maintenance.rowQueries
      parameters = parts.parameters.merging(rowQueries?.parameters ?? [:]) { $1 }
      let scansSortKeys = maintenance.held != nil && !parts.terms.isEmpty
      scan = scansSortKeys ? parts.scanWithSortKeys : parts.scan
      scannedSortKey = scansSortKeys ? parts.scannedSortKey : nil
      probe = (rowQueries?.observation ?? parts.probe).runOften
      probedSortKey =
        rowQueries == nil ? 0..<parts.observedSortKey.count : parts.observedSortKey
      fetch = (rowQueries?.fetch ?? parts.fetch).runOften
      observation = (rowQueries?.observation ?? parts.observation).runOften
      observedKey = parts.observedKey
      observedSortKey = parts.observedSortKey
      observedTotals = parts.observedTotals
    }
  }

  /// What the queries are made of.
  package let parts: RequestParts
  /// How the result is kept up to date when rows change.
  package let maintenance: MaintenancePlan
  /// The tables that the result reads; nil if something else can change it too.
  let tables: [TableDescription]?
  /// Whether the rows are packed in memory: they have no key, or SQLite would read more than one row to find one.
  package let isPacked: Bool
  /// Whether rows are identified by their content and not by a key.
  let isWithoutKey: Bool
  /// Whether only the first rows are fetched, before all are: keys are then compared among these alone.
  let isFirstScreen: Bool
  /// The keyset query for the rows before a position in the order; nil if it would read many rows.
  let precedingRows: KeysetQuery?
  /// The keyset query for the rows from a position in the order on; nil if SQLite would sort. It
  /// reads the rows of a chunk.
  let followingRows: KeysetQuery?
  /// A column that has the same value in all rows of the result; nil if none is known.
  let requiredValue: EqualityFilter?
  private let shape: Shape
  /// Equal for requests whose results are equal in each version; nil if it is not known which are.
  let resultKey: ResultKey?
  package let statements: Statements
  /// The order, for comparing sort keys. A sort key ends with the values of the key.
  let order: SortOrder
  /// Compares keys as the collations do that make them unique.
  var keyOrder: SortOrder { SortOrder(terms: parts.keyTerms.map(\.comparison)) }
  /// Whether the order, the sections or the totals depend on something that is not a column of the
  /// record.
  let observesWhatIsNotShown: Bool

  /// Makes the plan of a request.
  ///
  /// - Parameter isPacked: whether the rows must be packed in memory.
  init(
    _ parts: RequestParts, maintenance: MaintenancePlan, tables: [TableDescription]? = nil,
    isPacked: Bool = false,
    precedingRows: KeysetQuery? = nil, followingRows: KeysetQuery? = nil,
    requiredValue: EqualityFilter? = nil, isFirstScreen: Bool = false
  ) {
    self.parts = parts
    self.isFirstScreen = isFirstScreen
    shape = Shape(parts)
    self.maintenance = maintenance
    self.tables = tables
    self.isPacked = isPacked
    isWithoutKey = parts.key.isEmpty && !parts.isOnlyRow
    // Loops that take other ways to one version number its rows differently.
    resultKey = isWithoutKey ? nil : ResultKey(parts)
    observesWhatIsNotShown = parts.observesWhatIsNotShown
    self.precedingRows = precedingRows
    self.followingRows = followingRows
    self.requiredValue = requiredValue
    statements = Statements(parts, maintenance)
    order = SortOrder(terms: (parts.terms + parts.keyTerms).map(\.comparison))
  }
}

extension QueryPlan {
  /// The plan of the first rows of the same request. The queries stay the same, so none is compiled.
  func limited(to rowCount: Int) -> QueryPlan {
    var parts = parts
    parts.window = parts.window.prefix(max(0, rowCount))
    return QueryPlan(
      parts, maintenance: maintenance, tables: tables, isPacked: isPacked,
      precedingRows: precedingRows, followingRows: followingRows, requiredValue: requiredValue,
      isFirstScreen: true)
  }
}

// MARK: - Comparing plans

extension QueryPlan {
  /// What a result depends on, apart from the version of the database.
  struct ResultKey: Hashable, Sendable {
    /// Texts too: a `Value` is compared by its bytes, as SQLite does.
    private let values: [[Value]]
    private let parameters: [ExactText: Value]
    private let window: RowWindow
    private let numbers: [Int?]

    /// - Returns: nil if a part of the request is a function.
    init?(_ parts: RequestParts) {
      if case .computed = parts.sectioning { return nil }
      guard parts.sectionTitle == nil else { return nil }
      let queries = [parts.scan, parts.observationOfAll]
      let totals = parts.totals.terms.flatMap {
        [$0.function.rawValue, $0.name, $0.collation?.name ?? ""]
      }
      let texts = [
        queries.map(\.text), parts.columns.flatMap { [$0.name, $0.sql] }, parts.key, totals,
      ]
      values = texts.map { $0.map(Value.text) } + queries.map(\.values)
      parameters = parts.parameters
      window = parts.window
      numbers =
        [
          parts.fetchBatchSize, parts.chunkPolicy.identityLimit,
          parts.chunkPolicy.chunkSize, parts.isOnlyRow ? 1 : 0,
        ] + parts.totals.terms.map(\.argument)
    }
  }
}

extension QueryPlan {
  /// A request as it was written, to compare it with others.
  private struct Shape {
    // Texts as Values, which are compared by their bytes.
    let source: Value
    let select: String?
    let columns: [Value]
    let observed: [Value]
    let order: Value
    let parameters: [ExactText: Value]

    init(_ parts: RequestParts) {
      // Two plans of one request differ only in how the schemas spell the names.
      func text(_ sql: String) -> Value {
        .text(parts.ignoresCaseOfNames ? sql.sqliteFolded.text : sql)
      }
      source = text(parts.source.text)
      select = parts.select
      columns = parts.columns.map { text($0.sql) }
      observed = parts.observed.map { text($0.text) }
      order = text(parts.orderBy.text)
      parameters = parts.parameters
    }
  }

  /// Whether results of both plans can be compared row by row: they have the same columns, order,
  /// key and sections.
  func isComparable(to other: QueryPlan) -> Bool {
    shape.observed == other.shape.observed && shape.order == other.shape.order
      && parts.sectioning.isSameComputation(as: other.parts.sectioning)
      && isWithoutKey == other.isWithoutKey
  }

  /// Whether the records of both plans have the same columns.
  func hasSameColumns(as other: QueryPlan) -> Bool { shape.columns == other.shape.columns }

  /// Whether both plans read the same table, view or SELECT.
  func hasSameSource(as other: QueryPlan) -> Bool { shape.source == other.shape.source }

  /// Whether the SELECT that both plans read has the same rows: its parameters have the same
  /// values. True for a table or view.
  func hasSameParameters(as other: QueryPlan, in connection: Connection) throws -> Bool {
    guard let select = shape.select else { return true }
    return try connection.prepare(select).parameterNames.allSatisfy {
      shape.parameters[$0] == other.shape.parameters[$0]
    }
  }
}

extension QueryPlan {
  /// The positions of the rows that are shown.
  ///
  /// Complexity: O(1), or O(n) if they are the last ones.
  ///
  /// - Returns: positions that may be beyond the last row.
  func window(in connection: Connection) throws -> Range<Int> {
    if let range = parts.window.rangeOfAnyCount { return range }
    let statement = try statement(for: parts.rowCount, in: connection)
    defer { statement.reset() }
    return parts.window.range(of: try statement.step() ? Int(statement.currentRow.int64(at: 0)) : 0)
  }

  /// Returns a statement with the values of the request bound.
  ///
  /// - Parameter isShared: whether all callers with the same SQL share one cached statement.
  func statement(
    for sql: BoundSQL, in connection: Connection, isShared: Bool = true
  ) throws -> Statement {
    try connection.statement(for: sql, parameters: statements.parameters, isShared: isShared)
      .statement
  }

  /// Returns a statement whose last parameters are the key of a row, which the caller binds.
  ///
  /// - Returns: the statement, and the number of the first of these parameters.
  package func statement(
    ofRow sql: BoundSQL, in connection: Connection, isShared: Bool = true
  ) throws -> (statement: Statement, firstUnbound: Int) {
    try connection.statement(
      for: sql, parameters: statements.parameters, unboundCount: parts.key.count,
      isShared: isShared)
  }
}
