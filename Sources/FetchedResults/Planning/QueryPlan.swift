internal import SQLiteStorage

/// A request compiled for one schema: its SQL queries, and the order of their rows.
///
/// It does not depend on the type of the records. Code that handles every row must be specialised
/// for its types, and for the application's own types that is only possible in the application.
struct QueryPlan: Sendable {
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
    /// the row.
    case computed(@Sendable (borrowing RowView) throws -> Value)

    /// Whether the result is not divided into sections.
    var isNone: Bool { if case .none = self { true } else { false } }

    /// Compares section keys: equal keys are one section.
    var comparator: TextComparator {
      if case .sql(_, let comparator, _) = self { comparator } else { .binary }
    }

    /// Whether the order guarantees that the rows of a section are adjacent.
    var isContiguous: Bool {
      if case .sql(_, _, let isContiguous) = self { isContiguous } else { false }
    }
  }

  /// The SQL after `FROM`.
  let source: BoundSQL
  /// The conditions, each in parentheses; nil if there are none.
  let filter: BoundSQL?
  /// The columns of the key. Empty if rows have no key; then the result can only be read from a
  /// copy.
  let key: [String]
  /// Whether the schema guarantees that keys are unique.
  let isKeyUnique: Bool
  let sectioning: Sectioning
  /// The order without the terms of the key, which always follow.
  let terms: [OrderTerm]
  /// The order of the key.
  let keyTerms: [OrderTerm]
  /// The columns of a record.
  let columns: [SelectedColumn]
  let parameters: [String: Value]
  let limit: Int?
  let offset: Int
  let fetchBatchSize: Int
  /// How the result is kept up to date when rows change.
  var maintenance = MaintenancePlan.comparison(reason: "it has not been looked at")
  /// Whether the rows are read from a copy of the result: they have no key, or SQLite would read
  /// more than one row to find one.
  var isCopied = false
  /// Whether rows are identified by their content and not by a key.
  private(set) var isWithoutKey = false
  /// The keyset query for the rows before a position in the order; nil if it would read many rows.
  var precedingRows: KeysetQuery?
  /// The keyset query for the rows from a position in the order on; nil if SQLite would sort.
  var followingRows: KeysetQuery?
  /// A column that has the same value in all rows of the result; nil if none is known.
  var requiredValue: EqualityFilter?
  /// When the index holds chunks of rows instead of keys. `followingRows` reads the rows of a
  /// chunk.
  var chunkPolicy = ChunkPolicy()

  // The following are derived from the properties above. They are stored because they are used for
  // each row, and computing one costs as much as reading a row.

  /// Whether results of both plans can be compared row by row: they have the same columns, order,
  /// key and sections.
  func isComparable(to other: QueryPlan) -> Bool {
    shape.observed == other.shape.observed && shape.order == other.shape.order
      && sectioning.isNone == other.sectioning.isNone
  }

  /// Whether the records of both plans have the same columns.
  func hasSameColumns(as other: QueryPlan) -> Bool { shape.columns == other.shape.columns }

  /// The columns and the order as the request has them. A copy has other names for them.
  private struct Shape {
    var columns: [String] = []
    var observed: [String] = []
    var order = ""
  }

  private var shape = Shape()

  /// Whether the order or the sections depend on something that is not a column of the record.
  private(set) var sortsByWhatIsNotShown = false
  /// The order, for comparing sort keys. A sort key ends with the values of the key.
  private(set) var order = SortOrder(terms: [])
  /// The query for the sort key of one row. Its parameters are the values of the key. It returns no
  /// row if the key is not in the result.
  private(set) var probe = BoundSQL("")
  /// The query for the record of one row. Its parameters are the values of the key.
  private(set) var fetch = BoundSQL("")
  /// The query for everything observed of one row: the record, the sort key, and the section's key.
  /// Its parameters are the values of the key. It returns no row if the key is not in the result.
  private(set) var observation = BoundSQL("")

  init(
    source: BoundSQL, filter: BoundSQL?, key: [String], isKeyUnique: Bool, sectioning: Sectioning,
    terms: [OrderTerm], keyTerms: [OrderTerm], columns: [SelectedColumn],
    parameters: [String: Value], limit: Int?, offset: Int, fetchBatchSize: Int
  ) {
    self.source = source
    self.filter = filter
    self.key = key
    self.isKeyUnique = isKeyUnique
    self.sectioning = sectioning
    self.terms = terms
    self.keyTerms = keyTerms
    self.columns = columns
    self.parameters = parameters
    self.limit = limit
    self.offset = offset
    self.fetchBatchSize = fetchBatchSize
    isWithoutKey = key.isEmpty
    order = SortOrder(terms: (terms + keyTerms).map(\.comparison))
    shape = Shape(
      columns: columns.map(\.sql), observed: observed.map(\.text), order: orderBy.text)
    probe = select(terms.map(\.expression) + keyColumns) + where_(filterAndKey)
    // In a damaged file the key may lead to another row than the ordered scan found. So the row
    // must meet the condition too, if that costs next to nothing.
    let isFilterCheap =
      filter.map { $0.values.count <= 16 && SQLTokens($0.text).isComparisonOfColumns } ?? false
    fetch =
      select(columns.map { BoundSQL($0.sql) })
      + where_(isFilterCheap ? filterAndKey : keyCondition)
    observation = select(observed) + where_(filterAndKey)
    let shown = columns.filter { $0.sql == $0.name.quotedIdentifier }.map { $0.name.lowercased() }
    sortsByWhatIsNotShown = (terms.map(\.expression) + sectionKey).contains {
      !SQLTokens($0.text).dependsOnly(on: Set(shown))
    }
  }
}

