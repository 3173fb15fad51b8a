import FlyingFox
import Foundation
import RowQueries

extension HTTPHeader {
  static let accept = HTTPHeader("Accept")
  static let contentSecurityPolicy = HTTPHeader("Content-Security-Policy")
  static let contentTypeOptions = HTTPHeader("X-Content-Type-Options")
  static let lastEventID = HTTPHeader("Last-Event-ID")
  static let referrerPolicy = HTTPHeader("Referrer-Policy")
  static let retryAfter = HTTPHeader("Retry-After")
  static let allow = HTTPHeader("Allow")
}

extension HTTPResponse {
  /// An answer with headers that no browser may ignore.
  static func answer(
    _ status: HTTPStatusCode = .ok, type: String, _ body: [UInt8],
    _ more: [HTTPHeader: String] = [:]
  ) -> HTTPResponse {
    var headers: [HTTPHeader: String] = [
      .contentType: type, .contentTypeOptions: "nosniff", .cacheControl: "no-cache",
      .referrerPolicy: "no-referrer", .contentSecurityPolicy: "default-src 'none'",
    ]
    headers.merge(more) { $1 }
    return HTTPResponse(
      statusCode: status, headers: HTTPHeaders(headers),
      body: HTTPBodySequence(data: Data(body), suggestedBufferSize: max(body.count, 1)))
  }

  static func json(_ body: [UInt8], _ more: [HTTPHeader: String] = [:]) -> HTTPResponse {
    answer(type: "application/json; charset=utf-8", body, more)
  }

  /// The answer to a request that failed.
  static func failure(_ error: RequestError) -> HTTPResponse {
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

  /// The same for a person.
  static func failurePage(_ error: RequestError) -> HTTPResponse {
    let html = """
      <!doctype html>
      <html lang="en"><meta charset="utf-8"><title>sections: \(error.status)</title>
      <p>\(PageRenderer.escaped(error.message)).</p>
      <p>\(PageRenderer.escaped(error.nextStep)).</p>
      <p><a href="/">All tables and views</a></p>
      </html>

      """
    return failure(error, type: "text/html; charset=utf-8", Array(html.utf8))
  }

  private static func failure(
    _ error: RequestError, type: String, _ body: [UInt8]
  ) -> HTTPResponse {
    var headers: [HTTPHeader: String] = [.cacheControl: "no-store"]
    if let seconds = error.retryAfter { headers[.retryAfter] = String(seconds) }
    if error.status == 405 { headers[.allow] = "GET" }
    return answer(HTTPStatusCode(error.status, phrase: "Error"), type: type, body, headers)
  }

  /// The answer with content that the client may have already.
  static func tagged(
    _ tag: String, _ request: HTTPRequest, _ make: () async throws -> HTTPResponse
  ) async rethrows -> HTTPResponse {
    let tag = "\"\(tag)\""
    let known = request.headers[.ifNoneMatch]?.split(separator: ",") ?? []
    let isKnown = known.contains { item in
      let item = item.drop { $0 == " " }
      return item == tag || item == "W/\(tag)"
    }
    guard !isKnown else {
      return HTTPResponse(statusCode: .notModified, headers: HTTPHeaders([.eTag: tag]))
    }
    var response = try await make()
    response.headers[.eTag] = tag
    return response
  }

  static func tag(of bytes: some Sequence<UInt8>) -> String {
    // FNV-1a, 64 bits: a tag is not a secret.
    String(
      bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 },
      radix: 36)
  }
}
