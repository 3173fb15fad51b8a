internal import CFetchedResultsSQLite

/// The C functions that tell, row by row, what a connection is about to change.
///
/// SQLite has them only when it was built with `SQLITE_ENABLE_PREUPDATE_HOOK`, so they are looked
/// up at run time: a library without them links all the same.
///
/// Source: [The pre-update hook](https://www.sqlite.org/c3ref/preupdate_blobwrite.html).
struct PreupdateHook: Sendable {
  /// Called before a row changes: context, connection, operation, schema, table, old rowid, new
  /// rowid.
  typealias Callback =
    @convention(c) (
      UnsafeMutableRawPointer?, OpaquePointer?, Int32, UnsafePointer<CChar>?,
      UnsafePointer<CChar>?, Int64, Int64
    ) -> Void
  typealias Install =
    @Sendable @convention(c) (OpaquePointer?, Callback?, UnsafeMutableRawPointer?)
    -> UnsafeMutableRawPointer?
  typealias ReadValue =
    @Sendable @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?)
    -> Int32
  typealias ReadNumber = @Sendable @convention(c) (OpaquePointer?) -> Int32

  /// Puts a callback, or nil, in the connection's one slot, and returns the former context.
  let install: Install
  /// The value of a column before the change, for an UPDATE or DELETE.
  let oldValue: ReadValue
  /// The value of a column after the change, for an INSERT or UPDATE.
  let newValue: ReadValue
  /// The number of columns.
  let columnCount: ReadNumber
  /// 0 for a change made by the statement itself, more inside triggers and cascades.
  let depth: ReadNumber
  /// The column of a write to an open blob, which comes as a DELETE; else negative.
  let blobColumn: ReadNumber

  /// The functions of the library this program runs with; nil where it has none.
  static let ofLibrary: PreupdateHook? = {
    // The library may have them and yet be built to never call the hook.
    guard sqlite3_compileoption_used("ENABLE_PREUPDATE_HOOK") != 0,
      let install = OptionalSymbol<Install>("sqlite3_preupdate_hook").value,
      let oldValue = OptionalSymbol<ReadValue>("sqlite3_preupdate_old").value,
      let newValue = OptionalSymbol<ReadValue>("sqlite3_preupdate_new").value,
      let columnCount = OptionalSymbol<ReadNumber>("sqlite3_preupdate_count").value,
      let depth = OptionalSymbol<ReadNumber>("sqlite3_preupdate_depth").value,
      let blobColumn = OptionalSymbol<ReadNumber>("sqlite3_preupdate_blobwrite").value
    else { return nil }
    return PreupdateHook(
      install: install, oldValue: oldValue, newValue: newValue, columnCount: columnCount,
      depth: depth, blobColumn: blobColumn)
  }()
}

extension Connection {
  /// Whether this SQLite tells which rows a connection changes. Where it does not, a change made by
  /// this process is found in the way that those of other processes are.
  ///
  /// Source: [The pre-update hook](https://www.sqlite.org/c3ref/preupdate_blobwrite.html).
  public static var supportsPreupdateHook: Bool { PreupdateHook.ofLibrary != nil }
}
