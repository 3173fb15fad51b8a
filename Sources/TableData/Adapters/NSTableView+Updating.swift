#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  internal import AppKit

  // `reloadData()` and `moveRow(at:to:)` are NSTableView's own.
  extension NSTableView: @MainActor FlatTableUpdating {
    func performBatch(_ body: () throws -> Void) throws {
      beginUpdates()
      defer { endUpdates() }
      try body()
    }

    func insertRows(at rows: Range<Int>) {
      insertRows(at: IndexSet(integersIn: rows), withAnimation: .effectFade)
    }

    func removeRows(at rows: Range<Int>) {
      removeRows(at: IndexSet(integersIn: rows), withAnimation: .effectFade)
    }

    func reloadRow(at row: Int) {
      reloadData(
        forRowIndexes: IndexSet(integer: row),
        columnIndexes: IndexSet(integersIn: 0..<numberOfColumns))
    }
  }
#endif
