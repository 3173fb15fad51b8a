import FetchedResults
import SQLiteStorage

/// What the arguments ask for, as a request to the library.
struct RowQuery {
  /// The rows, with the columns to print.
  let request: FetchRequest<Row>
  let sectionKey: SectionKey<Row>?
  /// The names of the columns to print.
  let columns: [String]

  /// Looks the source up in `database`.
  ///
  /// - Parameter select: the SELECT to read from in place of the source in `options`.
  /// - Throws: `UsageError` for a sort term that is none, `DatabaseError` and `FetchError`.
  init(_ options: SourceOptions, select: String? = nil, in database: Database) throws {
    let source = try database.read { connection in
      try RowSource(select, or: options.source, where: options.condition, in: connection)
    }
    var sorts = options.sort[...]
    sectionKey = try options.by.map { try source.sectionKey($0, sortedBy: &sorts) }
    columns = try options.columns.map(source.columns(in:)) ?? source.columns
    var request = source.request
      .sorted(by: try sorts.flatMap(source.sortTerms(in:)))
      .with(
        parameters: Dictionary(uniqueKeysWithValues: options.parameter.map { ($0.name, $0.value) })
      )
      // The end of what is asked for must be a number as well.
      .limited(to: options.limit.map { min($0, .max - options.offset) }, offset: options.offset)
    if options.columns != nil { request = request.columns(columns) }
    self.request = request
  }
}
