import NIOHTTP1
import RowQueries

/// What the server answers to a request.
struct Answer: Sendable {
  enum Body: Sendable {
    case bytes([UInt8])
    /// Server-sent events, until the client goes.
    case events(EventStream)
    /// A file in pieces, which the closure passes on one after the other.
    case pieces(@Sendable (_ send: SendPiece) async throws -> Void)
  }

  let status: HTTPResponseStatus
  var headers: HTTPHeaders
  var body: Body
  /// What is kept until the answer is sent.
  var permit: Permit?
}

extension Answer {
  /// An answer with headers that no browser may ignore.
  static func answer(
    _ status: HTTPResponseStatus = .ok, type: String, body: Body, _ more: HTTPHeaders = [:]
  ) -> Answer {
    var headers: HTTPHeaders = [
      "Content-Type": type, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache",
      "Referrer-Policy": "no-referrer", "Content-Security-Policy": "default-src 'none'",
    ]
    for (name, value) in more { headers.replaceOrAdd(name: name, value: value) }
    return Answer(status: status, headers: headers, body: body)
  }

  static func answer(
    _ status: HTTPResponseStatus = .ok, type: String, _ body: [UInt8], _ more: HTTPHeaders = [:]
  ) -> Answer {
    answer(status, type: type, body: .bytes(body), more)
  }

  private static let jsonType = "application/json; charset=utf-8"

  static func json(_ body: [UInt8], _ more: HTTPHeaders = [:]) -> Answer {
    answer(type: jsonType, body, more)
  }

  /// Some bytes, or the part of them that the request asks for with `Range`.
  ///
  /// - Parameters:
  ///   - count: the number of all bytes.
  ///   - body: makes a part of them.
  static func part(
    of count: Int, type: String, _ more: HTTPHeaders, _ request: HTTPRequestHead,
    _ body: (Range<Int>) async throws -> Body
  ) async rethrows -> Answer {
    var headers = more
    headers.add(name: "Accept-Ranges", value: "bytes")
    let asked = request.headers.first(name: "Range").flatMap { range($0, of: count) }
    if let asked, asked.isEmpty {
      headers.add(name: "Content-Range", value: "bytes */\(count)")
      return answer(.rangeNotSatisfiable, type: type, [], headers)
    }
    if let asked {
      headers.add(
        name: "Content-Range", value: "bytes \(asked.lowerBound)-\(asked.upperBound - 1)/\(count)")
    }
    let part = asked ?? 0..<count
    headers.add(name: "Content-Length", value: "\(part.count)")
    return answer(
      asked == nil ? .ok : .partialContent, type: type, body: try await body(part), headers)
  }

  /// The bytes that `bytes=FIRST-LAST`, `bytes=FIRST-` or `bytes=-COUNT` stands for. Nil for another text, or for several
  /// ranges: then all bytes are sent. Empty if there are no such bytes.
  private static func range(_ text: String, of count: Int) -> Range<Int>? {
    guard text.hasPrefix("bytes=") else { return nil }
    let ends = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { 48...57 ~= $0 } }) else {
      return nil
    }
    let (first, last) = (Int(ends[0]), Int(ends[1]))
    switch (first, last) {
    case (let first?, nil) where ends[1].isEmpty: return min(first, count)..<count
    case (let first?, let last?) where first <= last:
      let start = min(first, count)
      return start..<max(start, min(last, count - 1) + 1)
    case (nil, let last?) where ends[0].isEmpty: return max(0, count - last)..<count
    default: return nil
    }
  }

  /// The answer to a request that failed.
  static func failure(_ error: RequestError) -> Answer {
    let buffer = OutputBuffer()
    buffer.object {
      buffer.member("error")
      buffer.object {
        buffer.member("message", error.message)
        buffer.member("nextStep", error.nextStep)
        if let place = error.place { buffer.member("place", place) }
      }
    }
    return failure(error, type: jsonType, buffer.bytes)
  }

  /// The same for a person. If the request may succeed later, the browser tries again by itself.
  static func failurePage(_ error: RequestError) -> Answer {
    let message = error.message.prefix(1).uppercased() + error.message.dropFirst()
    // Without the token, it would lead here again.
    let link = error.status == 401 ? "" : "<p><a href=\"./\">All tables and views</a></p>\n"
    let again = error.status >= 500 ? "<p><a href=\"\">Try again</a></p>\n" : ""
    let page = HTMLPage(
      title: "sections: \(error.status)", styles: ["page.css"], bodyClass: "failure",
      body: """
        <main>
        <h1>\(HTML.escaped(message)).</h1>
        <p>\(HTML.escaped(error.nextStep)).</p>
        \(again)\(link)</main>
        """, hasThemeButton: false)
    var answer = failure(error, type: HTMLPage.type, page.bytes)
    answer.headers.replaceOrAdd(name: "Content-Security-Policy", value: page.policy)
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
