/// A numbered change of a database's schema or content, in SQL or in Swift, with what reverts it, if there is
/// anything.
///
/// Migrations are read from a folder (``Migrator/init(folder:clock:now:)``), or made in code:
///
/// ```swift
/// let migrator = try Migrator([
///   Migration(2, "add_rating", up: "ALTER TABLE track ADD COLUMN rating INTEGER;"),
///   Migration(3, "capitalize_names") { connection in
///     for row in try connection.rows("SELECT id, name FROM track") {
///       let name = try row.decode(String.self, "name").capitalized
///       try connection.execute("UPDATE track SET name = \(name) WHERE id = \(row["id"])")
///     }
///   },
/// ])
/// ```
///
/// The initializers check nothing; the initializer of ``Migrator`` does.
///
/// Sendable: it is a value.
public struct Migration: Sendable {
  /// The number, 1 to 9999. Migrations run in this order. Numbers may be missing.
  public let version: Int
  /// The name, in snake_case: lower-case letters and digits, in words joined by `_`.
  public let name: String
  /// What is in the ledger for it: the SHA-256 of its SQL in hexadecimal, as `sha256sum` prints it for the file. In the
  /// ledger it may also be that of the file with other line ends. For a migration in Swift, whose changes nobody notices,
  /// it is `swift`.
  public let checksum: String

  let content: Content

  enum Content: Sendable {
    case sql(up: String, down: String?)
    case swift(up: Change, down: Change?)
  }

  /// A change in Swift.
  public typealias Change = @Sendable (Connection) throws -> Void

  static let checksumOfSwift = "swift"

  /// Makes a migration in SQL.
  ///
  /// Complexity: O(n) for n bytes of SQL.
  ///
  /// - Parameters:
  ///   - up: the SQL that makes the change: one or more statements.
  ///   - down: the SQL that reverts the change; nil if it cannot be reverted.
  public init(_ version: Int, _ name: String, up: String, down: String? = nil) {
    self.version = version
    self.name = name
    content = .sql(up: up, down: down)
    checksum = SHA256.hexDigest(of: up.utf8)
  }

  /// Makes a migration in Swift.
  ///
  /// It runs in its transaction, as SQL does, so a `PRAGMA` that SQLite ignores in a transaction does nothing. Records of
  /// the app may change after the migration was written: read and write rows here, by SQL.
  ///
  /// - Parameters:
  ///   - up: makes the change. An error that it throws rolls the migration back.
  ///   - down: reverts the change; nil if it cannot be reverted.
  public init(_ version: Int, _ name: String, up: @escaping Change, down: Change? = nil) {
    self.version = version
    self.name = name
    content = .swift(up: up, down: down)
    checksum = Migration.checksumOfSwift
  }

  /// The SQL that makes the change; nil for a migration in Swift.
  public var up: String? { if case .sql(let up, _) = content { up } else { nil } }

  /// The SQL that reverts the change; nil if it cannot be reverted, or for a migration in Swift.
  public var down: String? { if case .sql(_, let down) = content { down } else { nil } }

  /// Whether a checksum is that of ``up``, whether its lines end in LF or in CRLF: version control may change that.
  func hasChecksum(_ checksum: String) -> Bool {
    if checksum == self.checksum { return true }
    guard let up else { return false }
    let lineFeed = UInt8(ascii: "\n")
    let lines = up.utf8.split(separator: lineFeed, omittingEmptySubsequences: false).map { line in
      line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
    return [[lineFeed], [UInt8(ascii: "\r"), lineFeed]].contains { lineEnd in
      SHA256.hexDigest(of: lines.joined(separator: lineEnd)) == checksum
    }
  }

  /// The name of the file with the SQL, such as `0002_add_rating.sql`; for a migration in Swift without the `.sql`.
  public var fileName: String { fileName(.up).description }

  func fileName(_ direction: Direction) -> FileName {
    var isSwift = false
    if case .swift = content { isSwift = true }
    return FileName(version: version, name: name, direction: direction, isSwift: isSwift)
  }
}

extension Migration: Hashable {
  /// Whether both have the same number, name and SQL. Swift cannot be compared: migrations in Swift are equal by number
  /// and name.
  public static func == (lhs: Migration, rhs: Migration) -> Bool {
    lhs.version == rhs.version && lhs.name.exact == rhs.name.exact && lhs.up?.exact == rhs.up?.exact
      && lhs.down?.exact == rhs.down?.exact
  }

  /// Feeds the number and the checksum to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(version)
    hasher.combine(checksum)
  }
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
    /// The name of the file that ran: `0002_add_rating.sql` or `0002_add_rating.down.sql`. For a migration in Swift
    /// without the `.sql`.
    public let fileName: String
  }
}

extension Migration {
  /// The parts of a file's name: `NNNN_snake_name.sql` or `NNNN_snake_name.down.sql`.
  struct FileName: Hashable, CustomStringConvertible {
    static let versions = 1...9_999

    let version: Int
    let name: String
    let direction: Direction
    /// Whether there is no file: the migration is in Swift.
    let isSwift: Bool

    init(version: Int, name: String, direction: Direction = .up, isSwift: Bool = false) {
      self.version = version
      self.name = name
      self.direction = direction
      self.isSwift = isSwift
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
      isSwift = false
      guard isValid else { return nil }
    }

    /// Whether the number is in range and the name is in snake_case.
    var isValid: Bool { FileName.versions.contains(version) && FileName.isSnakeCase(name) }

    var description: String {
      let digits = String(version)
      let number = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      return "\(number)_\(name)\(direction == .down ? ".down" : "")\(isSwift ? "" : ".sql")"
    }

    /// The name without what it ends in.
    var stem: String { FileName(version: version, name: name, isSwift: true).description }

    static func isSnakeCase(_ name: String) -> Bool {
      name.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false).allSatisfy {
        !$0.isEmpty && $0.allSatisfy { $0.isDigit || UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
      }
    }
  }
}
