public import SQLiteStorage

/// Which records to fetch, and in what order.
///
/// ```swift
/// let request = Track.all
///   .filter("\(\.milliseconds) > \(60_000)")
///   .sorted(by: \.name)
///   .limited(to: 100)
/// ```
///
/// The order always ends with the key, so that records with equal sort keys never change places.
///
/// Sendable: a plain value.
public struct FetchRequest<Record: Sendable>: Sendable {
  var description: RecordDescription<Record>
  var filters: [SQLFragment<Record>] = []
  var sortTerms: [SortTerm<Record>] = []
  var parameters: [String: Value] = [:]
  var limit: Int?
  var offset = 0

  /// How many records are read at a time when one is asked for and then the next. One out of the
  /// blue is read alone.
  public var fetchBatchSize = 64

  /// Whether the result is shown as it was when it was fetched, and never again: then it may ask the
  /// clock, or for a random number.
  package var isFetchedOnce = false

  /// How many rows the index holds one by one.
  var chunkPolicy = ChunkPolicy()

  /// The request for all records of a description.
  public init(_ description: RecordDescription<Record>) { self.description = description }
}

extension FetchRequest {
  /// Only the records for which `condition` is true, and all earlier conditions are.
  ///
  /// - Parameter arguments: the values of the `?` in the condition, in order. A condition that
  ///   interpolates values takes none.
  public func filter(
    _ condition: SQLFragment<Record>, _ arguments: any ColumnValue...
  ) -> FetchRequest {
    var request = self
    var condition = condition
    condition.arguments += arguments.map(\.columnValue)
    request.filters.append(condition)
    return request
  }

  /// By a stored property, after all earlier terms.
  ///
  /// - Parameters:
  ///   - collation: how text is compared; nil for the way the column declares.
  ///   - nulls: where `NULL` stands; nil for SQLite's way, which takes it for the smallest value.
  public func sorted(
    by property: AnyProperty<Record>, _ direction: SortTerm<Record>.Direction = .ascending,
    collation: Collation? = nil, nulls: SortTerm<Record>.Nulls? = nil
  ) -> FetchRequest {
    sorted(by: [.by(property, direction, collation: collation, nulls: nulls)])
  }

  /// By several terms, after all earlier ones.
  public func sorted(by terms: [SortTerm<Record>]) -> FetchRequest {
    var request = self
    request.sortTerms += terms
    return request
  }

  /// The values of named parameters (`:name`) in conditions, expressions and a SELECT.
  public func with(parameters: [String: Value]) -> FetchRequest {
    var request = self
    request.parameters.merge(parameters) { _, new in new }
    return request
  }

  /// At most `limit` records, after leaving out the first `offset`. Neither may be negative.
  public func limited(to limit: Int?, offset: Int = 0) -> FetchRequest {
    precondition(limit ?? 0 >= 0 && offset >= 0, "a limit or offset is negative")
    var request = self
    request.limit = limit
    request.offset = offset
    return request
  }
}
