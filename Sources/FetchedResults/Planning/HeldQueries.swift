internal import LiveQueries
internal import SQLiteStorage

/// The queries of ``HeldAggregates``, compiled for one request.
package final class HeldQueries: Sendable {
  let isGrouped: Bool
  package let terms: [TotalTerm]
  let keyTypes: [String?]
  /// The columns of a contribution: what identifies the joined row, the key, and the arguments.
  let rowKey: Range<Int>
  let key: Range<Int>
  let arguments: Range<Int>
  /// The columns of a contribution in which a REAL is in the way of all values, as ``GroupCounters`` says.
  let inexact: [Int]
  /// The columns of ``counters`` from which each term is counted.
  let counted: [Range<Int>]
  /// What is held of a group. Its parameters are the values of the key.
  package let counters: NumberedQuery
  /// For each term the query for its value in a group, if it is an extreme.
  let extremes: [NumberedQuery?]
  /// The row of a group, with the columns of ``RequestParts/observation``. Its parameters are the
  /// values of the key, and then those of the terms.
  let row: NumberedQuery
  /// The same with the columns of ``RequestParts/fetch``.
  let fetch: NumberedQuery

  /// - Parameter values: the values of the named parameters.
  init(_ held: HeldAggregates, _ parts: RequestParts, _ values: [ExactText: Value]) {
    isGrouped = held.isGrouped
    terms = held.terms.map {
      TotalTerm(
        function: $0.function, name: $0.name, argument: $0.argument, collation: nil,
        comparator: .binary)
    }
    keyTypes = held.keyTypes
    rowKey = 0..<held.rowKeyCount
    key = rowKey.upperBound..<(rowKey.upperBound + parts.key.count)
    arguments = key.upperBound..<(key.upperBound + held.mayTie.count)
    let (keyTypes, key, arguments) = (keyTypes, key, arguments)
    inexact =
      zip(key, keyTypes).filter { $1 == nil }.map { $0.0 }
      + held.terms.compactMap { term in
        guard term.function.isExtreme, let argument = term.argument, held.mayTie[argument] else {
          return nil
        }
        return arguments.lowerBound + argument
      }
    counted = held.terms.map(\.columns)
    counters = NumberedQuery(held.counters, values)
    extremes = held.terms.map { $0.query.map { NumberedQuery($0, values) } }
    row = NumberedQuery(held.row, values)
    fetch = NumberedQuery(parts.fetch(from: held.row), values)
  }
}
