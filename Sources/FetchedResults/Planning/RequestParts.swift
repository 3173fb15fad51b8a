internal import LiveQueries
internal import SQLiteStorage

/// The parts of a request in SQL, for one schema, and the queries that are made of them.
///
/// ``QueryPlan`` stores the queries that are run for each row.
package struct RequestParts: Sendable {
  /// The SQL after `FROM`.
  var source: BoundSQL
  /// The SELECT that is the source; nil for a table or view.
  let select: String?
  /// The conditions, each in parentheses; nil if there are none.
  private(set) var filter: BoundSQL?
  /// The columns of the key. Empty if rows have no key; then their content identifies them.
  package let key: [String]
  /// Whether the schema guarantees that keys are unique.
  var isKeyUnique: Bool
  /// Whether a value of a key may be `NULL`. Then `NULL` is a value like any other: the schema does not
  /// guarantee that it is in one row only.
  var isKeyNullable: Bool
  /// Whether there is at most one row, which needs no key to be identified.
  var isOnlyRow = false
  let sectioning: QueryPlan.Sectioning
  /// The name of the section with a value; nil for the value's text.
  var sectionTitle: (@Sendable (Value) -> String?)?
  /// The order without the terms of the key, which always follow.
  let terms: [QueryPlan.OrderTerm]
  let keyTerms: [QueryPlan.OrderTerm]
  let columns: [SelectedColumn]
  let parameters: [ExactText: Value]
  var window: RowWindow
  let fetchBatchSize: Int
  /// When the index holds chunks of rows instead of keys.
  let chunkPolicy: ChunkPolicy
  /// The number of bytes that the rows may take in memory, if they must be packed there; nil for no limit.
  var packedSizeLimit: Int?
  /// The totals of the sections and of the list.
  var totals = TotalParts()
  /// As in the request.
  var ignoresCaseOfNames = false
}

extension RequestParts {
  /// Leaves only the row with an identity, which has a value for each column of the key.
  mutating func restrict(to identity: RowIdentity, spelled spellings: KeySpellings?) {
    guard let keyCondition else { return }
    let condition =
      spellings?.condition(for: identity) ?? BoundSQL(keyCondition.text, identity.values)
    filter = filter.map { $0 + " AND " + condition } ?? condition
  }

  /// How keys may be stored in other forms than records write them; nil if they cannot be.
  func keySpellings<Record>(_ description: RecordDescription<Record>) -> KeySpellings? {
    KeySpellings(
      zip(key, keyTerms).map { column, term in
        KeySpellings.Column(
          column, collate: term.collate, description.spelling(ofColumn: column))
      })
  }

  /// Whether the result may be a part of the order.
  var isWindow: Bool { window != .all }

  /// The query for all rows in order: the section's key, or the record if the section key is
  /// computed; then the key of the row, and what the totals are computed from.
  var scan: BoundSQL {
    select(sectionColumns + keyColumns + totals.arguments) + where_([filter]) + orderBy
  }

  /// The same with the sort key of the row at the end.
  var scanWithSortKeys: BoundSQL {
    select(sectionColumns + keyColumns + totals.arguments + terms.map(\.expression) + keyColumns)
      + where_([filter]) + orderBy
  }

  /// The columns of ``scanWithSortKeys`` that make the sort key.
  var scannedSortKey: Range<Int> {
    scanTotals.upperBound..<(scanTotals.upperBound + terms.count + key.count)
  }

  /// The query for the records in order, within the window of the request.
  var records: BoundSQL {
    select(columns.map { BoundSQL($0.sql) }) + where_([filter]) + orderBy + windowClause
  }

  /// The query for the number of ``records``.
  var recordCount: BoundSQL {
    guard isWindow else { return rowCount }
    return BoundSQL("SELECT count(*) FROM (") + select([BoundSQL("1")]) + where_([filter])
      + windowClause + ")"
  }

  /// The query for the number of all rows.
  var rowCount: BoundSQL { select([BoundSQL("count(*)")]) + where_([filter]) }