extension QueryPlan {
  /// The query for all rows in order: the section's key, or the record if the section key is
  /// computed; then the key of the row.
  var scan: BoundSQL {
    select(sectionColumns + keyColumns) + where_(filter) + orderBy
  }

  private var orderBy: BoundSQL { orderBy((terms + keyTerms)[...]) }

  private func orderBy(_ terms: ArraySlice<OrderTerm>, isReversed: Bool = false) -> BoundSQL {
    // SQLite would interpret a number as a column of the result, and sort by that column.
    let terms = terms.filter { !$0.isNumber }.map { $0.sql(isReversed: isReversed) }
    if terms.isEmpty { return BoundSQL("") }
    return BoundSQL(" ORDER BY ") + terms.joined(", ")
  }

  /// The columns of ``scan`` that make the key.
  var scanKeyColumns: Range<Int> { sectionColumns.count..<(sectionColumns.count + key.count) }

  /// The query for the sort keys of the rows that meet some conditions, in the order of some terms.
  ///
  /// - Parameters:
  ///   - isReversed: whether the order is reversed.
  ///   - isFiltered: whether the conditions of the request apply too.
  func sortKeys(
    where conditions: [String], in order: ArraySlice<OrderTerm>, isReversed: Bool, isFiltered: Bool
  ) -> BoundSQL {
    let conditions =
      (isFiltered ? [filter].compactMap(\.self) : []) + conditions.map { BoundSQL($0) }
    return select(terms.map(\.expression) + keyColumns)
      + where_(conditions.isEmpty ? nil : conditions.joined(" AND "))
      + orderBy(order, isReversed: isReversed)
  }

  private var sectionColumns: [BoundSQL] {
    if case .computed = sectioning { columns.map { BoundSQL($0.sql) } } else { sectionKey }
  }

  /// The query for everything observed of all rows, in order. It has the columns of
  /// ``observation``.
  var observationOfAll: BoundSQL { select(observed) + where_(filter) + orderBy }

  private var observed: [BoundSQL] {
    columns.map { BoundSQL($0.sql) } + terms.map(\.expression) + keyColumns + sectionKey
  }

  /// The columns of ``observation`` that make the key.
  var observedKey: Range<Int> {
    (columns.count + terms.count)..<(columns.count + terms.count + key.count)
  }

  /// The columns of ``observation`` that make the sort key.
  var observedSortKey: Range<Int> {
    columns.count..<(columns.count + terms.count + key.count)
  }

  private var sectionKey: [BoundSQL] {
    if case .sql(let expression, _, _) = sectioning { [expression] } else { [] }
  }

  /// The query for a key that more than one row has.
  var duplicates: BoundSQL {
    // A key that is NULL is reported by the scan.
    let notNull = keyColumns.map { $0 + " NOTNULL" }
    let groups = zip(keyColumns, keyTerms).map { $0 + $1.collate }
    return select(keyColumns) + where_(([filter].compactMap(\.self) + notNull).joined(" AND "))
      + (BoundSQL(" GROUP BY ") + groups.joined(", ") + " HAVING count(*) > 1 LIMIT 1")
  }

  /// All SQL that the request itself adds to its source, as one text.
  var fragments: String {
    (observed.map(\.text) + [filter?.text].compactMap(\.self)).joined(separator: ",\n")
  }

  /// The query for the keys of the rows that meet a condition, from a source with the same columns
  /// and more.
  func keys(from source: String, where condition: String) -> BoundSQL {
    BoundSQL("SELECT ") + keyColumns.joined(", ") + " FROM \(source)"
      + where_([filter, BoundSQL(condition)].compactMap(\.self).joined(" AND "))
  }

  private var keyColumns: [BoundSQL] { key.map { BoundSQL($0.quotedIdentifier) } }

