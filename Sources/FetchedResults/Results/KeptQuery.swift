internal import SQLiteStorage

/// A query that was compiled from a request, with its statement. A connection keeps it for the next request that
/// differs from this one only in its values: to look up one row, compiling takes many times as long as reading.
///
/// It is compiled from the schema. If the schema has changed, SQLite prepares the statement again, at the latest when
/// its first step begins: then the query is compiled again, too.
///
/// Not Sendable: it belongs to the owner of the connection, and does not refer to it.
final class KeptQuery<Record: Sendable>: AnyKeptQuery {
  let request: FetchRequest<Record>
  /// The columns of the key, if the query is for one row.
  let key: [String]
  /// How keys may be stored; nil if each has one form only.
  let spellings: KeySpellings?
  let source: BoundSQL
  /// How the values are stored that conditions compare with properties, in their order.
  private let comparisons: [Comparison]
  /// The names of the statement's parameters; nil for a `?`.
  private let names: [ExactText?]

  fileprivate init(
    _ purpose: QueryPurpose, _ request: FetchRequest<Record>, in connection: Connection
  ) throws {
    let compiler = try connection.compiler(of: request)
    let parts = try compiler.parts().parts
    self.request = request
    key = parts.key
    source = parts.source
    let sql: BoundSQL
    switch purpose {
    case .records, .count:
      try compiler.checkParameters(of: parts.scan)
      sql = purpose == .count ? parts.recordCount : parts.records
      spellings = nil
    case .row:
      sql = parts.fetch
      spellings = parts.keySpellings(request.description)
    }
    let (statement, _) = try connection.statement(
      for: sql, parameters: request.parameters, unboundCount: purpose == .row ? key.count : 0)
    names = (0..<statement.parameterCount).map { statement.parameterName(at: $0 + 1)?.exact }
    comparisons = try compiler.comparisons
    super.init(purpose, ObjectIdentifier(Record.self), statement, try SchemaAge(connection))
    if purpose != .row { mayBeKept = values(of: request).map { $0 == sql.values } ?? false }
    // A table of the file can hide one of an attached file, without a change of that one's schema.
    if try !connection.isInTransaction || connection.hasAttachedFiles() { mayBeKept = false }
  }

  /// Whether another request is compiled to the same query, with values of its own.
  func fits(_ other: FetchRequest<Record>) -> Bool {
    request.description.hasShape(of: other.description)
      && (purpose == .row || request.hasShape(of: other))
  }

  /// The values for the `?` of the query; nil if they are too many or too few for it.
  private func values(of request: FetchRequest<Record>) -> [Value]? {
    if request.identity != nil { return nil }
    var values: [Value] = []
    var comparison = 0
    for index in 0..<request.filters.count {
      let filter = request.filters[index]
      for position in 0..<filter.pieces.count {
        let piece = filter.pieces[position]
        if case .sql(_, let bound) = piece {
          values += bound
        } else if case .membership(_, let members) = piece {
          guard comparison < comparisons.count,
            case .membership(let spelling, let formCount) = comparisons[comparison]
          else { return nil }
          comparison += 1
          let forms = spelling.forms(of: members)
          guard forms.count == formCount else { return nil }
          values += forms
        } else if case .written(_, let value) = piece {
          guard comparison < comparisons.count,
            case .written(let storage) = comparisons[comparison]
          else { return nil }
          comparison += 1
          values.append(storage?.inOrder(value) ?? value)
        }
      }
    }
    return values + request.window.values(ofConditions: values)
  }

  /// Binds the values of a request, and does the first step.
  ///
  /// - Returns: whether there is a row; nil if the query does not fit the request or the schema any more.
  fileprivate func begin(
    _ request: FetchRequest<Record>, in connection: Connection
  ) throws -> Bool? {
    guard let values = values(of: request) else { return nil }
    var positional = values[...]
    for (index, name) in names.enumerated() {
      let value = name.map { request.parameters[$0] } ?? positional.popFirst()
      guard let value else { return nil }
      try statement.bind(value, at: index + 1)
    }
    guard positional.isEmpty else { return nil }
    return try firstStep(in: connection)
  }

  /// Binds an identity, which has a value for each column of the key, and the named parameters of a request.
  fileprivate func bind(_ identity: RowIdentity, _ request: FetchRequest<Record>) throws {
    if !request.parameters.isEmpty {
      for (index, name) in names.enumerated() {
        guard let value = name.flatMap({ request.parameters[$0] }) else { continue }
        try statement.bind(value, at: index + 1)
      }
    }
    try identity.key.bind(to: statement, from: names.count - key.count + 1)
  }
}

enum QueryPurpose {
  /// The records of a request.
  case records
  /// The number of its records.
  case count
  /// The record of the row with a key.
  case row
}

/// A ``KeptQuery`` of any record. A cast to a generic class would take longer than a look-up.
class AnyKeptQuery {
  let purpose: QueryPurpose
  let record: ObjectIdentifier
  let statement: Statement
  var mayBeKept = true
  private var schema: SchemaAge
  private var age: Int32

  fileprivate init(
    _ purpose: QueryPurpose, _ record: ObjectIdentifier, _ statement: Statement, _ schema: SchemaAge
  ) {
    self.purpose = purpose
    self.record = record
    self.statement = statement
    self.schema = schema
    age = statement.age
  }

