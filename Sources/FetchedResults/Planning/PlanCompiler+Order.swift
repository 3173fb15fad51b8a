internal import LiveQueries
internal import SQLiteStorage

// The order of the rows, and the sections.

extension PlanCompiler {
  func orderTerm(_ term: SortTerm<Record>) throws -> QueryPlan.OrderTerm {
    switch term.subject {
    case .property(let property):
      let column = try column(of: property, use: "sort by")
      return try orderTerm(
        BoundSQL(column.quotedIdentifier), term.direction, term.nulls,
        term.collation ?? source.collation(of: column, in: connection))
    case .expression(let fragment):
      return try orderTerm(
        BoundSQL("(") + (try sql(fragment)) + "\n)", term.direction, term.nulls,
        term.collation ?? .binary)
    }
  }

  private func orderTerm(
    _ expression: BoundSQL, _ direction: SortTerm<Record>.Direction,
    _ nulls: SortTerm<Record>.Nulls?, _ collation: Collation
  ) throws -> QueryPlan.OrderTerm {
    let isDescending = direction == .descending
    // SQLite sorts NULL as the smallest value: first in ascending order, last in descending order.
    let areNullsFirst = nulls.map { $0 == .first } ?? !isDescending
    return QueryPlan.OrderTerm(
      expression: expression, isNumber: expression.expression?.isNumber == true,
      collation: collation,
      comparison: SortOrder.Term(
        comparator: try comparator(for: collation), isDescending: isDescending,
        areNullsFirst: areNullsFirst))
  }

  /// A term of the order that a SELECT has itself.
  func orderTerm(_ term: SelectIdentity.Term) throws -> QueryPlan.OrderTerm {
    let column = source.columns[term.column]
    let suffix = term.suffix.uppercased()
    let nulls: SortTerm<Record>.Nulls? =
      suffix.hasSuffix("FIRST") ? .first : suffix.hasSuffix("LAST") ? .last : nil
    return try orderTerm(
      BoundSQL(column.quotedIdentifier), suffix.contains("DESC") ? .descending : .ascending, nulls,
      term.collation.map { Collation(name: $0) } ?? source.collation(of: column, in: connection))
  }

  func keyTerm(_ column: String) throws -> QueryPlan.OrderTerm {
    // The rowid is an integer, and with a collation SQLite would not read the table in order.
    let collation = source.isKeyRowID ? nil : try source.keyCollation(of: column, in: connection)
    return QueryPlan.OrderTerm(
      expression: BoundSQL(column.quotedIdentifier), isNumber: false, collation: collation,
      comparison: SortOrder.Term(
        comparator: try comparator(for: collation ?? .binary), isDescending: false,
        areNullsFirst: true))
  }

  func comparator(for collation: Collation) throws -> TextComparator {
    // By name, since a custom collation may have the name of a built-in one.
    switch Collation(name: collation.name) {
    case .binary: return isBigEndianUTF16.map { .binaryUTF16(isBigEndian: $0) } ?? .binary
    case .nocase: return .nocase
    case .rtrim: return .rtrim
    case .custom(let name):
      guard let known = connection.collations[name.sqliteFolded] else {
        throw FetchError(
          .unknownCollation, "the collation \(name) is not known",
          nextStep: "Add it to the database's configuration (collations)")
      }
      return .custom(known.compare)
    }
  }

  // MARK: - Sections

  /// How the rows are divided into sections, and the terms that sort the sections.
  ///
  /// - Parameter sortTerms: the request's terms. If the first of them sorts by the section key, it
  ///   sets the order of the sections and is removed.
  func sections(
    absorbing sortTerms: inout [SortTerm<Record>]
  ) throws -> (QueryPlan.Sectioning, [QueryPlan.OrderTerm]) {
    switch sectionKey?.kind {
    case nil: return (.none, [])
    case .sql(let term, let order):
      return try sections(by: term, order: order)
    case .property(let property, let key):
      let columns = source.allColumns
      guard let column = request.description.column(of: property, in: columns) else {
        let decode = request.description.decode
        let section: @Sendable (borrowing RowView) -> Value? = { row in
          do {
            return key(try decode(row))
          } catch {
            // The error of that row alone: it is thrown again where the row is read.
            return nil
          }
        }
        return (.computed(property, section), [])
      }
      // Not the key paths: they compare names as strings.
      if case .property(let sorted)? = sortTerms.first?.subject,
        request.description.column(of: sorted, in: columns)?.sqliteFolded == column.sqliteFolded
      {
        return try sections(by: sortTerms.removeFirst(), order: nil)
      }
      return try sections(by: .by(property), order: nil)
    }
  }

  private func sections(
    by term: SortTerm<Record>, order: SortTerm<Record>?
  ) throws -> (QueryPlan.Sectioning, [QueryPlan.OrderTerm]) {
    let key = try orderTerm(term)
    let sectioning = QueryPlan.Sectioning.sql(
      key.expression, comparator: key.comparison.comparator, isContiguous: order == nil)
    return (sectioning, try (order.map { [try orderTerm($0)] } ?? []) + [key])
  }
}
