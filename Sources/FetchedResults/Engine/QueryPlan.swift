internal import SQLiteStorage

/// A request made ready for one schema: the statements that answer it, and the order they answer
/// in.
///
/// It does not know the type of the records: code that handles every row must be compiled for its
/// types, which for the application's own could only happen in the application.
struct QueryPlan: Sendable {
  /// One term of the order, in SQL and for comparing in Swift.
  struct OrderTerm: Sendable {
    let expression: BoundSQL
    /// Whether it is just a number, which sorts nothing.
    let isNumber: Bool
    let collation: Collation?
    let comparison: SortOrder.Term

    /// The collation as it stands behind an expression.
    var collate: String { collation.map { " COLLATE \($0.name.quotedIdentifier)" } ?? "" }

    /// The term as it stands in `ORDER BY`, with everything written out.
    var sql: BoundSQL { sql(isReversed: false) }

    /// The same, or the term for the opposite order.
    func sql(isReversed: Bool) -> BoundSQL {
      let direction = comparison.isDescending != isReversed ? " DESC" : " ASC"
      // Written only where it is not the default, which an index serves.
      let isDefault = comparison.areNullsFirst != comparison.isDescending
      let areNullsFirst = comparison.areNullsFirst != isReversed
      let nulls = isDefault ? "" : areNullsFirst ? " NULLS FIRST" : " NULLS LAST"
      return expression + (collate + direction + nulls)
    }
  }

  /// How sections are told apart.
  enum Sectioning: Sendable {
    case none
    /// By an expression. It is contiguous where it is also the first term of the order.
    case sql(BoundSQL, comparator: TextComparator, isContiguous: Bool)
    /// By a value computed in Swift from the columns of the record, which come first in the row.
    case computed(@Sendable (borrowing RowView) throws -> Value)

    /// Whether the result is not divided.
    var isNone: Bool { if case .none = self { true } else { false } }

    /// Tells whether two keys are one section.
    var comparator: TextComparator {
      if case .sql(_, let comparator, _) = self { comparator } else { .binary }
    }

    /// Whether the order guarantees that rows of one section are together.
    var isContiguous: Bool {
      if case .sql(_, _, let isContiguous) = self { isContiguous } else { false }
    }
  }

  /// What stands after `FROM`.
  let source: BoundSQL
  /// The conditions, each in parentheses; nil for none.
  let filter: BoundSQL?
  /// The columns of the key.
  let key: [String]
  /// Whether the schema guarantees that keys are unique.
  let isKeyUnique: Bool
  let sectioning: Sectioning
  /// The order without the key, which always follows.
  let terms: [OrderTerm]
  /// The order of the key.
  let keyTerms: [OrderTerm]
  /// The columns of a record.
  let columns: [SelectedColumn]
  let parameters: [String: Value]
  let limit: Int?
  let offset: Int
  let fetchBatchSize: Int
  /// How the result is kept true when rows change.
  var maintenance = MaintenancePlan.comparison(reason: "it has not been looked at")
  /// How the rows before a place in the order are found; nil where only reading many would tell.
  var precedingRows: RowsFromPlace?
  /// How the rows from a place in the order on are found; nil where SQLite would have to sort.
  var followingRows: RowsFromPlace?
  /// What rows of the result have in one column; nil where nothing is known.
  var requiredValue: RequiredValue?
  /// When chunks of rows are held instead of each; `followingRows` tell what is in them.
  var chunkPolicy = ChunkPolicy()

  // What follows from the above and is asked for row by row: to make it costs as much as a row.

  /// Whether results of both plans can be compared row by row: they have the same columns, order,
  /// key and sections.
  func isComparable(to other: QueryPlan) -> Bool {
    observed.map(\.text) == other.observed.map(\.text)
      && orderBy.text == other.orderBy.text && sectioning.isNone == other.sectioning.isNone
  }

