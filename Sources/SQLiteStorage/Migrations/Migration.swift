/// A numbered change of a database's schema or content, with the SQL that reverts it, if there is
/// any.
///
/// Migrations are read from a folder (``Migrator/init(folder:clock:now:)``), or made in code:
///
/// ```swift
/// let migration = Migration(
///   version: 2, name: "add_rating",
///   up: "ALTER TABLE track ADD COLUMN rating INTEGER;",
///   down: "ALTER TABLE track DROP COLUMN rating;")
/// ```
///
/// The initializer checks nothing; the initializer of ``Migrator`` does.
///
/// Sendable: it is a value.
public struct Migration: Hashable, Sendable {
  /// The number, 1 to 9999. Migrations run in this order. Numbers may be missing.
  public let version: Int
  /// The name, in snake_case: lower-case letters and digits, in words joined by `_`.
  public let name: String
  /// The SQL that makes the change: one or more statements.
  public let up: String
  /// The SQL that reverts the change; nil if it cannot be reverted.
  public let down: String?
  /// The SHA-256 of ``up`` in hexadecimal, as `sha256sum` prints it for the file. In the ledger it may also be that of
  /// the file with other line ends.
  public let checksum: String

  /// Makes a migration.
  ///
  /// Complexity: O(n) for n bytes of SQL.
  public init(version: Int, name: String, up: String, down: String? = nil) {
    self.version = version
    self.name = name
    self.up = up
    self.down = down
    checksum = SHA256.hexDigest(of: up.utf8)
  }

  /// Whether a checksum is that of ``up``, whether its lines end in LF or in CRLF: version control may change that.
  func hasChecksum(_ checksum: String) -> Bool {
    if checksum == self.checksum { return true }
    let lineFeed = UInt8(ascii: "\n")
    let lines = up.utf8.split(separator: lineFeed, omittingEmptySubsequences: false).map { line in
      line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
    return [[lineFeed], [UInt8(ascii: "\r"), lineFeed]].contains { lineEnd in
      SHA256.hexDigest(of: lines.joined(separator: lineEnd)) == checksum
    }
  }

  /// The name of the file with ``up``, such as `0002_add_rating.sql`.
  public var fileName: String { FileName(version: version, name: name).description }
}

extension Migration {
  /// The direction in which a migration runs.
  public enum Direction: String, Sendable {
    /// Make the change.
    case up
    /// Revert the change.
    case down
  }

  /// A migration that ran. Sendable: it is a value.
  public struct Step: Hashable, Sendable {
    /// The number of the migration.
    public let version: Int
    /// The name of the migration.
    public let name: String
    /// The direction in which it ran.
    public let direction: Direction
    /// The time for its statements and the foreign key check.
    public let duration: Duration

    /// The name of the file that ran: `0002_add_rating.sql` or `0002_add_rating.down.sql`.
    public var fileName: String {
      FileName(version: version, name: name, direction: direction).description
    }
  }
}

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
      guard digits.utf8.count == 4, digits.utf8.allSatisfy(\.isDigit),
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
        !$0.isEmpty && $0.allSatisfy { $0.isDigit || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
      }
    }
  }
}
