internal import SQLiteStorage

/// One term of a sort order.
///
/// ```swift
/// let newestFirst: [SortTerm<Cover>] = [.by(\.releaseYear, .descending, nulls: .last), .by(\.label)]
/// ```
///
/// Sendable: a plain value.
public struct SortTerm<Record>: Sendable {
  /// The direction of a sort term.
  public enum Direction: Sendable {
    /// Small values first.
    case ascending
    /// Large values first.
    case descending
  }

  /// The position of `NULL`.
  public enum Nulls: Sendable {
    /// Before all values.
    case first
    /// After all values.
    case last
  }

  enum Subject: Sendable {
    case property(AnyProperty<Record>)
    case expression(SQLFragment<Record>)
  }

  let subject: Subject
  let direction: Direction
  let collation: Collation?
  let nulls: Nulls?

  init(_ subject: Subject, _ direction: Direction, _ collation: Collation?, _ nulls: Nulls?) {
    self.subject = subject
    self.direction = direction
    self.collation = collation
    self.nulls = nulls
  }

  /// Sorts by a stored property.
  ///
  /// - Parameters:
  ///   - collation: how text is compared; nil for the collation of the column.
  ///   - nulls: the position of `NULL`; nil for SQLite's rule, by which `NULL` is the smallest
  ///     value.
  public static func by(
    _ property: AnyProperty<Record>, _ direction: Direction = .ascending,
    collation: Collation? = nil, nulls: Nulls? = nil
  ) -> SortTerm {
    SortTerm(.property(property), direction, collation, nulls)
  }

  /// Sorts by an SQL expression, under ``Collation/binary`` unless another collation is given.
  public static func expression(
    _ sql: SQLFragment<Record>, _ direction: Direction = .ascending,
    collation: Collation? = nil, nulls: Nulls? = nil
  ) -> SortTerm {
    SortTerm(.expression(sql), direction, collation, nulls)
  }
}

/// How text is compared, in sort orders and section keys.
///
/// Source: [Datatypes in SQLite, Collating Sequences](https://www.sqlite.org/datatype3.html#collating_sequences).
public enum Collation: Hashable, Sendable {
  /// By bytes.
  case binary
  /// By bytes, with the 26 ASCII capitals folded to small letters.
  case nocase
  /// By bytes, ignoring trailing spaces.
  case rtrim
  /// A collation registered in ``/SQLiteStorage/Database/Configuration/collations``, by its name.
  case custom(String)

  /// The order of a language: `CustomCollation.localized(_:)` of the library `LocalizedCollation`, which
  /// must be registered.
  public static let localized = Collation.custom("localized")

  /// The collation with a name. Names are compared as in SQLite.
  public init(name: String) {
    switch name.sqliteFolded {
    case "binary": self = .binary
    case "nocase": self = .nocase
    case "rtrim": self = .rtrim
    default: self = .custom(name)
    }
  }

  /// Whether both are the same collation. Names are compared as in SQLite.
  public static func == (lhs: Collation, rhs: Collation) -> Bool {
    lhs.name.sqliteFolded == rhs.name.sqliteFolded
  }

  /// Feeds the name to `hasher`.
  public func hash(into hasher: inout Hasher) { hasher.combine(name.sqliteFolded) }

  /// The name for `COLLATE`.
  public var name: String {
    switch self {
    case .binary: "BINARY"
    case .nocase: "NOCASE"
    case .rtrim: "RTRIM"
    case .custom(let name): name
    }
  }
}