  /// The query for the most frequent values of an expression among all rows, with the number of rows that have each.
  func valueCounts(of expression: BoundSQL, limit: Int) -> BoundSQL {
    select([BoundSQL("(") + expression + "\n)", BoundSQL("count(*)")]) + where_([filter])
      + BoundSQL(" GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT \(limit)")
  }

  /// The `LIMIT` clause; empty if the result is not a window.
  var windowClause: BoundSQL {
    let text =
      switch window {
      case .all: ""
      case .first: " LIMIT ? OFFSET ?"
      case .last: " LIMIT ? OFFSET max(0, (\(rowCount.text)) - ?)"
      }
    return BoundSQL(text, window.values(ofConditions: rowCount.values))
  }

  var scanKeyColumns: Range<Int> { sectionColumns.count..<(sectionColumns.count + key.count) }

  /// The columns of ``scan`` that the totals are computed from.
  var scanTotals: Range<Int> {
    scanKeyColumns.upperBound..<(scanKeyColumns.upperBound + totals.arguments.count)
  }

  private var sectionColumns: [BoundSQL] {
    if case .computed = sectioning { columns.map { BoundSQL($0.sql) } } else { sectionKey }
  }

  /// The query for the sort key of one row. Its parameters are the values of the key. It returns no
  /// row if the key is not in the result.
  var probe: BoundSQL {
    select(terms.map(\.expression) + keyColumns) + where_([filter, keyCondition])
  }

  /// The query for the record of one row. Its parameters are the values of the key.
  var fetch: BoundSQL {
    // In a damaged file the key may lead to another row than the ordered scan found. So the row
    // must meet the condition too, if that costs next to nothing.
    let isFilterCheap =
      filter.map { $0.values.count <= 16 && $0.expression?.isComparisonOfColumns == true } ?? false
    return select(columns.map { BoundSQL($0.sql) })
      + where_([isFilterCheap ? filter : nil, keyCondition])
  }

  /// The query for everything observed of one row: the record, the sort key, the section's key, and
  /// what the totals are computed from.
  /// Its parameters are the values of the key. It returns no row if the key is not in the result.
  package var observation: BoundSQL { select(observed) + where_([filter, keyCondition]) }

  /// The query for everything observed of all rows, in order. It has the columns of
  /// ``observation``.
  var observationOfAll: BoundSQL { select(observed) + where_([filter]) + orderBy }

  /// What is observed of a row.
  var observed: [BoundSQL] {
    columns.map { BoundSQL($0.sql) } + terms.map(\.expression) + keyColumns + sectionKey
      + totals.arguments
  }

  /// The columns of ``observation`` that make the key.
  var observedKey: Range<Int> {
    (columns.count + terms.count)..<(columns.count + terms.count + key.count)
  }

  /// The columns of ``observation`` that make the sort key.
  var observedSortKey: Range<Int> {
    columns.count..<(columns.count + terms.count + key.count)
  }

  /// The columns of ``observation`` that the totals are computed from.
  var observedTotals: Range<Int> {
    let lower = observedSortKey.upperBound + sectionKey.count
    return lower..<(lower + totals.arguments.count)
  }

  /// The query for the sort keys of the rows that meet some conditions, in the order of some terms.
  ///
  /// - Parameters:
  ///   - isReversed: whether the order is reversed.
  ///   - isFiltered: whether the conditions of the request apply too.
  func sortKeys(
    where conditions: [String], in order: ArraySlice<QueryPlan.OrderTerm>, isReversed: Bool,
    isFiltered: Bool
  ) -> BoundSQL {
    select(terms.map(\.expression) + keyColumns)
      + where_([isFiltered ? filter : nil] + conditions.map { BoundSQL($0) })
      + orderBy(order, isReversed: isReversed)
  }

  /// The query for a key that more than one row has and that the schema does not exclude.
  var duplicates: BoundSQL {
    let hasNull = BoundSQL("(") + keyColumns.map { $0 + " ISNULL" }.joined(" OR ") + ")"
    let groups = zip(keyColumns, keyTerms).map { $0 + $1.collate }
    return select(keyColumns) + where_([filter, isKeyUnique ? hasNull : nil])
      + (BoundSQL(" GROUP BY ") + groups.joined(", ") + " HAVING count(*) > 1 LIMIT 1")
  }

