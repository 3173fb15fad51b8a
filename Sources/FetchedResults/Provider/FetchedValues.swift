public import SQLiteStorage
internal import SectionedData

/// A single value as a sequence: a count, one record, or what a SELECT returns, each time it changes.
///
/// ```swift
/// for try await count in FetchedValues(database: database, countOf: Track.all.filter("rating > 3")) {
///   print(count)
/// }
/// ```
///
/// The rules are those of ``FetchedUpdates``: the first element is the current value, each later one is
/// the newest when the consumer asks for it. A transaction that leaves the value as it was gives no
/// element. If the task is cancelled, the sequence ends. An error ends the iteration, not the sequence.
///
/// Sendable: each iterator observes separately.
public struct FetchedValues<Value: Sendable>: JoinableUpdates {
  /// A value.
  public typealias Element = Value

  // swift-format-ignore: NoLeadingUnderscores
  /// Where the values come from.
  public let _jointSource: _JointSource<Value>

  /// Makes an iterator, whose first element is the value at the time of the first `next()`.
  public func makeAsyncIterator() -> VersionIterator<Value> { VersionIterator(_jointSource) }

  /// The values of the versions of a request's result.
  ///
  /// - Parameters:
  ///   - isSame: whether a value is the one before, so that it is no element.
  ///   - value: reads the value.
  private init<Record>(
    _ database: Database, _ request: FetchRequest<Record>,
    isSame: @escaping @Sendable (Value, Value) -> Bool = { _, _ in false },
    _ value: @escaping @Sendable (FetchedSnapshot<Record>) throws -> Value
  ) {
    let fetch = ResultLoader(looping: request, sectionKey: nil, in: database)
    _jointSource = _JointSource(fetch: fetch, database: database) { update, last in
      if let last, update.changes.isEmpty { return JointElement(last, isNew: false) }
      let new = try value(FetchedSnapshot(update.version, of: fetch.request))
      if let last, isSame(last, new) { return JointElement(last, isNew: false) }
      return JointElement(new, isNew: true)
    }
  }
}

extension FetchedValues where Value == Int {
  /// The number of records of a request.
  ///
  /// Complexity: O(n) for the first value and 8 bytes a record, then O(changed rows). No record is read.
  /// ``init(database:valueOf:as:)`` with `SELECT count(*)` keeps no rows.
  public init<Record>(database: Database, countOf request: FetchRequest<Record>) {
    var request = request
    request.sortTerms = []
    // A total that cannot be computed is no error of the count.
    request.totals = []
    self.init(database, request, isSame: ==) { $0.version.layout.count }
  }
}

extension FetchedValues {
  /// The record with a key; nil while there is none.
  ///
  /// Complexity: O(log n) for each transaction that touches its table.
  ///
  /// - Parameter key: the values of the key's columns, in order.
  /// - Throws: the iterator throws `FetchError` with code `.invalidKey` if the number of values is not the number of
  ///   key columns.
  public init<Record: FetchableRecord>(
    database: Database, record type: Record.Type, key: any ColumnValue...
  ) where Value == Record? {
    self.init(
      database: database, record: type, identity: RowIdentity(key.map(\.columnValue)))
  }

  /// The record with an identity; nil while there is none.
  ///
  /// Complexity and errors: as for a record with a key.
  public init<Record: FetchableRecord>(
    database: Database, record type: Record.Type, identity: RowIdentity
  ) where Value == Record? {
    var request = type.all
    request.identity = identity
    self.init(database, request) { try $0.objects.isEmpty ? nil : $0.objects.object(at: 0) }
  }

  /// The first column of the first row of a SELECT; nil if it is `NULL` or there is no row.
  ///
  /// ```swift
  /// let select: SQL = "SELECT sum(milliseconds) FROM track WHERE genre = \(genre)"
  /// for try await sum in FetchedValues(database: database, valueOf: select, as: Int.self) { print(sum ?? 0) }
  /// ```
  ///
  /// Complexity: O(changed rows) if the SELECT is an aggregate that can be updated from the changed rows (see
  /// <doc:LiveQueries>); otherwise it is evaluated after each transaction that touches its tables.
  public init<Column: ColumnValue & Equatable>(
    database: Database, valueOf select: SQL, as type: Column.Type = Column.self
  ) where Value == Column? {
    let request = FetchRequest<Column?>(.firstColumn(of: select))
    self.init(database, request, isSame: ==) {
      try $0.objects.isEmpty ? nil : $0.objects.object(at: 0)
    }
  }
}

extension RecordDescription {
  /// The values in the first column of a SELECT.
  ///
  /// Not a ``Row``: for a type that is known here, the compiler would make a copy of all generic code.
  fileprivate static func firstColumn<Value: ColumnValue>(
    of select: SQL
  ) -> RecordDescription where Record == Value? {
    RecordDescription(
      source: .select(NamedSelect(select)), key: .inferred, columns: nil,
      mapping: .named(columnOfProperty: { _, _ in nil }, valueOfColumn: { _, _ in nil }),
      decode: { try $0.decode(Value?.self, at: 0) })
  }
}
