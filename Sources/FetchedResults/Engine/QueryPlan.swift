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
  /// The columns of the key; none where nothing identifies a row, and it can only be read in a copy.
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
  /// Whether the rows are read from a copy of the result: nothing identifies them, or SQLite would
  /// read more than one row to find one.
  var isCopied = false
  /// Whether rows are told apart by what they contain, and not by a key.
  private(set) var isWithoutKey = false
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
    shape.observed == other.shape.observed && shape.order == other.shape.order
      && sectioning.isNone == other.sectioning.isNone
  }

  /// Whether the records of both plans have the same columns.
  func hasSameColumns(as other: QueryPlan) -> Bool { shape.columns == other.shape.columns }

  /// What is read and how it is sorted, as the request says it: a copy has other names for it.
  private struct Shape {
    var columns: [String] = []
    var observed: [String] = []
    var order = ""
  }

  private var shape = Shape()

  /// Whether the order or the sections come from something that is not a column of the record.
  private(set) var sortsByWhatIsNotShown = false
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
    isWithoutKey = key.isEmpty
    order = SortOrder(terms: (terms + keyTerms).map(\.comparison))
    shape = Shape(
      columns: columns.map(\.sql), observed: observed.map(\.text), order: orderBy.text)
    probe = select(terms.map(\.expression) + keyColumns) + where_(filterAndKey)
    // In a damaged file the key may lead to another row than the one that was found in order: it has
    // to meet the condition too, where that costs next to nothing.
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
  /// All rows in order: the section's key or, for a computed one, the record; then the row's key.
  var scan: BoundSQL {
    select(sectionColumns + keyColumns) + where_(filter) + orderBy
  }

  private var orderBy: BoundSQL { orderBy((terms + keyTerms)[...]) }

  private func orderBy(_ terms: ArraySlice<OrderTerm>, isReversed: Bool = false) -> BoundSQL {
    // SQLite would take a number for a column of the result, and sort by that.
    let terms = terms.filter { !$0.isNumber }.map { $0.sql(isReversed: isReversed) }
    if terms.isEmpty { return BoundSQL("") }
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

  private var keyCondition: BoundSQL? {
    if key.isEmpty { return nil }
    // Under the collation that makes keys unique, which need not be the column's.
    return zip(keyColumns, keyTerms).map { $0 + " = ?" + $1.collate }.joined(" AND ")
  }

  private var filterAndKey: BoundSQL? {
    let conditions = [filter, keyCondition].compactMap(\.self)
    return conditions.isEmpty ? nil : conditions.joined(" AND ")
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

// MARK: - Copies

extension QueryPlan {
  /// The columns of a copy, by name, and what is written to them: everything that is observed.
  var copiedColumns: [(name: String, value: BoundSQL)] {
    // The key may have the same column twice.
    var names: Set<String> = []
    let key = zip(key, keyColumns).filter { names.insert($0.0.sqliteFolded).inserted }
    return columns.enumerated().map { (columnOfCopy($0), BoundSQL($1.sql)) }
      + terms.enumerated().map { (termOfCopy($0), $1.expression) }
      + key.map { (name: $0.0, value: $0.1) } + sectionKey.map { (sectionOfCopy, $0) }
  }

  /// The query for what a copy is made of: the rows as they come.
  var copied: BoundSQL { select(copiedColumns.map(\.value)) + where_(filter) }

  /// The SQL index by which a row of a copy is found; nil where its number does that.
  var keyOfCopy: String? {
    if isWithoutKey { return nil }
    return zip(keyColumns, keyTerms).map { $0.text + $1.collate }.joined(separator: ", ")
  }

  /// The same request of a copy, where everything has been computed.
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

  /// What SQLite calls the number of a row.
  fileprivate static let number = "rowid"

  private func columnOfCopy(_ position: Int) -> String { "\(prefixOfCopy)column\(position)" }
  private func termOfCopy(_ position: Int) -> String { "\(prefixOfCopy)term\(position)" }
  private var sectionOfCopy: String { "\(prefixOfCopy)section" }

  /// What makes a name longer than any of the key, which keep their names.
  private var prefixOfCopy: String {
    String(repeating: "_", count: key.map(\.count).max() ?? 0)
  }
}

extension QueryPlan.OrderTerm {
  /// The number of a row in a copy.
  fileprivate static let number = QueryPlan.OrderTerm(
    expression: BoundSQL(QueryPlan.number), isNumber: false, collation: nil,
    comparison: SortOrder.Term(comparator: .binary, isDescending: false, areNullsFirst: true))

  /// The same term, of a column that holds its values.
  fileprivate func reading(_ column: BoundSQL) -> QueryPlan.OrderTerm {
    QueryPlan.OrderTerm(
      expression: column, isNumber: isNumber, collation: collation, comparison: comparison)
  }
}
