import FetchedResults
import NIOHTTP1
import RowQueries
import SQLiteStorage

/// Single values of rows.
extension SectionsServer {
  /// A value as it was found.
  private enum FoundValue: Sendable {
    /// Where its table holds it.
    case stored(ValueExport)
    /// Read with its row.
    case read(Value)
  }

  /// Answers with the bytes of a blob or a text, or a part of them.
  func blob(_ request: HTTPRequestHead, _ items: QueryItems) async throws -> Answer {
    guard let key = items.value("key"), let column = items.value("column") else {
      throw RequestError(400, "key and column are needed", nextStep: "Take both from a row")
    }
    let found = try await using(items) { list in
      try await list.read { try find(column, ofRow: key, list.parameters, in: $0.snapshot) }
    }
    switch found {
    case .stored(let export): return try await answer(request, export)
    case .read(.blob(let bytes)):
      return try await answer(request, bytes.count, isText: false, start: bytes) {
        .bytes(Array(bytes[$0]))
      }
    case .read(.text(let text)):
      let bytes = Array(text.utf8)
      return try await answer(request, bytes.count, isText: true, start: []) {
        .bytes(Array(bytes[$0]))
      }
    case .read:
      throw RequestError(400, "the value is neither a blob nor a text", nextStep: "Read the row")
    }
  }

  private func find(
    _ column: String, ofRow key: String, _ list: ListParameters, in snapshot: FetchedSnapshot<Row>
  ) throws -> FoundValue {
    let position = try snapshot.position(ofKey: key)
    guard let index = snapshot.columnNames.firstIndex(where: { $0.exact == column.exact }) else {
      throw RequestError(400, "there is no such column", nextStep: "Take the column from a row")
    }
    let version = snapshot.databaseSnapshot
    let identity = try snapshot.identities(at: position..<(position + 1))[0]
    let stored = try version.read {
      try context.catalog.storedValue(ofColumn: column, identity, of: list, in: $0)
    }
    if let stored {
      return .stored(ValueExport(value: stored, version: version, time: options.limits.exportTime))
    }
    return .read(try snapshot.objects(at: position..<(position + 1))[0].values[index])
  }

  private func answer(
    _ request: HTTPRequestHead, _ export: ValueExport
  ) async throws -> Answer {
    let value = export.value
    let start =
      value.isText ? [] : try await export.bytes(0..<min(value.count, ImageType.startLength))
    return try await answer(request, value.count, isText: value.isText, start: start) { part in
      guard part.count > options.limits.longValue else {
        return .bytes(try await export.bytes(part))
      }
      return .pieces { try await export.write(part, $0) }
    }
  }

  /// - Parameter start: the first bytes of a blob, which tell whether it is an image.
  private func answer(
    _ request: HTTPRequestHead, _ count: Int, isText: Bool, start: [UInt8],
    _ body: (Range<Int>) async throws -> Answer.Body
  ) async throws -> Answer {
    var headers: HTTPHeaders = ["Content-Security-Policy": "sandbox"]
    let type: String
    if isText {
      type = "text/plain; charset=utf-8"
    } else if let image = ImageType(start) {
      type = image.rawValue
    } else {
      type = "application/octet-stream"
      headers.add(name: "Content-Disposition", value: "attachment; filename=\"blob\"")
    }
    let permit = count > options.limits.longValue ? try longValues.take() : nil
    var answer = try await Answer.part(of: count, type: type, headers, request, body)
    answer.permit = permit
    return answer
  }
}
