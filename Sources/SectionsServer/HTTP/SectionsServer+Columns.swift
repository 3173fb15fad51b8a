import FetchedResults
import RowQueries
import SQLiteStorage

/// What is answered of one column of a list, without a list that is followed.
extension SectionsServer {
  /// The most frequent values of a column, each with the number of its rows.
  func values(_ items: QueryItems) async throws -> Answer {
    let limit = try items.number("count", in: 1...options.limits.linesOfWindow) ?? 20
    let counts = try await column(items) {
      try $0.values(ofColumn: $1, in: $2, limit: limit + 1, $3)
    }
    let buffer = OutputBuffer()
    try buffer.object {
      buffer.member("values")
      try buffer.append(array: counts.prefix(limit)) { value, count in
        try buffer.object {
          buffer.member("value")
          try buffer.append(shown: value)
          buffer.member("count", count)
        }
      }
      buffer.member("more", counts.count > limit)
    }
    return .json(buffer.bytes)
  }

  /// The values of a column as ranges, each with the number of its rows.
  func ranges(_ items: QueryItems) async throws -> Answer {
    let ranges = try await column(items) { try $0.ranges(ofColumn: $1, in: $2, $3) }
    let buffer = OutputBuffer()
    try buffer.object {
      buffer.member("unit", ranges.unit?.rawValue)
      buffer.member("ranges")
      try buffer.append(array: ranges.ranges) { range in
        try buffer.object {
          buffer.member("low")
          try buffer.append(json: range.low)
          buffer.member("high")
          try buffer.append(json: range.high)
          buffer.member("count", range.count)
        }
      }
      buffer.member("null", ranges.nullCount)
      buffer.member("other", ranges.otherCount)
    }
    return .json(buffer.bytes)
  }

  /// Reads what a list says of the column that the parameters name.
  ///
  /// - Throws: `RequestError` for a column or a source that does not exist, or if it takes too long.
  private func column<Result: Sendable>(
    _ items: QueryItems,
    _ body: @escaping @Sendable (SourceCatalog, String, ListParameters, Connection) throws -> Result
  ) async throws -> Result {
    guard let column = items.value("column") else {
      throw RequestError(400, "column is needed", nextStep: "Name a column of the source")
    }
    let parameters = try ListParameters(items)
    guard parameters.sql != nil else {
      return try await sources.reading { [catalog = context.catalog] in
        try body(catalog, column, parameters, $0)
      }
    }
    return try await inspecting(parameters) { inspector in
      try await inspector.column { try body($0, column, $1, $2) }
    }
  }
}
