import Basics

/// What the cookie of a browser has in place of the token: who sees it cannot learn the token, or send it as one.
///
/// It is the same in each run of the server, so that pages stay open when the server is started again.
enum SessionCookie {
  static func value(of token: String) -> String {
    authenticationCode(of: Array("sections serve: cookie".utf8), key: Array(token.utf8)).hexadecimal
  }

  /// HMAC with SHA-256.
  ///
  /// Source: [RFC 2104](https://www.rfc-editor.org/rfc/rfc2104), section 2.
  static func authenticationCode(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    let length = 64
    var block = key.count > length ? SHA256.digest(of: key) : key
    block += [UInt8](repeating: 0, count: length - block.count)
    let inner = SHA256.digest(of: block.map { $0 ^ 0x36 } + message)
    return SHA256.digest(of: block.map { $0 ^ 0x5C } + inner)
  }
}
