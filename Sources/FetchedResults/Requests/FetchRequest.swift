public import SQLiteStorage

/// Which records to fetch, and in which order.
///
/// ```swift
/// let request = Track.all
///   .where { $0.milliseconds > 60_000 }
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
  var window = RowWindow.all
  var totals: [SectionTotal<Record>] = []

  /// How many records are read at once when they are accessed in order. A single random access reads one row.
  public var fetchBatchSize = 64

  /// Whether the rows of each version are packed in memory if the versions of the file cannot be pinned, so that they
  /// can be read for as long as anybody has the version.
  var keepsRows = false
  /// Whether schemas that spell a name in another case are the same: those of two files are compared.
  var ignoresCaseOfNames = false

  /// How many rows the index stores individually.
  var chunkPolicy = ChunkPolicy()

  /// Makes a request for all records of a description.
  public init(_ description: RecordDescription<Record>) {
    self.description = description
    if case .select(let select) = description.source { parameters = select.parameters }
  }

  /// The name of the table or view; nil for a SELECT.
  package var sourceName: String? {
    if case .table(let name) = description.source { name } else { nil }
  }
}

extension FetchRequest {
  /// Returns a request for only the records for which `condition` and all earlier conditions are
  /// true.
  public func filter(_ condition: SQLFragment<Record>) -> FetchRequest {
    var request = self
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
    sorted(.by(property, direction, collation: collation, nulls: nulls))
  }

  /// Returns a request that is sorted by several stored properties, all ascending, after all earlier terms.
  ///
  /// ```swift
  /// let request = Track.all.sorted(by: \.genre, \.name)
  /// ```
  public func sorted(
    by first: AnyProperty<Record>, _ second: AnyProperty<Record>, _ others: AnyProperty<Record>...
  ) -> FetchRequest { sorted(([first, second] + others).map { .by($0) }) }

  /// Returns a request that is sorted by several terms, after all earlier ones.
  public func sorted(_ terms: SortTerm<Record>...) -> FetchRequest { sorted(terms) }

  /// Returns a request that is sorted by several terms, as ``sorted(_:)-(SortTerm<Record>...)``.
  public func sorted(_ terms: [SortTerm<Record>]) -> FetchRequest {
    var request = self
    request.sortTerms += terms
    return request
  }

  /// Returns a request with values for named parameters in conditions, expressions and a SELECT.
  ///
  /// - Parameter parameters: the values by their names, with or without the sign before the name in SQL: `min` or `:min`.
  public func with(parameters: [String: Value]) -> FetchRequest {
    let named = parameters.map { name, value in
      (name.first.map { ":@$".contains($0) } == true ? String(name.dropFirst()) : name, value)
    }
    return with(parameters: Dictionary(named) { _, last in last }.byExactName)
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
    request.window = .first(limit, offset: offset)
    return request
  }

  /// Returns a request for the last `count` records, in the order of the request: for a chat, whose newest message is at
  /// the bottom. `count` may not be negative.
  ///
  /// To show earlier ones, set the same request with a larger count: what appears is inserted at the top.
  ///
  /// Complexity: the rows are counted first, which takes O(n). After a change as for any limit.
  public func limited(toLast count: Int) -> FetchRequest {
    precondition(count >= 0, "limited(toLast: \(count)): the count may not be negative")
    var request = self
    request.window = .last(count, shown: nil)
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
/// let request = Track.all.filter("milliseconds > \(60_000)").sorted(by: \.name)
/// ```
public protocol FetchableRecord: Sendable {
  /// The source of the records, and the column of each property.
  static var recordDescription: RecordDescription<Self> { get }
}

extension FetchableRecord {
  /// The request for all records, in the order of their key.
  public static var all: FetchRequest<Self> { FetchRequest(recordDescription) }
}
