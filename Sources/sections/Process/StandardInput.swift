#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the caller sends.
enum StandardInput {
  /// Everything up to the end of the input.
  static func read() -> String {
    var text = ""
    while let line = readLine(strippingNewline: false) { text += line }
    return text
  }

  /// Every byte up to the end of the input, also those that are no text.
  static func readBytes() throws -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = systemRead(STDIN_FILENO, &piece, piece.count)
      if count > 0 {
        bytes += piece[..<count]
      } else if count == 0 {
        return bytes
      } else if errno != EINTR {
        let reason = String(cString: strerror(errno))
        throw InputError(
          description: "standard input cannot be read: \(reason). Name a file", status: .inputOutput
        )
      }
    }
  }
}

// Named apart, as `read` inside the enumeration would find the method.
private func systemRead(_ file: Int32, _ start: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(file, start, count)
}
