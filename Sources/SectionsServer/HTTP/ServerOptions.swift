/// Where a server listens, and what it shows.
package struct ServerOptions: Sendable {
  /// The numeric address to listen on.
  package var address = "127.0.0.1"
  /// The port; 0 for any that is free.
  package var port: UInt16 = 8080
  /// Where the server is behind a proxy.
  package var basePath = BasePath()
  /// Where the page is that lists several databases, of which this is one; nil if there is only one.
  var indexPath: BasePath?
  /// The text that each request must have; nil if only this machine can reach the server.
  package var token: String?
  /// The origins of other sites whose pages may read the lists, in lowercase.
  package var allowedOrigins: Set<String> = []
  /// The name of the database, for the page.
  package var databaseName: String
  package var toolVersion: String
  /// The sources of the command line or of a configuration, before all tables and views.
  package var given: [GivenSource]
  package var limits = ServerLimits()
  /// Whether a URL may have a SELECT that is run; nil if it may as long as only users of this machine ask.
  package var sql: Bool?
  /// Called with a line for each request that was answered; the line never has the token. Nil if nothing is
  /// logged.
  package var log: (@Sendable (String) -> Void)?

  package init(databaseName: String, toolVersion: String, given: [GivenSource] = []) {
    self.databaseName = databaseName
    self.toolVersion = toolVersion
    self.given = given
  }

  /// The version of the protocol: see `Documentation/ServeProtocol.md`.
  static let protocolVersion = 2

  var terms: RequestError.Terms {
    RequestError.Terms(queryTime: limits.queryTime, namesFiles: isPrivate)
  }

  /// Whether a URL may have a SELECT that is run.
  var allowsSQL: Bool { sql ?? isPrivate }

  /// Whether only users of this machine ask. Behind a proxy, too, others ask.
  private var isPrivate: Bool { isLoopback && allowedOrigins.isEmpty }

  /// Whether only this machine can reach the server.
  package var isLoopback: Bool { IPAddress(address)?.isLoopback ?? false }

  /// The address of the page, with the token.
  package func address(port: UInt16) -> String {
    let host =
      switch address {
      case "0.0.0.0": "127.0.0.1"
      case "::": "[::1]"
      default: address.contains(":") ? "[\(address)]" : address
      }
    return "http://\(host):\(port)\(basePath.text)/\(token.map { "?token=\($0)" } ?? "")"
  }
}

/// A server that cannot begin, or that has ended.
package struct ServerError: Error, CustomStringConvertible {
  package let description: String
}