  /// Does the first step.
  ///
  /// - Returns: whether there is a row; nil if the schema is another one than that of the query.
  fileprivate final func firstStep(in connection: Connection) throws -> Bool? {
    let hasRow: Bool
    do {
      hasRow = try statement.step()
    } catch let error as DatabaseError where .error ~= error.resultCode {
      // Such as a table that is gone. If it is no matter of the schema, it is thrown when the query is compiled.
      return nil
    }
    if statement.age == age { return hasRow }
    // SQLite prepares statements again for other reasons, too.
    guard try SchemaAge(connection) == schema else {
      statement.reset()
      return nil
    }
    age = statement.age
    return hasRow
  }
}

/// What SQLite counts when the schema changes.
private struct SchemaAge: Equatable {
  private let main: Int64
  private let temporary: Int64

  init(_ connection: Connection) throws {
    main = try connection.schemaVersion(of: "main")
    temporary = try connection.schemaVersion(of: "temp")
  }
}

extension Connection {
  /// Calls `body` with the query for a request, after its first step, and whether there is a row.
  func withQuery<Record, Result>(
    _ purpose: QueryPurpose, _ request: FetchRequest<Record>,
    _ body: (KeptQuery<Record>, Bool) throws -> Result
  ) throws -> Result {
    // The values of the request are bound when it is compiled.
    try withQuery(
      purpose, request, again: { try $0.begin(request, in: self) },
      first: { try $0.statement.step() }, body)
  }

  /// Calls `body` with the query for the row with an identity, after its first step, and whether there is a row.
  ///
  /// - Throws: also `FetchError` with code `.invalidKey` if the identity has more or fewer values than the key.
  func withQuery<Record: FetchableRecord, Result>(
    _ type: Record.Type, _ identity: RowIdentity,
    _ body: (KeptQuery<Record>, Bool) throws -> Result
  ) throws -> Result {
    let request = type.all
    func bind(_ query: KeptQuery<Record>) throws {
      let isOne = query.key.count == 1 && identity.int64 != nil
      guard isOne || identity.values.count == query.key.count else {
        throw FetchError.wrongKey(identity, of: type, key: query.key)
      }
      try query.bind(identity, request)
    }
    return try withQuery(
      .row, request,
      again: { query in
        try bind(query)
        return try query.firstStep(in: self)
      },
      first: { query in
        try bind(query)
        return try query.statement.step()
      }, body)
  }

  private func withQuery<Record, Result>(
    _ purpose: QueryPurpose, _ request: FetchRequest<Record>,
    again: (KeptQuery<Record>) throws -> Bool?, first: (KeptQuery<Record>) throws -> Bool,
    _ body: (KeptQuery<Record>, Bool) throws -> Result
  ) throws -> Result {
    if let query = keptQuery(purpose, request) {
      defer { query.statement.reset() }
      if let hasRow = try again(query) { return try body(query, hasRow) }
      keptQueries.removeAll { $0 === query }
    }
    let query = try KeptQuery(purpose, request, in: self)
    defer { query.statement.reset() }
    let hasRow = try first(query)
    if query.mayBeKept {
      if keptQueries.count >= queryLimit { keptQueries.removeLast() }
      keptQueries.insert(query, at: 0)
    }
    return try body(query, hasRow)
  }

  /// A query that was kept and fits a request; nil if there is none, or it is in use.
  private func keptQuery<Record>(
    _ purpose: QueryPurpose, _ request: FetchRequest<Record>
  ) -> KeptQuery<Record>? {
    let record = ObjectIdentifier(Record.self)
    for index in 0..<keptQueries.count {
      let any = unsafeDowncast(keptQueries[index], to: AnyKeptQuery.self)
      guard any.record == record, any.purpose == purpose, !any.statement.isBusy else { continue }
      let query = unsafeDowncast(any, to: KeptQuery<Record>.self)
      guard query.fits(request) else { continue }
      if index > 0 { keptQueries.swapAt(0, index) }
      return query
    }
    return nil
  }
}

/// The maximum number of queries that a connection keeps.
private let queryLimit = 32

/// How the values are stored that a condition compares with a property.
private enum Comparison {
  /// - Parameter formCount: how many forms the values have together.
  case membership(Spelling?, formCount: Int)
  case written(ColumnStorage?)
}

extension PlanCompiler {
  fileprivate var comparisons: [Comparison] {
    get throws {
      try request.filters.flatMap(\.pieces).compactMap { piece in
        switch piece {
        case .membership(let property, let values):
          let column = try column(of: property, use: "read")
          let spelling = request.description.spelling(ofColumn: column)
          return .membership(spelling, formCount: spelling.forms(of: values).count)
        case .written(let property, _):
          let column = try column(of: property, use: "read")
          return .written(request.description.storage(ofColumn: column))
        case .sql, .property, .name: return nil
        }
      }
    }
  }
}

extension Statement {
  /// Decodes the row of the last step.
  ///
  /// - Parameters:
  ///   - description: that of the caller. A query that was kept may be of a request that makes other records of the row.
  ///   - count: its number in the result.
  func record<Record>(_ description: RecordDescription<Record>, count: Int) throws -> Record {
    do {
      return try description.decode(currentRow)
    } catch let error as DatabaseError {
      // Its first column says more than its number, and is often the key.
      let row = Row(currentRow)
      let first = row.columnNames.names.first.map { "\($0) = \(RowIdentity([row.values[0]]))" }
      throw error.located("row \(count) (\(first ?? "")) cannot be read")
    }
  }
}
