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
  /// The SHA-256 of ``up`` in hexadecimal, as `sha256sum` prints it for the file.
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
