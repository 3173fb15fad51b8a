internal import LiveQueries
internal import SQLiteStorage

/// A total of a request, compiled for one schema.
package struct TotalTerm: Sendable {
  let function: TotalFunction
  /// The total as messages show it, such as `sum(milliseconds)`.
  package let name: String
  /// The position of the argument in ``TotalParts/arguments``; nil for the number of rows.
  let argument: Int?
  /// The collation under which texts are compared; nil if none are.
  let collation: Collation?
  let comparator: TextComparator

  /// The aggregate of an expression, which is this total's argument.
  func sql(_ argument: BoundSQL) -> BoundSQL {
    // As it was found, whatever the argument is in the query.
    let collate = collation.map { " COLLATE \($0.name.quotedIdentifier)" } ?? ""
    return BoundSQL("\(function.rawValue)(") + argument + "\(collate))"
  }
}

/// The totals of a request, in SQL.
struct TotalParts: Sendable {
  var terms: [TotalTerm] = []
  /// What the totals are computed from, each once.
  var arguments: [BoundSQL] = []
  /// The section key with its collation, to compare it with the key of a section.
  var sectionKey: BoundSQL?
}

// MARK: - Queries

extension RequestParts {
  /// The query for the arguments of the totals in some rows of the result, in order.
  func totalArguments(at positions: Range<Int>) -> BoundSQL {
    let names = totals.arguments.indices.map(RequestParts.counted)
    let arguments = zip(totals.arguments, names).map { $0 + " AS \($1)" }
    return select(arguments) + where_([filter]) + orderBy
      + " LIMIT \(positions.count) OFFSET \(positions.lowerBound)"
  }

  /// The query for a total of some rows of the result.
  func total(_ term: TotalTerm, at positions: Range<Int>) -> BoundSQL {
    let argument = term.argument.map(RequestParts.counted) ?? "*"
    return BoundSQL("SELECT ") + term.sql(BoundSQL(argument)) + " FROM ("
      + totalArguments(at: positions) + ")"
  }

  /// The query for a total of all rows, or of one section.
  ///
  /// - Parameter isOfSection: whether the query is about one section, whose key is the last
  ///   parameter.
  func total(_ term: TotalTerm, isOfSection: Bool) -> BoundSQL {
    let key = isOfSection ? totals.sectionKey.map { $0 + " IS ?" } : nil
    return select([sql(of: term)]) + where_([filter, key])
  }

  /// The query for all totals of all sections, in the order of the sections; nil if the rows are not
  /// sorted by section first.
  var totalsOfSections: BoundSQL? {
    guard let order = sectionTerm, sectioning.isContiguous, !order.isNumber else {
      return nil
    }
    return select(totals.terms.map(sql)) + where_([filter])
      + (BoundSQL(" GROUP BY ") + order.expression + order.collate + " ORDER BY ") + order.sql
  }

  private func sql(of term: TotalTerm) -> BoundSQL {
    term.sql(term.argument.map { totals.arguments[$0] } ?? BoundSQL("*"))
  }
}
