import NIOHTTP1

/// What is done with each request, whatever it is about: its path, the checks, errors as answers, and the log.
///
/// Sendable: a value.
struct Responder: Sendable {
  let options: ServerOptions
  let guardian: RequestGuard

  init(_ options: ServerOptions, _ guardian: RequestGuard) {
    self.options = options
    self.guardian = guardian
  }

  /// What a person opens: errors are pages too.
  static let pages: Set = ["/", "/schema"]

  /// Answers a request.
  ///
  /// - Parameters:
  ///   - methods: returns the methods that are answered at a path.
  ///   - isHealthy: throws if a file cannot be read.
  ///   - answer: answers a request that was checked, with its parameters but for the token.
  func respond(
    to request: HTTPRequestHead, methods: (_ path: String) -> [HTTPMethod],
    isHealthy: () async throws -> Void,
    _ answer: (HTTPRequestHead, QueryItems) async throws -> Answer
  ) async -> Answer {
    let start = ContinuousClock.now
    var request = request
    var result: Answer
    do {
      if let path = options.basePath.redirection(of: request) {
        return .answer(.permanentRedirect, type: "text/plain", [], ["Location": path])
      }
      request = try options.basePath.relative(request)
      result = try await checked(request, methods(request.path), isHealthy, answer)
        .compressed(for: request)
    } catch {
      let sql = QueryItems(request.query).value("sql")
      let error = RequestError(error, options.terms, typed: sql)
      result = Self.pages.contains(request.path) ? .failurePage(error) : .failure(error)
    }
    if let origin = guardian.allowedOrigin(of: request) {
      result.headers.add(name: "Access-Control-Allow-Origin", value: origin)
      result.headers.add(name: "Access-Control-Expose-Headers", value: "Retry-After")
      result.headers.add(name: "Vary", value: "Origin")
    }
    options.log?(line(for: request, result, after: ContinuousClock.now - start))
    return result
  }

  private func checked(
    _ request: HTTPRequestHead, _ methods: [HTTPMethod], _ isHealthy: () async throws -> Void,
    _ answer: (HTTPRequestHead, QueryItems) async throws -> Answer
  ) async throws -> Answer {
    let asksFirst = request.method == .OPTIONS && guardian.allowedOrigin(of: request) != nil
    guard methods.contains(request.method) || asksFirst else {
      let names = methods.map(\.rawValue)
      throw RequestError(
        405, "only \(names.joined(separator: ", ")) are answered here",
        nextStep: "Use \(names[0])", allowed: names)
    }
    guard request.uri.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw RequestError(400, "the URL has bytes that must be encoded", nextStep: "Encode them")
    }
    if request.path == "/healthz" { return await health(isHealthy) }
    var items = QueryItems(request.query)
    let hasToken = try guardian.check(request, items)
    items.set("token", to: nil)
    if items.value("sql") != nil { try guardian.checkSQL(request) }
    if asksFirst {
      return .answer(
        .noContent, type: "text/plain", [],
        [
          "Access-Control-Allow-Headers": "Authorization",
          "Access-Control-Allow-Methods": "GET, HEAD, POST, PUT, DELETE",
          "Access-Control-Max-Age": "600",
        ])
    }
    if hasToken {
      let rest = items.text()
      var answer = Answer.answer(
        .seeOther, type: "text/plain", [],
        ["Location": rest.isEmpty ? "./" : "?\(rest)", "Cache-Control": "no-store"])
      for cookie in guardian.cookies(for: request) {
        answer.headers.add(name: "Set-Cookie", value: cookie)
      }
      return answer
    }
    return try await answer(request, items)
  }

  /// Whether the file can be read. What asks may use any name of the server and knows no token, so the answer says
  /// no more.
  private func health(_ isHealthy: () async throws -> Void) async -> Answer {
    do {
      try await isHealthy()
      return .answer(type: "text/plain", Array("ok\n".utf8))
    } catch {
      return .answer(.serviceUnavailable, type: "text/plain", Array("unavailable\n".utf8))
    }
  }

  /// Answers with a file of the page, or says that there is nothing at the address.
  func asset(_ request: HTTPRequestHead) async throws -> Answer {
    let prefix = "/assets/"
    guard request.path.hasPrefix(prefix) else {
      throw RequestError(404, "there is nothing at this address", nextStep: "Open /")
    }
    guard let file = PageAssets.files[String(request.path.dropFirst(prefix.count))] else {
      throw RequestError(404, "there is no such file", nextStep: "Open /")
    }
    return await .tagged(file.tag, request) { .answer(type: file.type, file.bytes) }
  }
}

// MARK: - The log

extension Responder {
  /// The method, the URL without the token, the status, and the time until the answer began.
  private func line(
    for request: HTTPRequestHead, _ answer: Answer, after time: Duration
  ) -> String {
    let milliseconds = Int((time / .milliseconds(1)).rounded())
    return
      "\(request.method.rawValue) \(loggedURL(of: request)) \(answer.status.code) \(milliseconds) ms"
  }

  /// The URL without the token. Of a request without the right one only the path of the page: a mistyped token may be
  /// anywhere in the rest.
  private func loggedURL(of request: HTTPRequestHead) -> String {
    var items = QueryItems(request.query)
    guard let token = options.token else { return request.path + parameters(items) }
    guard request.method != .OPTIONS, (try? guardian.check(request, items)) != nil else {
      return ["/", "/healthz"].contains(request.path) ? request.path : "/…"
    }
    items.removeAll { $0.name == "token" || $0.name.contains(token) || $0.value.contains(token) }
    return (request.path.contains(token) ? "/…" : request.path) + parameters(items)
  }

  private func parameters(_ items: QueryItems) -> String {
    let query = items.text()
    return query.isEmpty ? "" : "?" + query
  }
}
