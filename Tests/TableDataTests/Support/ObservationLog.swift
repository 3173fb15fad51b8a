import TableData

/// An observer that writes down what it is told.
final class ObservationLog: TableChangesObserver {
  private(set) var entries: [String] = []
  var onWill: () -> Void = {}
  var onDid: (TableChanges) -> Void = { _ in }

  func contentWillChange(of sender: any TableChangesSender) {
    entries.append("will")
    onWill()
  }

  func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    entries.append("did \(changes)")
    onDid(changes)
  }

  func content(of sender: any TableChangesSender, didFailWith error: any Error) {
    entries.append("failed: \(error)")
  }
}
