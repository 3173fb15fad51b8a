public import SQLiteStorage

/// Which records to fetch, and in which order.
///
/// ```swift
/// let request = Track.all
///   .filter("\(\.milliseconds) > \(60_000)")
///   .sorted(by: \.name)
///   .limited(to: 100)
/// ```
///
/// The key is always the last sort term, so records with equal sort keys have a fixed order.
///
/// Sendable: a plain value.
public struct FetchRequest<Record: Sendable>: Sendable {
  var description: RecordDescription<Record>
  var filters: [SQLFragment<Record>] = []
  /// The only record that is requested; nil for all that meet the conditions.
  var identity: RowIdentity?
  var sortTerms: [SortTerm<Record>] = []
  var parameters: [ExactText: Value] = [:]
  var limit: Int?
  var offset = 0
  var totals: [SectionTotal<Record>] = []

  /// How many records are read at once when they are accessed in order. A single random access reads one row.
  public var fetchBatchSize = 64

  /// Whether the result is fetched once and never updated. Such a request may use the clock or
  /// random numbers.
  package var isFetchedOnce = false
  /// Whether the rows of each version are packed in memory if the versions of the file cannot be pinned, so that they
  /// can be read for as long as anybody has the version.
  var keepsRows = false
  /// Whether schemas that spell a name in another case are the same: those of two files are compared.
  var ignoresCaseOfNames = false

  /// How many rows the index stores individually.
  var chunkPolicy = ChunkPolicy()

  /// Makes a request for all records of a description.
  public init(_ description: RecordDescription<Record>) { self.description = description }

  /// The name of the table or view; nil for a SELECT.
  package var sourceName: String? {
    if case .table(let name) = description.source { name } else { nil }
  }
}

extension FetchRequest {
  /// Returns a request for only the records for which `condition` and all earlier conditions are
  /// true.
  ///
  /// - Parameter arguments: the values for the `?` of the condition, in order. A condition with
  ///   interpolated values takes none.
  public func filter(
    _ condition: SQLFragment<Record>, _ arguments: any ColumnValue...
  ) -> FetchRequest {
    var request = self
    var condition = condition
    condition.arguments += arguments.map(\.columnValue)
    request.filters.append(condition)
    return request
  }

  /// Returns a request that is sorted by a stored property, after all earlier terms.
  ///
  /// - Parameters:
  ///   - collation: how text is compared; nil for the collation of the column.
  ///   - nulls: the position of `NULL`; nil for SQLite's rule, by which `NULL` is the smallest
  ///     value.
  public func sorted(
    by property: AnyProperty<Record>, _ direction: SortTerm<Record>.Direction = .ascending,
    collation: Collation? = nil, nulls: SortTerm<Record>.Nulls? = nil
  ) -> FetchRequest {
    sorted(by: [.by(property, direction, collation: collation, nulls: nulls)])
  }

  /// Returns a request that is sorted by several terms, after all earlier ones.
  public func sorted(by terms: [SortTerm<Record>]) -> FetchRequest {
    var request = self
    request.sortTerms += terms
    return request
  }

  /// Returns a request with values for named parameters (`:name`) in conditions, expressions and a
  /// SELECT.
  public func with(parameters: [String: Value]) -> FetchRequest {
    with(parameters: parameters.byExactName)
  }

  /// The same for names that may differ only in their bytes.
  @_disfavoredOverload
  package func with(parameters: [ExactText: Value]) -> FetchRequest {
    var request = self
    request.parameters.merge(parameters) { _, new in new }
    return request
  }

  /// Returns a request for at most `limit` records, after the first `offset`. Neither may be
  /// negative.
  public func limited(to limit: Int?, offset: Int = 0) -> FetchRequest {
    precondition(
      limit ?? 0 >= 0 && offset >= 0,
      "limited(to: \(limit.map(String.init) ?? "nil"), offset: \(offset)): neither may be negative")
    var request = self
    request.limit = limit
    request.offset = offset
    return request
  }
}

/// When an index holds chunks instead of keys, and how large they are.
struct ChunkPolicy: Sendable {
  /// The maximum number of rows whose keys are held.
  var identityLimit = 1_000_000
  /// The number of rows in a new chunk. A chunk can grow to twice as many.
  ///
  /// Larger chunks need less memory, but finding a row takes longer: half a chunk is read for it.
  var chunkSize = 2_048
}

/// A type whose values are rows of a database.
///
/// ```swift
/// let request = Track.all.filter("milliseconds > ?", 60_000).sorted(by: \.name)
/// ```
public protocol FetchableRecord: Sendable {
  /// The source of the records, and the column of each property.
  static var recordDescription: RecordDescription<Self> { get }
}

extension FetchableRecord {
  /// The request for all records, in the order of their key.
  public static var all: FetchRequest<Self> { FetchRequest(recordDescription) }
}
