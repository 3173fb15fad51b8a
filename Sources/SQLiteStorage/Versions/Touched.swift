/// The rows that may differ between two versions of a database, if they are known.
public enum Touched: Hashable, Sendable {
  /// Only these rows may differ.
  case rows(TouchedRows)
  /// Any row may differ.
  case unknown(Reason)

  /// Why the rows that differ are not known. New reasons may be added.
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

    /// A table, index, view or trigger was created, changed or dropped, or `VACUUM` ran.
    public static let schemaChanged = Reason(kind: .schemaChanged)
    /// Another connection or process has written, or may have.
    public static let otherWriter = Reason(kind: .otherWriter)
    /// A transaction began before the older snapshot was made, and was committed after it. While no
    /// snapshot is held, changes are not recorded.
    public static let unobservedTransaction = Reason(kind: .unobservedTransaction)
    /// Other connections committed so fast that one of the two versions could not be identified.
    public static let storm = Reason(kind: .storm)
    /// The SQLite library does not report which rows are written.
    public static let noHook = Reason(kind: .noHook)
    /// The file is in rollback-journal mode.
    public static let notInWALMode = Reason(kind: .notInWALMode)
    /// An attached file is in rollback-journal mode.
    public static let attachedNotInWALMode = Reason(kind: .attachedNotInWALMode)
    /// The snapshots are of different databases.
    public static let unrelated = Reason(kind: .unrelated)
    /// The other snapshot is the older one.
    public static let notNewer = Reason(kind: .notNewer)
    /// Another connection wrote, and the pages with its changes could not be read.
    public static let logUnreadable = Reason(kind: .logUnreadable)
    /// Another connection wrote, and a page does not follow the file format: the file is encrypted
    /// or damaged.
    public static let pageMalformed = Reason(kind: .pageMalformed)
    /// Another connection changed a part of a row that is longer than a page, and no page
    /// identifies the row.
    public static let longRowChanged = Reason(kind: .longRowChanged)
    /// Another connection wrote so much that comparing all rows costs less than finding the changed
    /// ones.
    public static let tooManyPages = Reason(kind: .tooManyPages)

    /// The reason in words.
    public var description: String { kind.rawValue }
  }
}

extension Touched {
  /// How the touched rows were detected.
  package enum Source: Sendable {
    /// By recording the writes of this database's writer; no other connection has written.
    case capture
    /// By comparing the pages of the two versions.
    case pages
    /// The touched rows are not known.
    case nobody
  }
}

extension Touched.Reason {
  /// Whether comparing the pages of the two versions may find the rows.
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

  /// Adds later changes.
  mutating func formUnion(_ later: Touched) {
    guard case .rows(var rows) = self else { return }
    // Released first: with a second reference, adding to the rows would copy all of them.
    self = later
    guard case .rows(let others) = later else { return }
    rows.formUnion(others)
    self = .rows(rows)
  }
}
