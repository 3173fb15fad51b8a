import Testing

@testable import SQLiteStorage

extension Database {
  /// The keeper of a database that is open.
  var keeper: SnapshotKeeper {
    guard let opened = access.withLock({ $0.opened }) else {
      fatalError("the database is not open")
    }
    return opened.keeper
  }
  var readers: ReaderPool { keeper.readers }

  /// Lets another connection commit when `moment` passes for the first time.
  func commitOfAnother(at moment: LogCheckpointer.Moment) -> Flag {
    let hasCommitted = Flag()
    keeper.state.withLock {
      $0.source.log?.momentPassed = { [path] passed in
        guard passed == moment, !hasCommitted.isSet else { return }
        hasCommitted.set()
        #expect(throws: Never.self) {
          try Connection(path: path).execute("INSERT INTO item(name) VALUES ('in between')")
        }
      }
    }
    return hasCommitted
  }
}
