import FetchedResults
import RowQueries
import SQLiteStorage

extension RowQuery {
  /// Looks up the source of the arguments in the version that `connection` sees.
  ///
  /// - Parameters:
  ///   - select: the SELECT to read from in place of the source in `options`.
  ///   - key: the columns that identify a row, separated by commas; nil for the source's own key.
  init(
    _ options: SourceOptions, select: String? = nil, key: String? = nil, in connection: Connection
  ) throws {
    let source = try RowSource(
      select, or: options.source, where: options.rows.condition, in: connection)
    try self.init(
      source, by: options.rows.by, sort: options.rows.sort,
      columns: try options.rows.columns.map(source.columns(in:)), totals: options.rows.total,
      parameters: Dictionary(
        uniqueKeysWithValues: options.rows.parameter.map { ($0.name.exact, $0.value) }),
      callersSQL: [select ?? options.source, options.rows.condition, options.rows.by].compactMap(
        \.self), key: key)
    // The sum of limit and offset must not overflow.
    request = request.limited(
      to: options.rows.limit.map { min($0, .max - options.rows.offset) },
      offset: options.rows.offset)
  }
}
