extension Migration {
  /// The parts of a file's name: `NNNN_snake_name.sql` or `NNNN_snake_name.down.sql`.
  struct FileName: Hashable, CustomStringConvertible {
    static let versions = 1...9_999

    let version: Int
    let name: String
    let direction: Direction

    init(version: Int, name: String, direction: Direction = .up) {
      self.version = version
      self.name = name
      self.direction = direction
    }

    /// Parses the name of a file; nil if it does not have exactly this form.
    init?(_ fileName: String) {
      guard fileName.hasSuffix(".sql") else { return nil }
      var stem = fileName.dropLast(4)
      direction = stem.hasSuffix(".down") ? .down : .up
      if direction == .down { stem = stem.dropLast(5) }
      guard let separator = stem.firstIndex(of: "_") else { return nil }
      let digits = stem[..<separator]
      guard digits.utf8.count == 4, digits.utf8.allSatisfy(FileName.isDigit),
        let version = Int(digits)
      else { return nil }
      self.version = version
      name = String(stem[stem.index(after: separator)...])
      guard isValid else { return nil }
    }

    /// Whether the number is in range and the name is in snake_case.
    var isValid: Bool { FileName.versions.contains(version) && FileName.isSnakeCase(name) }

    var description: String {
      let digits = String(version)
      let number = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      return "\(number)_\(name)\(direction == .down ? ".down" : "").sql"
    }

    static func isSnakeCase(_ name: String) -> Bool {
      name.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false).allSatisfy {
        !$0.isEmpty && $0.allSatisfy { isDigit($0) || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
      }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }
  }
}
