internal import LiveQueries
package import SQLiteStorage

extension ExplainedPlan {
  /// The steps that read more rows than the query returns.
  package var obstacles: [Obstacle] {
    let subqueries = Set(
      steps.compactMap { step in
        if case .subquery(let name) = step.operation { name.exact } else { nil as ExactText? }
      })
    return steps.compactMap { Obstacle($0, subqueries) }
  }
}

/// A step of a query plan that reads more rows than the query returns.
package struct Obstacle {
  package let step: Int64
  /// The table that is read completely, as named in the query; nil if the step is something else.
  package let source: String?
  let detail: String

  /// - Parameter subqueries: the names of the subqueries, whose own steps are judged alone.
  /// - Returns: nil if the step is a look-up, or reads or sorts the rows that were found.
  fileprivate init?(_ step: ExplainedPlan.Step, _ subqueries: Set<ExactText>) {
    switch step.operation {
    case .search(let access) where access.isLookUp: return nil
    case .scan(let access), .search(let access):
      if subqueries.contains(access.source.exact) || access.isFunction { return nil }
      source = access.source
    case .subquery, .cheap: return nil
    case .other: source = nil
    }
    self.step = step.id
    detail = step.detail
  }

  var reason: String {
    source.map { "reads all of \($0)" } ?? "takes more than look-ups: \(detail)"
  }

  /// The reason, with the names of tables in place of their aliases in `query`, and the index that
  /// would help.
  package func reason(in query: String, _ connection: Connection) throws -> String {
    guard let source else { return reason }
    let candidates = try? IndexCandidates(query)
    let name = candidates?.table(of: source) ?? source
    guard let candidates, let table = try connection.table(named: name) else {
      return "reads all of \(name)"
    }
    // There is an index on the rowid already.
    let rowID = table.isKeyRowID ? table.key.first?.sqliteFolded : nil
    let column = candidates.columns(of: source).first { $0.name?.sqliteFolded != rowID }
    let index = try column.flatMap { column in
      try connection.indexColumn(column, of: table, candidates).flatMap {
        try connection.missingIndex(on: table, [$0])
      }
    }
    return "reads all of \(name)" + (index.map { ": an index on \(name)(\($0)) would help" } ?? "")
  }
}

/// A column of an index that a condition could be searched by, under the collation of the condition.
struct IndexColumn {
  let name: String
  let collation: String
}

extension Connection {
  /// The column of an index that would serve an equation; nil if none would, since the equation converts
  /// the values of the column.
  ///
  /// Source: [Collating Sequences](https://www.sqlite.org/datatype3.html#collating_sequences), and [Type
  /// Conversions Prior To Comparison](https://www.sqlite.org/datatype3.html#type_conversions_prior_to_comparison).
  fileprivate func indexColumn(
    _ column: IndexCandidates.Column, of table: TableDescription, _ candidates: IndexCandidates
  ) throws -> IndexColumn? {
    guard let name = column.name, let own = try comparedColumn(name, of: table) else { return nil }
    var other: (affinity: String, collation: String)?
    if let compared = column.compared, let name = candidates.table(of: compared.alias),
      let table = try self.table(named: name)
    {
      other = try comparedColumn(compared.name, of: table)
    }
    if let other,
      TableDescription.Column.isConverted(own.affinity, beside: other.affinity)
    {
      return nil
    }
    let collation =
      column.collation ?? (column.isLeft ? own.collation : other?.collation ?? own.collation)
    return IndexColumn(name: name, collation: collation)
  }

  /// The affinity and the collation of a column; nil if there is none of that name.
  func comparedColumn(
    _ name: String, of table: TableDescription
  ) throws -> (affinity: String, collation: String)? {
    guard let column = table.columns.first(where: { $0.name.sqliteFolded == name.sqliteFolded })
    else {
      let isRowID = TableDescription.rowIDNames.exact.contains(name.sqliteFolded)
      return isRowID ? ("INTEGER", "BINARY") : nil
    }
    let collation = try collation(ofColumn: column.name, table: table.name, schema: table.schema)
    return (TableDescription.Column.affinity(ofType: column.declaredType), collation ?? "BINARY")
  }

  /// The columns of an index as in `CREATE INDEX`; nil if there is an index that begins with them, which does
  /// not help then.
  func missingIndex(
    on table: TableDescription, _ columns: [IndexColumn]
  ) throws -> String? {
    let wanted = columns.map { "\($0.name) \($0.collation)".sqliteFolded }
    let hasIndex = try indexes(of: table).contains { index in
      !index.isPartial
        && index.columns.map { "\($0.name ?? "") \($0.collation)".sqliteFolded }
          .starts(with: wanted)
    }
    if hasIndex { return nil }
    return try columns.map { column in
      let isOwn =
        try comparedColumn(column.name, of: table)?.collation.sqliteFolded
        == column.collation.sqliteFolded
      return column.name + (isOwn ? "" : " COLLATE \(column.collation)")
    }.joined(separator: ", ")
  }
}

extension ExplainedPlan.Access {
  /// Whether it is the call of a table-valued function, or a search in a virtual table by the rowid.
  fileprivate var isFunction: Bool {
    guard case .virtual(let way) = index else { return false }
    return way.contains("=") || !way.hasPrefix("0:")
  }
}
