import NIOHTTP1
import RowQueries

/// What the server answers to a request.
struct Answer: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    /// Server-sent events, until the client goes.
    case events(EventStream)
    /// A file in pieces, which the closure passes on one after the other.
    case pieces(@Sendable (_ send: ([UInt8]) async throws -> Void) async throws -> Void)
  }

  let status: HTTPResponseStatus
  var headers: HTTPHeaders
  let body: Body
}

extension Answer {
  /// An answer with headers that no browser may ignore.
  static func answer(
    _ status: HTTPResponseStatus = .ok, type: String, _ body: [UInt8],
    _ more: HTTPHeaders = [:]
  ) -> Answer {
    var headers: HTTPHeaders = [
      "Content-Type": type, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache",
      "Referrer-Policy": "no-referrer", "Content-Security-Policy": "default-src 'none'",
    ]
    for (name, value) in more { headers.replaceOrAdd(name: name, value: value) }
    return Answer(status: status, headers: headers, body: .bytes(body))
  }

  static func json(_ body: [UInt8], _ more: HTTPHeaders = [:]) -> Answer {
    answer(type: "application/json; charset=utf-8", body, more)
  }

  /// The answer to a request that failed.
  static func failure(_ error: RequestError) -> Answer {
    let buffer = OutputBuffer()
    buffer.object {
      buffer.member("error")
      buffer.object {
        buffer.member("message", error.message)
        buffer.member("nextStep", error.nextStep)
      }
    }
    return failure(error, type: "application/json; charset=utf-8", buffer.bytes)
  }

  /// The same for a person. If the request may succeed later, the browser tries again by itself.
  static func failurePage(_ error: RequestError) -> Answer {
    let message = error.message.prefix(1).uppercased() + error.message.dropFirst()
    // Without the token, it would lead here again.
    let link = error.status == 401 ? "" : "<p><a href=\"/\">All tables and views</a></p>\n"
    let html = """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>sections: \(error.status)</title>
      <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
      <link rel="stylesheet" href="/assets/page.css"></head>
      <body class="failure">
      <p>\(PageRenderer.escaped(message)).</p>
      <p>\(PageRenderer.escaped(error.nextStep)).</p>
      \(link)</body></html>

      """
    var answer = failure(error, type: "text/html; charset=utf-8", Array(html.utf8))
    answer.headers.replaceOrAdd(
      name: "Content-Security-Policy",
      value: "default-src 'none'; style-src 'self'; img-src 'self'")
    if error.retryAfter != nil || [500, 503].contains(error.status) {
      answer.headers.add(name: "Refresh", value: "\(error.retryAfter ?? 5)")
    }
    return answer
  }

  private static func failure(
    _ error: RequestError, type: String, _ body: [UInt8]
  ) -> Answer {
    var headers: HTTPHeaders = ["Cache-Control": "no-store"]
    if let seconds = error.retryAfter { headers.add(name: "Retry-After", value: "\(seconds)") }
    if !error.allowed.isEmpty {
      headers.add(name: "Allow", value: error.allowed.joined(separator: ", "))
    }
    return answer(HTTPResponseStatus(statusCode: error.status), type: type, body, headers)
  }

  /// The answer with content that the client may have already.
  static func tagged(
    _ tag: String, _ request: HTTPRequestHead, _ make: () async throws -> Answer
  ) async rethrows -> Answer {
    if let answer = unchanged(tag, request) { return answer }
    var answer = try await make()
    answer.headers.replaceOrAdd(name: "ETag", value: quoted(tag))
    return answer
  }

  /// The note that content is unchanged; nil unless the client has the content with this tag.
  static func unchanged(_ tag: String, _ request: HTTPRequestHead) -> Answer? {
    let tag = quoted(tag)
    let known = request.headers.first(name: "If-None-Match")?.split(separator: ",") ?? []
    let isKnown = known.contains { item in
      let item = item.drop { $0 == " " }
      return item == tag || item == "W/\(tag)"
    }
    return isKnown
      ? Answer(status: .notModified, headers: ["ETag": tag], body: .bytes([])) : nil
  }

  /// A tag as a header has it.
  static func quoted(_ tag: String) -> String { "\"\(tag)\"" }

  static func tag(of bytes: some Sequence<UInt8>) -> String {
    // FNV-1a, 64 bits: a tag is not a secret.
    String(
      bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 },
      radix: 36)
  }
}
