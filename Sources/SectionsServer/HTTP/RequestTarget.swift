import NIOHTTP1

extension HTTPRequestHead {
  /// The request with the path in place of the whole address, which a client may send too.
  ///
  /// The name in the address takes the place of the one in `Host`.
  ///
  /// Source: [RFC 9112, section 3.2.2](https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2).
  var inOriginForm: HTTPRequestHead {
    let scheme = ["http://", "https://"].first { uri.lowercased().hasPrefix($0) }
    guard let scheme else { return self }
    let rest = uri.dropFirst(scheme.count)
    let name = rest.prefix { !"/?".contains($0) }
    var request = self
    let target = rest.dropFirst(name.count)
    request.uri = target.hasPrefix("/") ? String(target) : "/" + target
    // Two of them are an error whatever the address is.
    if headers["Host"].count <= 1 {
      request.headers.replaceOrAdd(name: "Host", value: String(name))
    }
    return request
  }

  /// The path of the URL, decoded.
  var path: String {
    QueryItems.decoded(uri.utf8.prefix { $0 != UInt8(ascii: "?") }, plusIsSpace: false)
  }

  /// What follows the `?` of the URL.
  var query: String {
    uri.firstIndex(of: "?").map { String(uri[uri.index(after: $0)...]) } ?? ""
  }
}
