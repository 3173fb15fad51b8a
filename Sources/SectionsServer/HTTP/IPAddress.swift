import CLibrary

/// A numeric address of the Internet Protocol.
package struct IPAddress {
  private let bytes: [UInt8]

  /// Reads `127.0.0.1` or `::1`; nil for anything else.
  package init?(_ text: String) {
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = withUnsafeBytes(of: &four) { Array($0) }
    } else if inet_pton(AF_INET6, text, &six) == 1 {
      let all = withUnsafeBytes(of: &six) { Array($0) }
      // A socket for IPv6 names the clients of IPv4 so.
      bytes = all.starts(with: Self.mappedStart) ? Array(all.suffix(4)) : all
    } else {
      return nil
    }
  }

  private static let mappedStart = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

  /// The part of the address that a client cannot choose: all of it, or the first half of one of IPv6.
  var network: [UInt8] { bytes.count == 4 ? bytes : Array(bytes.prefix(8)) }

  /// Whether only this machine can reach it.
  var isLoopback: Bool {
    bytes.count == 4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
  }
}
