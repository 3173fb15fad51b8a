package import FetchedResults
package import SQLiteStorage

/// The request that arguments describe: those of the command line, or of a URL.
package struct RowQuery: Sendable {
  /// The rows, with the columns to print.
  package var request: FetchRequest<Row>
  package let sectionKey: SectionKey<Row>?
  package let columns: [String]
  /// The names of the totals, each once.
  package let totals: [String]
  /// The name of the source in messages.
  private let name: String
  private let callersSQL: [String]

  /// Makes the request for the rows of a source, which is the one of the arguments.
  ///
  /// - Throws: `ArgumentError` for an invalid sort term, `FetchError` for a column that does not exist.
  package init(_ source: RowSource, _ arguments: RowArguments) throws {
    let names = arguments.totals.map(\.name)
    name = source.name
    callersSQL = arguments.callersSQL + names
    totals = JSONObjectTemplate.distinctNames(names)
    let order = try source.order(by: arguments.sort, sections: arguments.by)
    sectionKey = order.sectionKey
    let columns = try source.columns(in: arguments.columns)
    self.columns = columns.isEmpty ? source.columns : columns
    var request = source.request
      .sorted(order.terms)
      .with(parameters: arguments.parameters)
      .totals(arguments.totals.map { $0.total(column: source.column(named:)) })
    if !columns.isEmpty { request = request.columns(columns) }
    if let key = arguments.key { request = request.identified(by: try source.columns(in: [key])) }
    // The sum of limit and offset must not overflow.
    self.request = request.limited(
      to: arguments.limit.map { min($0, .max - arguments.offset) }, offset: arguments.offset)
  }
}

extension RowQuery {
  /// Totals with their names.
  package func printed(_ values: [Value]) -> [PrintedTotal] {
    zip(totals, values).map { PrintedTotal(name: $0, value: $1) }
  }

  /// The header of a section of a version, with its totals. The section must be in range.
  package func header(of section: Int, in snapshot: FetchedSnapshot<Row>) -> SectionHeader {
    var header = SectionHeader(of: section, in: snapshot)
    header.totals = printed(snapshot.totals(at: section).values)
    return header
  }

  /// Runs `body`, which reads rows. An error names the source in place of SQL that the caller did
  /// not write.
  package func reading<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw described(error) }
  }

  /// An error of reading the rows, as ``reading(_:)`` throws it.
  package func described(_ error: any Error) -> any Error {
    guard let error = error as? DatabaseError, let sql = error.sql,
      !callersSQL.contains(where: { $0.contains(sql) }),
      // The rest of the SQL is correct: the caller's part must be shown.
      !error.mayBeAboutSyntax
    else { return error }
    return DatabaseError(
      error.code, error.isAboutValues ? "\(error.message), in a row of \(name)" : error.message,
      resultCode: error.resultCode, nextStep: error.nextStep, cause: error.cause)
  }
}
