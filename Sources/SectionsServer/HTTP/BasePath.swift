import NIOHTTP1

/// The path at which a server answers behind a proxy, such as `/db`: all addresses begin with it. Those on the page are
/// relative, so that they need not know it.
package struct BasePath: Sendable, Equatable {
  /// Empty for the root; otherwise it begins with a `/` and does not end with one.
  package let text: String

  /// The root.
  package init() { text = "" }

  /// Makes a path of the text that a user has written; nil if it has anything but letters, digits and - . _ ~ between
  /// slashes.
  package init?(_ text: String) {
    guard text.hasPrefix("/") else { return nil }
    let parts = text.split(separator: "/")
    let isPlain = parts.allSatisfy { part in
      ![".", ".."].contains(part) && part.utf8.allSatisfy(\.isUnreserved)
    }
    guard isPlain, !text.contains("//") else { return nil }
    self.text = parts.map { "/\($0)" }.joined()
  }

  /// The path of a page below this one.
  func appending(_ name: String) -> BasePath? { BasePath("\(text)/\(name)") }

  /// Whether a request is for this path, or for one below it.
  func contains(_ request: HTTPRequestHead) -> Bool {
    request.path == text || request.uri.hasPrefix(text + "/")
  }

  /// The path of the page, which cookies are for.
  var page: String { text.isEmpty ? "/" : text }

  /// A request as if the server was at the root. `/healthz` is there too.
  ///
  /// - Throws: `RequestError` of status 404 if its address does not begin with the path.
  func relative(_ request: HTTPRequestHead) throws -> HTTPRequestHead {
    guard !text.isEmpty, request.path != "/healthz" else { return request }
    guard request.uri.hasPrefix(text + "/") else {
      throw RequestError(404, "there is nothing at this address", nextStep: "Open \(text)/")
    }
    var request = request
    request.uri = String(request.uri.dropFirst(text.count))
    return request
  }

  /// Where the request for the path without a slash leads; nil for other requests.
  func redirection(of request: HTTPRequestHead) -> String? {
    guard !text.isEmpty, request.path == text, [.GET, .HEAD].contains(request.method) else {
      return nil
    }
    let query = request.query
    return "\(text)/\(query.isEmpty ? "" : "?\(query)")"
  }
}
