internal import SQLiteStorage

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

  /// The collation with a name. Names are compared as in SQLite.
  public init(name: String) {
    switch name.sqliteFolded {
    case "binary": self = .binary
    case "nocase": self = .nocase
    case "rtrim": self = .rtrim
    default: self = .custom(name)
    }
  }

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
