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
///
/// Sendable: it is a value.
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

  /// A migration that ran. Sendable: it is a value.
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
