internal import SQLiteStorage

/// How text is compared, in a sort and in telling sections apart.
///
/// Source: [Datatypes in SQLite, Collating Sequences](https://www.sqlite.org/datatype3.html#collating_sequences).
public enum Collation: Hashable, Sendable {
  /// By bytes.
  case binary
  /// By bytes, with the 26 ASCII capitals folded.
  case nocase
  /// By bytes, without regard to spaces at the end.
  case rtrim
  /// An order registered in ``/SQLiteStorage/Database/Configuration/collations``, by its name.
  case custom(String)

  /// The collation of that name, compared as SQLite does.
  public init(name: String) {
    switch name.sqliteFolded {
    case "binary": self = .binary
    case "nocase": self = .nocase
    case "rtrim": self = .rtrim
    default: self = .custom(name)
    }
  }

  /// The name to write after `COLLATE`.
  public var name: String {
    switch self {
    case .binary: "BINARY"
    case .nocase: "NOCASE"
    case .rtrim: "RTRIM"
    case .custom(let name): name
    }
  }
}
