#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the caller has set.
enum ProcessEnvironment {
  static var variables: [String: String] { ProcessInfo.processInfo.environment }
}

/// What the caller sends.
enum StandardInput {
  /// Everything up to the end of the input.
  static func read() throws -> String {
    var text = ""
    while let line = readLine(strippingNewline: false) { text += line }
    return text
  }
}