  private var keyCondition: BoundSQL? {
    if key.isEmpty { return nil }
    // Under the collation that makes keys unique, which may differ from the column's.
    return zip(keyColumns, keyTerms).map { $0 + " = ?" + $1.collate }.joined(" AND ")
  }

  private var filterAndKey: BoundSQL? {
    let conditions = [filter, keyCondition].compactMap(\.self)
    return conditions.isEmpty ? nil : conditions.joined(" AND ")
  }

  private func select(_ selected: [BoundSQL]) -> BoundSQL {
    // A record may have no columns at all, but a SELECT must have one.
    let list = selected.isEmpty ? BoundSQL("NULL") : selected.joined(", ")
    return BoundSQL("SELECT ") + list + " FROM " + source
  }

  private func where_(_ condition: BoundSQL?) -> BoundSQL {
    condition.map { BoundSQL(" WHERE ") + $0 } ?? BoundSQL("")
  }
}

// MARK: - Copies

extension QueryPlan {
  /// The columns of a copy, by name, and the expressions written to them: everything that is
  /// observed.
  var copiedColumns: [(name: String, value: BoundSQL)] {
    // The key may contain the same column twice.
    var names: Set<String> = []
    let key = zip(key, keyColumns).filter { names.insert($0.0.sqliteFolded).inserted }
    return columns.enumerated().map { (columnOfCopy($0), BoundSQL($1.sql)) }
      + terms.enumerated().map { (termOfCopy($0), $1.expression) }
      + key.map { (name: $0.0, value: $0.1) } + sectionKey.map { (sectionOfCopy, $0) }
  }

  /// The query that fills a copy, without `ORDER BY`.
  var copied: BoundSQL { select(copiedColumns.map(\.value)) + where_(filter) }

  /// The columns of the SQL index that finds a row of a copy; nil if rows are found by their rowid.
  var keyOfCopy: String? {
    if isWithoutKey { return nil }
    return zip(keyColumns, keyTerms).map { $0.text + $1.collate }.joined(separator: ", ")
  }

  /// The plan of the same request for a copy, in which all expressions are already computed.
  ///
  /// - Parameter table: the copy.
  func reading(copy table: String) -> QueryPlan {
    let sectioning: Sectioning =
      switch sectioning {
      case .none, .computed: sectioning
      case .sql(_, let comparator, let isContiguous):
        .sql(
          BoundSQL(sectionOfCopy.quotedIdentifier), comparator: comparator,
          isContiguous: isContiguous)
      }
    var plan = QueryPlan(
      source: BoundSQL(table.quotedIdentifier), filter: nil,
      key: isWithoutKey ? [QueryPlan.number] : key, isKeyUnique: isWithoutKey || isKeyUnique,
      sectioning: sectioning,
      terms: terms.enumerated().map { $1.reading(BoundSQL(termOfCopy($0).quotedIdentifier)) },
      keyTerms: isWithoutKey ? [.number] : keyTerms,
      columns: columns.enumerated().map { position, column in
        let copy = columnOfCopy(position).quotedIdentifier
        return SelectedColumn(
          name: column.name, sql: "\(copy) AS \(column.name.quotedIdentifier)")
      },
      parameters: [:], limit: limit, offset: offset, fetchBatchSize: fetchBatchSize)
    plan.shape = shape
    plan.sortsByWhatIsNotShown = sortsByWhatIsNotShown
    plan.isWithoutKey = isWithoutKey
    plan.isCopied = true
    plan.maintenance = maintenance
    return plan
  }

  /// The name of the rowid.
  fileprivate static let number = "rowid"

  private func columnOfCopy(_ position: Int) -> String { "\(prefixOfCopy)column\(position)" }
  private func termOfCopy(_ position: Int) -> String { "\(prefixOfCopy)term\(position)" }
  private var sectionOfCopy: String { "\(prefixOfCopy)section" }

  /// A prefix that makes a name longer than any column of the key; those keep their names.
  private var prefixOfCopy: String {
    String(repeating: "_", count: key.map(\.count).max() ?? 0)
  }
}

extension QueryPlan.OrderTerm {
  /// The rowid of a copy.
  fileprivate static let number = QueryPlan.OrderTerm(
    expression: BoundSQL(QueryPlan.number), isNumber: false, collation: nil,
    comparison: SortOrder.Term(comparator: .binary, isDescending: false, areNullsFirst: true))

  /// The same term for a column that holds its values.
  fileprivate func reading(_ column: BoundSQL) -> QueryPlan.OrderTerm {
    QueryPlan.OrderTerm(
      expression: column, isNumber: isNumber, collation: collation, comparison: comparison)
  }
}
