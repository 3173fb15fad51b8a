/// What is known of the rows that may differ between two versions of a database.
public enum Touched: Hashable, Sendable {
  /// These rows may differ, and no others.
  case rows(TouchedRows)
  /// Any row may differ.
  case unknown(Reason)

  /// Why it is not known which rows differ. New reasons may come.
  public struct Reason: Hashable, Sendable, CustomStringConvertible {
    enum Kind: String {
      case schemaChanged = "the schema has changed"
      case otherWriter = "another connection or process may have written"
      case unobservedTransaction = "a transaction began before the older snapshot was made"
      case storm = "other connections committed too fast for a version to be told apart"
      case noHook = "this SQLite was built without SQLITE_ENABLE_PREUPDATE_HOOK"
      case notInWALMode = "the database is not in WAL mode"
      case attachedNotInWALMode = "an attached database is not in WAL mode"
      case unrelated = "the snapshots are of different databases"
      case notNewer = "the other snapshot is the older one"
      case logUnreadable = "the pages in the write-ahead log could not be read"
      case pageMalformed = "a page of the database is not as the file format says"
      case longRowChanged = "a row longer than a page was changed in the middle"
      case tooManyPages = "so much was written that comparing all rows costs less"
    }

    let kind: Kind

    /// A table, index, view or trigger was made, changed or dropped, or `VACUUM` ran.
    public static let schemaChanged = Reason(kind: .schemaChanged)
    /// Another connection or process has written, or it cannot be excluded.
    public static let otherWriter = Reason(kind: .otherWriter)
    /// A transaction had begun before the older snapshot was made, and was committed after it. As
    /// long as nobody holds a snapshot, nothing is recorded.
    public static let unobservedTransaction = Reason(kind: .unobservedTransaction)
    /// Other connections committed so fast that one of the two versions could not be told from
    /// its neighbours.
    public static let storm = Reason(kind: .storm)
    /// The SQLite library does not tell which rows are written.
    public static let noHook = Reason(kind: .noHook)
    /// The file is in rollback-journal mode.
    public static let notInWALMode = Reason(kind: .notInWALMode)
    /// An attached file is in rollback-journal mode.
    public static let attachedNotInWALMode = Reason(kind: .attachedNotInWALMode)
    /// The snapshots are of different databases.
    public static let unrelated = Reason(kind: .unrelated)
    /// The other snapshot is the older one.
    public static let notNewer = Reason(kind: .notNewer)
    /// Somebody else wrote, and the pages that hold what was written could not be read.
    public static let logUnreadable = Reason(kind: .logUnreadable)
    /// Somebody else wrote, and a page is not as the file format says: the file is encrypted or
    /// damaged.
    public static let pageMalformed = Reason(kind: .pageMalformed)
    /// Somebody else changed a part of a row that is longer than a page, and no page tells which row
    /// it belongs to.
    public static let longRowChanged = Reason(kind: .longRowChanged)
    /// Somebody else wrote so much that comparing all rows costs less than looking at each.
    public static let tooManyPages = Reason(kind: .tooManyPages)

    /// The reason in words.
    public var description: String { kind.rawValue }
  }
}

extension Touched {
  /// What has told which rows are touched.
  package enum Source: Sendable {
    /// The connection that writes: nobody else has.
    case capture
    /// The pages of the two versions.
    case pages
    /// Nobody could tell.
    case nobody
  }
}

extension Touched.Reason {
  /// Whether the pages of the two versions may tell it all the same.
  var isToldByPages: Bool {
    switch kind {
    case .schemaChanged, .otherWriter, .unobservedTransaction, .storm, .noHook: true
    default: false
    }
  }
}

extension Touched {
  /// No rows.
  static var none: Touched { .rows(TouchedRows()) }

  /// Adds what happened afterwards.
  mutating func formUnion(_ later: Touched) {
    guard case .rows(var rows) = self else { return }
    // Given up for now: with two holders, adding to the rows would copy all of them.
    self = later
    guard case .rows(let others) = later else { return }
    rows.formUnion(others)
    self = .rows(rows)
  }
}
