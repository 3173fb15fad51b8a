import Basics
import NIOHTTP1
import RowQueries

/// Which requests are answered: those of the user's own pages.
///
/// A page of another site may send requests to a server on this machine, and by a name that it controls
/// (DNS rebinding) even read the answers. So the names in `Host` and `Origin` are checked, and a server
/// that other machines reach wants a token.
struct RequestGuard: Sendable {
  let options: ServerOptions
  /// The value of the cookie; nil if the server has no token.
  private let session: String?

  init(options: ServerOptions) {
    self.options = options
    session = options.token.map(SessionCookie.value(of:))
  }

  /// Throws if a request must not be answered.
  ///
  /// - Returns: whether the token is in the URL of the page: the answer sets a cookie and leads to the URL without
  ///   it.
  func check(_ request: HTTPRequestHead, _ items: QueryItems) throws -> Bool {
    guard request.headers["Host"].count <= 1 else {
      throw RequestError(400, "there are two Host headers", nextStep: "Send one")
    }
    let host = request.headers.first(name: "Host") ?? ""
    guard isAllowed(host: host) else {
      throw RequestError(
        403, "the server does not answer to the name \(String(host.prefix(80)).quotedIfBlank)",
        nextStep:
          "Use the numeric address that the server printed; a proxy must send Host: localhost")
    }
    if allowedOrigin(of: request) == nil {
      let origin = request.headers.first(name: "Origin")
      let isForeign = origin.map { $0.lowercased() != "http://\(host.lowercased())" } ?? false
      let site = request.headers.first(name: "Sec-Fetch-Site")
      guard !isForeign, site != "cross-site" || isNavigation(request) else {
        throw RequestError(
          403, "the request was made by another site",
          nextStep: "Open the address of this server, or allow that site with --allow-origin")
      }
    }
    // A browser asks without the token whether a page may send it.
    guard request.method != .OPTIONS, let token = options.token else { return false }
    if let given = items.value("token") {
      guard isSame(given, token) else { throw Self.wrongToken }
      return request.path == "/"
    }
    let credentials =
      request.headers.first(name: "Authorization")?.split(separator: " ", maxSplits: 1) ?? []
    if credentials.count == 2, credentials[0].lowercased() == "bearer",
      isSame(String(credentials[1]), token)
    {
      return false
    }
    guard hasCookie(named: Self.cookieName(of:), request) else { throw Self.wrongToken }
    return false
  }

  /// Whether a request has one of the cookies.
  ///
  /// - Parameter name: returns its name at a host.
  private func hasCookie(
    named name: (_ host: String) -> String, _ request: HTTPRequestHead
  ) -> Bool {
    guard let session else { return false }
    let name = name(request.headers.first(name: "Host") ?? "")
    let cookies = request.headers.first(name: "Cookie")?.split(separator: ";") ?? []
    return cookies.contains { cookie in
      let parts = cookie.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      return parts.count == 2 && parts[0] == name && isSame(String(parts[1]), session)
    }
  }

  /// Throws if a request that has SQL must not have it run.
  ///
  /// No other site may, not even one that may read the lists, or by a link that a user follows: so the page itself runs
  /// none before the user asks for it, and all else must come from that page. Browsers say so, except over unencrypted
  /// HTTP from another machine. There a page of another site can neither send the header nor have the cookie sent.
  func checkSQL(_ request: HTTPRequestHead) throws {
    guard options.allowsSQL else {
      throw RequestError(
        403, "this server runs no SQL of a URL", nextStep: "Start it with --sql")
    }
    guard request.path != "/" else { return }
    let isOwn =
      if let site = request.headers.first(name: "Sec-Fetch-Site") {
        site == "same-origin"
      } else {
        request.headers.contains(name: Self.headerOfSQL)
          || hasCookie(named: Self.strictCookieName(of:), request)
      }
    guard isOwn else {
      throw RequestError(
        403, "SQL is run only for the page of this server",
        nextStep: "Open the page; a program sends \(Self.headerOfSQL): run")
    }
  }

  /// The header of a program that has SQL run. A page of another site cannot send it: the browser asks first, and is not
  /// told that it may.
  private static let headerOfSQL = "Sections-SQL"

  /// Whether a request is for a page itself, by a link that a user followed: nothing else of another site, such as an
  /// image, may have a query run.
  private func isNavigation(_ request: HTTPRequestHead) -> Bool {
    Responder.pages.contains(request.path)
      && request.headers.first(name: "Sec-Fetch-Mode") == "navigate"
      && request.headers.first(name: "Sec-Fetch-Dest") == "document"
  }

  /// The `Origin` of a request, if pages of that site may read the answer.
  func allowedOrigin(of request: HTTPRequestHead) -> String? {
    request.headers.first(name: "Origin").flatMap {
      options.allowedOrigins.contains($0.lowercased()) ? $0 : nil
    }
  }

  /// The values of `Set-Cookie`, for all databases.
  ///
  /// One is *lax*, as the user may have followed a link on another site. That site's own requests have no cookie,
  /// and are refused. The other one is *strict*: a request that has SQL must not come by such a link.
  func cookies(for request: HTTPRequestHead) -> [String] {
    let host = request.headers.first(name: "Host") ?? ""
    let path = (options.indexPath ?? options.basePath).page
    return [(Self.strictCookieName(of: host), "Strict"), (Self.cookieName(of: host), "Lax")].map {
      "\($0)=\(session ?? ""); Path=\(path); HttpOnly; SameSite=\($1)"
    }
  }

  /// The name of the cookie, with the port: cookies do not know of ports.
  private static func cookieName(of host: String) -> String {
    let port = parts(of: host)?.port.dropFirst() ?? ""
    return "sections-\(port.isEmpty ? "80" : port)"
  }

  private static func strictCookieName(of host: String) -> String {
    cookieName(of: host) + "-strict"
  }

  private static let wrongToken = RequestError(
    401, "the token is missing or wrong",
    nextStep:
      "Open the address that the server printed, with its ?token=; a program sends "
      + "Authorization: Bearer TOKEN")

  /// Whether a `Host` is a name of this server: an address, which no other site can have, or `localhost`.
  func isAllowed(host: String) -> Bool {
    guard let (name, port) = Self.parts(of: host), isPort(port) else { return false }
    if name.lowercased() == "localhost" { return true }
    guard let address = IPAddress(String(name)) else { return false }
    return !options.isLoopback || address.isLoopback
  }

  /// The name in a `Host`, without the brackets of an address, and the port with its colon; nil if a bracket
  /// is missing.
  private static func parts(of host: String) -> (name: Substring, port: Substring)? {
    guard host.hasPrefix("[") else {
      let end = host.firstIndex(of: ":") ?? host.endIndex
      return (host[..<end], host[end...])
    }
    guard let end = host.firstIndex(of: "]") else { return nil }
    return (host.dropFirst()[..<end], host[host.index(after: end)...])
  }

  private func isPort(_ text: Substring) -> Bool {
    text.isEmpty || text.first == ":" && UInt16(text.dropFirst()) != nil
  }

  /// Compares all bytes, so that the time does not show how many are equal.
  private func isSame(_ given: String, _ token: String) -> Bool {
    let (given, token) = (Array(given.utf8), Array(token.utf8))
    guard given.count == token.count else { return false }
    return zip(given, token).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
