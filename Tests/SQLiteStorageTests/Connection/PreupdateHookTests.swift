import Testing

@testable import SQLiteStorage

@Suite struct PreupdateHookTests {
  @Test func itIsThereExactlyWhereTheLibraryWasBuiltWithIt() throws {
    let store = try TestConnection()
    let options = try store.connection.rows("PRAGMA compile_options").map(\.values)
    #expect(
      Connection.supportsPreupdateHook == options.contains([.text("ENABLE_PREUPDATE_HOOK")]))
    #expect((PreupdateHook.ofLibrary != nil) == Connection.supportsPreupdateHook)
  }

  @Test(.enabled(if: Connection.supportsPreupdateHook))
  func aChangeIsReportedWithItsOldAndNewValues() throws {
    let store = try TestConnection("CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 2)")
    let hook = try #require(PreupdateHook.ofLibrary)
    let seen = Context(Seen())
    _ = hook.install(
      store.connection.handle,
      { context, handle, _, _, table, oldRowID, newRowID in
        guard let context, let table, let hook = PreupdateHook.ofLibrary else { return }
        var old: OpaquePointer?
        var new: OpaquePointer?
        let seen = Context<Seen>.at(context)
        seen.isReadable =
          hook.oldValue(handle, 1, &old) == 0 && hook.newValue(handle, 1, &new) == 0
          && old != nil && new != nil
        seen.table = String(cString: table)
        seen.rowIDs = [oldRowID, newRowID]
      }, Unmanaged.passUnretained(seen).toOpaque())
    try store.connection.execute("UPDATE t SET b = 3")
    _ = hook.install(store.connection.handle, nil, nil)
    try store.connection.execute("UPDATE t SET b = 4 WHERE 0")
    #expect(seen.content.table == "t")
    #expect(seen.content.rowIDs == [1, 1])
    #expect(seen.content.isReadable)
  }

  private final class Seen {
    var table = ""
    var rowIDs: [Int64] = []
    var isReadable = false
  }
}