  /// The order, for comparing sort keys; a sort key ends with the values of the key.
  private(set) var order = SortOrder(terms: [])
  /// The sort key of one row of the result: no row where the key is not in the result. The values
  /// of the key are left open.
  private(set) var probe = BoundSQL("")
  /// The record of one row, by its key, which is left open.
  private(set) var fetch = BoundSQL("")
  /// Everything observed of one row: the record, what it is sorted by, and its section's key; no row
  /// where the key is not in the result. The values of the key are left open.
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
    order = SortOrder(terms: (terms + keyTerms).map(\.comparison))
    probe = select(terms.map(\.expression) + keyColumns) + where_(filterAndKey)
    // In a damaged file the key may lead to another row than the one that was found in order: it has
    // to meet the condition too, where that costs next to nothing.
    let isFilterCheap =
      filter.map { $0.values.count <= 16 && SQLTokens($0.text).isComparisonOfColumns } ?? false
    fetch =
      select(columns.map { BoundSQL($0.sql) })
      + where_(isFilterCheap ? filterAndKey : keyCondition)
    observation = select(observed) + where_(filterAndKey)
  }
}

extension QueryPlan {
  /// All rows in order: the section's key or, for a computed one, the record; then the row's key.
  var scan: BoundSQL {
    select(sectionColumns + keyColumns) + where_(filter) + orderBy
  }

  private var orderBy: BoundSQL { orderBy((terms + keyTerms)[...]) }

  private func orderBy(_ terms: ArraySlice<OrderTerm>, isReversed: Bool = false) -> BoundSQL {
    // SQLite would take a number for a column of the result, and sort by that.
    let terms = terms.filter { !$0.isNumber }.map { $0.sql(isReversed: isReversed) }
    return BoundSQL(" ORDER BY ") + terms.joined(", ")
  }

  /// The columns of a row's key in ``scan``.
  var scanKeyColumns: Range<Int> { sectionColumns.count..<(sectionColumns.count + key.count) }

  /// What the rows that meet some conditions are sorted by, in the order of some terms.
  ///
  /// - Parameters:
  ///   - isReversed: whether the order is the opposite.
  ///   - isFiltered: whether rows that the request leaves out are left out.
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

  /// Everything observed of all rows, in order: the columns of ``observation``.
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

  /// Two rows with one key, where there are any.
  var duplicates: BoundSQL {
    // The scan tells of a key that is NULL.
    let notNull = keyColumns.map { $0 + " NOTNULL" }
    let groups = zip(keyColumns, keyTerms).map { $0 + $1.collate }
    return select(keyColumns) + where_(([filter].compactMap(\.self) + notNull).joined(" AND "))
      + (BoundSQL(" GROUP BY ") + groups.joined(", ") + " HAVING count(*) > 1 LIMIT 1")
  }

  /// What the request itself adds to its source, as one piece.
  var fragments: String {
    (observed.map(\.text) + [filter?.text].compactMap(\.self)).joined(separator: ",\n")
  }

  /// The keys of the rows that meet a condition, from a source with the same columns and more.
  func keys(from source: String, where condition: String) -> BoundSQL {
    BoundSQL("SELECT ") + keyColumns.joined(", ") + " FROM \(source)"
      + where_([filter, BoundSQL(condition)].compactMap(\.self).joined(" AND "))
  }

  private var keyColumns: [BoundSQL] { key.map { BoundSQL($0.quotedIdentifier) } }

  private var keyCondition: BoundSQL {
    // Under the collation that makes keys unique, which need not be the column's.
    zip(keyColumns, keyTerms).map { $0 + " = ?" + $1.collate }.joined(" AND ")
  }

  private var filterAndKey: BoundSQL {
    [filter, keyCondition].compactMap(\.self).joined(" AND ")
  }

  private func select(_ selected: [BoundSQL]) -> BoundSQL {
    // A record may have no columns at all, but a SELECT may not.
    let list = selected.isEmpty ? BoundSQL("NULL") : selected.joined(", ")
    return BoundSQL("SELECT ") + list + " FROM " + source
  }

  private func where_(_ condition: BoundSQL?) -> BoundSQL {
    condition.map { BoundSQL(" WHERE ") + $0 } ?? BoundSQL("")
  }
}
