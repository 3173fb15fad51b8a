internal import CLibrary
internal import CSQLite

/// The C functions that report, row by row, what a connection is about to change.
///
/// SQLite has them only if it was built with `SQLITE_ENABLE_PREUPDATE_HOOK`. They are looked up at
/// run time, so that the program also links with a library that does not have them.
///
/// Source: [The pre-update hook](https://www.sqlite.org/c3ref/preupdate_blobwrite.html).
struct PreupdateHook: Sendable {
  /// Called before a row changes, with the context, connection, operation, schema, table, old rowid
  /// and new rowid.
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

  /// Sets the connection's only callback, or nil, and returns the former context.
  let install: Install
  /// The value of a column before the change, for an UPDATE or DELETE.
  let oldValue: ReadValue
  /// The value of a column after the change, for an INSERT or UPDATE.
  let newValue: ReadValue

  /// The functions of the loaded library; nil if it does not have them.
  static let ofLibrary: PreupdateHook? = {
    // A library may have the functions but be built to never call the hook.
    guard sqlite3_compileoption_used("ENABLE_PREUPDATE_HOOK") != 0,
      let install = OptionalSymbol<Install>("sqlite3_preupdate_hook").value,
      let oldValue = OptionalSymbol<ReadValue>("sqlite3_preupdate_old").value,
      let newValue = OptionalSymbol<ReadValue>("sqlite3_preupdate_new").value
    else { return nil }
    return PreupdateHook(install: install, oldValue: oldValue, newValue: newValue)
  }()
}

extension Connection {
  /// Whether this SQLite reports which rows a connection changes. If not, changes made by this
  /// process are found in the same way as those of other processes.
  ///
  /// Source: [The pre-update hook](https://www.sqlite.org/c3ref/preupdate_blobwrite.html).
  package static var supportsPreupdateHook: Bool { PreupdateHook.ofLibrary != nil }
}

/// A C function that only some builds of SQLite have. It is looked up at run time, so that the
/// program also links with a library that does not have it.
///
/// `@unchecked Sendable`: the address of a function, which never changes.
struct OptionalSymbol<Function>: @unchecked Sendable {
  /// The function; nil if the library does not have it.
  let value: Function?

  /// - Parameter name: the name of a function of exactly the type `Function`, which must be a C
  ///   function type.
  init(_ name: String) {
    // Searches the program and all libraries it is linked with.
    value = dlsym(dlopen(nil, RTLD_NOW), name).map { unsafeBitCast($0, to: Function.self) }
  }
}
