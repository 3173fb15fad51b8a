import FetchedResults
import SQLiteStorage

/// The request that the arguments describe.
struct RowQuery {
  /// The rows, with the columns to print.
  let request: FetchRequest<Row>
  let sectionKey: SectionKey<Row>?
  /// The names of the columns to print.
  let columns: [String]
  /// Where a row has the value of its section.
  let layout: RowLayout
  /// The names of the totals, each once.
  let totals: [String]
  /// The name of the source in messages.
  private let name: String
  /// The SQL that the caller has written.
  private let callersSQL: [String]

  /// Looks up the source in `database`.
  ///
  /// - Parameters:
  ///   - select: the SELECT to read from in place of the source in `options`.
  ///   - key: the columns that identify a row, separated by commas; nil for the source's own key.
  /// - Throws: `ToolError` for an invalid sort term, `DatabaseError` and `FetchError`.
  init(
    _ options: SourceOptions, select: String? = nil, key: String? = nil, in database: Database
  ) throws {
    let source = try database.read { connection in
      try RowSource(select, or: options.source, where: options.condition, in: connection)
    }
    name = source.name
    callersSQL =
      [select ?? options.source, options.condition, options.by].compactMap(\.self)
      + options.total.map(\.name)
    totals = JSONObjectTemplate.distinctNames(options.total.map(\.name))
    let order = try source.order(by: options.sort, sections: options.by)
    sectionKey = order.sectionKey
    let columns = try options.columns.map(source.columns(in:)) ?? source.columns
    self.columns = columns
    layout = options.by.map { source.layout(sections: $0, printing: columns) } ?? .undivided
    var request = source.request
      .sorted(by: order.terms)
      .with(
        parameters: Dictionary(uniqueKeysWithValues: options.parameter.map { ($0.name, $0.value) })
      )
      // The sum of limit and offset must not overflow.
      .limited(to: options.limit.map { min($0, .max - options.offset) }, offset: options.offset)
      .totals(source.totals(options.total))
    if options.columns != nil { request = request.columns(columns) }
    if layout == .extraColumn, let sections = options.by {
      request = request.adding(expression: source.expression(of: sections))
    }
    if let key { request = request.identified(by: try source.columns(in: key)) }
    self.request = request
  }
}

extension RowQuery {
  /// Totals with their names.
  func printed(_ values: [Value]) -> [PrintedTotal] {
    zip(totals, values).map { PrintedTotal(name: $0, value: $1) }
  }

  /// Runs `body`, which reads rows. An error names the source in place of SQL that the caller did
  /// not write.
  func reading<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw described(error) }
  }

  /// An error of reading the rows, as ``reading(_:)`` throws it.
  func described(_ error: any Error) -> any Error {
    guard let error = error as? DatabaseError, let sql = error.sql,
      !callersSQL.contains(where: { $0.contains(sql) }),
      // The rest of the SQL is correct: the caller's part must be shown.
      !error.message.hasSuffix("syntax error")
    else { return error }
    let isAboutValues = [ResultCode.error, .tooBig, .mismatch].contains { $0 ~= error.resultCode }
    return DatabaseError(
      error.code, isAboutValues ? "\(error.message), in a row of \(name)" : error.message,
      resultCode: error.resultCode, nextStep: error.nextStep, cause: error.cause)
  }
}