  /// The query for everything observed of all rows, in no order, as ``LivePlan`` analyses it: the
  /// columns of ``observation``, in which those of the key have names of their own.
  var observationOfAny: (sql: BoundSQL, keys: [String]) {
    let names = key.indices.map { "key \($0)" }
    let key = zip(keyColumns, names).map { $0 + " AS \($1.quotedIdentifier)" }
    let others = columns.map { BoundSQL($0.sql) } + terms.map(\.expression)
    return (select(others + key + sectionKey + totals.arguments) + where_([filter]), names)
  }

  /// The query for the record of the row that `observation` returns.
  func fetch(from observation: String) -> String {
    let list =
      columns.isEmpty ? "NULL" : columns.map(\.name.quotedIdentifier).joined(separator: ", ")
    return "SELECT \(list) FROM (\(observation))"
  }

  /// The query for the key of a row as the result spells it, by a key that is equal under the
  /// collations; nil if equal keys are spelled in one way. The parameters have the names of
  /// ``LivePlan``.
  var storedKey: BoundSQL? {
    let isFolded = keyTerms.contains { term in
      if case .binary? = term.collation ?? .binary { false } else { true }
    }
    guard isFolded else { return nil }
    let conditions = zip(keyColumns, keyTerms).enumerated().map { index, column in
      column.0 + " IS \(KeyParameter.name(index))" + column.1.collate
    }
    return select(keyColumns) + where_([filter] + conditions)
  }

  /// All SQL that the request itself adds to its source, as one text.
  var fragments: String {
    (observed.map(\.text) + [filter?.text].compactMap(\.self)).joined(separator: ",\n")
  }

  /// Whether the key, the order, the sections or the totals depend on something that is not a column of
  /// the record.
  var observesWhatIsNotShown: Bool {
    let shown = columns.filter { $0.sql == $0.name.quotedIdentifier }.map(\.name.sqliteFolded)
    // A key that becomes 1.0 from 1 is the same. A rowid, the only key without a collation, is an integer.
    let hidesKey = zip(key, keyTerms).contains { column, term in
      term.collation != nil && !shown.contains(column.sqliteFolded)
    }
    return hidesKey
      || (terms.map(\.expression) + sectionKey + totals.arguments).contains {
        $0.expression?.dependsOnly(on: Set(shown)) != true
      }
  }
}

// MARK: - Clauses

extension RequestParts {
  var orderBy: BoundSQL { orderBy((terms + keyTerms)[...]) }

  private func orderBy(
    _ terms: ArraySlice<QueryPlan.OrderTerm>, isReversed: Bool = false
  ) -> BoundSQL {
    // SQLite would interpret a number as a column of the result, and sort by that column.
    let terms = terms.filter { !$0.isNumber }.map { $0.sql(isReversed: isReversed) }
    if terms.isEmpty { return BoundSQL("") }
    return BoundSQL(" ORDER BY ") + terms.joined(", ")
  }

  private var sectionKey: [BoundSQL] {
    if case .sql(let expression, _, _) = sectioning { [expression] } else { [] }
  }

  private var keyColumns: [BoundSQL] { key.map { BoundSQL($0.quotedIdentifier) } }

  private var keyCondition: BoundSQL? {
    if key.isEmpty { return nil }
    // Under the collation that makes keys unique, which may differ from the column's.
    let sign = isKeyNullable ? "IS" : "="
    return zip(keyColumns, keyTerms).map { $0 + " \(sign) ?" + $1.collate }.joined(" AND ")
  }

  func select(_ selected: [BoundSQL]) -> BoundSQL {
    // A record may have no columns at all, but a SELECT must have one.
    let list = selected.isEmpty ? BoundSQL("NULL") : selected.joined(", ")
    return BoundSQL("SELECT ") + list + " FROM " + source
  }

  func where_(_ conditions: [BoundSQL?]) -> BoundSQL {
    let conditions = conditions.compactMap(\.self)
    return conditions.isEmpty ? BoundSQL("") : BoundSQL(" WHERE ") + conditions.joined(" AND ")
  }
}
