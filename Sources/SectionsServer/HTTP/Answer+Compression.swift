import NIOHTTP1
import SQLiteStorage

extension Answer {
  /// The answer as gzip, if the client takes that and it is worth it: texts of some length, and exports.
  ///
  /// Not events: each client would need its own bytes. Not blobs: images are compressed already, and parts of a
  /// compressed text are not parts of the text.
  func compressed(for request: HTTPRequestHead) throws -> Answer {
    guard status == .ok, isText, headers["Accept-Ranges"].isEmpty else { return self }
    let body: Body
    switch self.body {
    case .events: return self
    case .bytes(let bytes):
      guard bytes.count >= Self.shortest else { return self }
      guard Self.takesGZip(request) else { return varying(body: self.body) }
      body = .bytes(try GZipStream().compress(bytes, ends: true))
    case .pieces(let write):
      guard Self.takesGZip(request) else { return varying(body: self.body) }
      body = .pieces { send in
        let stream = Locked(try GZipStream())
        try await write { piece in
          let bytes = try stream.withLock { try $0.compress(piece, ends: false) }
          if !bytes.isEmpty { try await send(bytes) }
        }
        try await send(try stream.withLock { try $0.compress([], ends: true) })
      }
    }
    var answer = varying(body: body)
    answer.headers.replaceOrAdd(name: "Content-Encoding", value: "gzip")
    // The bytes are others, the content is the same.
    if let tag = headers.first(name: "ETag") {
      answer.headers.replaceOrAdd(name: "ETag", value: "W/\(tag)")
    }
    return answer
  }

  /// The number of bytes from which a text is compressed: a shorter one is sent in one packet anyway.
  private static let shortest = 1_200

  private var isText: Bool {
    guard let type = headers.first(name: "Content-Type") else { return false }
    return ["text/", "application/json", "application/x-ndjson", "image/svg+xml"].contains {
      type.hasPrefix($0)
    }
  }

  /// The answer with another body, and a note that it depends on what the client takes.
  private func varying(body: Body) -> Answer {
    var answer = self
    answer.body = body
    answer.headers.add(name: "Vary", value: "Accept-Encoding")
    return answer
  }

  /// Whether the client takes gzip: it is named, and not with the quality 0.
  private static func takesGZip(_ request: HTTPRequestHead) -> Bool {
    request.headers[canonicalForm: "Accept-Encoding"].contains { item in
      let parts = item.lowercased().split(separator: ";").map { $0.filter { $0 != " " } }
      guard parts.first == "gzip" else { return false }
      let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) }
      return quality.map { ($0 ?? 0) > 0 } ?? true
    }
  }
}
