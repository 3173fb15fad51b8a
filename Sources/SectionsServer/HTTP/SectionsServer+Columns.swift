import FetchedResults
import RowQueries
import SQLiteStorage

/// What is answered about a list, without a list that is followed.
extension SectionsServer {
  /// The SELECT of a list's rows, for who wants to change it.
  func select(_ items: QueryItems) async throws -> Answer {
    let list = try ListParameters(items)
    let select = try await reading(list) { try $0.select(list, in: $1) }
    let buffer = OutputBuffer()
    buffer.object { buffer.member("sql", select) }
    return .json(buffer.bytes)
  }

  /// The most frequent values of a column, each with the number of its rows.
  func values(_ items: QueryItems) async throws -> Answer {
    let limit = try items.number("count", in: 1...options.limits.linesOfWindow) ?? 20
    let (column, list) = try column(items)
    let counts = try await reading(list) {
      try $0.values(ofColumn: column, in: list, limit: limit + 1, $1)
    }
    let buffer = OutputBuffer()
    try buffer.object {
      buffer.member("values")
      try buffer.append(array: counts.prefix(limit)) { counted in
        try buffer.object {
          buffer.member("value")
          try buffer.append(shown: counted.value)
          buffer.member("count", counted.count)
        }
      }
      buffer.member("more", counts.count > limit)
    }
    return .json(buffer.bytes)
  }

  /// The values of a column as ranges, each with the number of its rows.
  func ranges(_ items: QueryItems) async throws -> Answer {
    let (column, list) = try column(items)
    let ranges =
      list.sql == nil
      ? try await sources.ranges(ofColumn: column, in: list)
      : try await reading(list) { try $0.ranges(ofColumn: column, in: list, $1) }
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

  /// The column that the parameters name, and its list.
  private func column(_ items: QueryItems) throws -> (name: String, list: ListParameters) {
    guard let column = items.value("column") else {
      throw RequestError(400, "column is needed", nextStep: "Name a column of the source")
    }
    return (column, try ListParameters(items))
  }

  /// Reads the newest version of a list.
  ///
  /// - Throws: `RequestError` for a column or a source that does not exist, or if it takes too long.
  private func reading<Result: Sendable>(
    _ list: ListParameters,
    _ body: @escaping @Sendable (SourceCatalog, Connection) throws -> Result
  ) async throws -> Result {
    guard list.sql != nil else {
      return try await sources.reading { [catalog = context.catalog] in try body(catalog, $0) }
    }
    return try await inspecting(list) { inspector in
      try await inspector.reading { try body($0, $1) }
    }
  }
}
