/// A numbered change of a database's schema or content, and the way back where there is one.
///
/// A folder of files gives them (``Migrator/init(folder:clock:now:)``), or an app holds them in its
/// code:
///
/// ```swift
/// let migration = Migration(
///   version: 2, name: "add_rating",
///   up: "ALTER TABLE track ADD COLUMN rating INTEGER;",
///   down: "ALTER TABLE track DROP COLUMN rating;")
/// ```
///
/// Making one checks nothing: the ``Migrator`` that takes it does.
public struct Migration: Hashable, Sendable {
  /// The number, 1 to 9999: migrations run in this order. Numbers may be left out.
  public let version: Int
  /// What it does, in snake_case: lower-case letters and digits, in words joined by `_`.
  public let name: String
  /// The SQL that makes the change: one statement or more.
  public let up: String
  /// The SQL that takes the change back; nil where that is not possible.
  public let down: String?
  /// The SHA-256 of ``up`` in hexadecimal, as `sha256sum` prints it for the file.
  public let checksum: String

  /// Describes a migration.
  ///
  /// Complexity: O(n) for n bytes of SQL.
  public init(version: Int, name: String, up: String, down: String? = nil) {
    self.version = version
    self.name = name
    self.up = up
    self.down = down
    checksum = SHA256.hexDigest(of: up.utf8)
  }

  /// The name of the file with ``up``, such as `0002_add_rating.sql`.
  public var fileName: String { FileName(version: version, name: name).description }
}

extension Migration {
  /// Which way a migration runs.
  public enum Direction: String, Sendable {
    /// The change is made.
    case up
    /// The change is taken back.
    case down
  }

  /// A migration that ran.
  public struct Step: Hashable, Sendable {
    /// The number of the migration.
    public let version: Int
    /// Its name.
    public let name: String
    /// Which way it ran.
    public let direction: Direction
    /// How long its statements and the check of the foreign keys took.
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

    /// Takes a file's name apart; nil unless it is exactly of that form.
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

    /// Whether the number is in range and the name in snake_case.
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
