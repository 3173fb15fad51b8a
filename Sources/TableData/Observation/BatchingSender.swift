/// A sender that notifies its observer of all changes of a batch at once, and of nothing if there are none. What is
/// begun inside a batch is a part of it.
protocol BatchingSender: TableChangesSender {
  associatedtype Batch: ChangesBatch
  var batch: Batch? { get set }
  func makeBatch() -> Batch
  /// Called when a batch has ended, to notify the observer if it got `contentWillChange`. Changes that the observer
  /// makes are another batch.
  func didEnd(_ batch: Batch)
}

protocol ChangesBatch {
  /// The number of calls of `endBatch` that are still missing.
  var depth: Int { get set }
  /// Whether the observer got `contentWillChange`.
  var hasNotified: Bool { get set }
}

extension BatchingSender {
  /// Begins a batch, or a part of the current one.
  func beginBatch() {
    if batch == nil { batch = makeBatch() }
    batch?.depth += 1
  }

  func notifyWillChange() {
    guard batch?.hasNotified == false else { return }
    batch?.hasNotified = true
    observer?.contentWillChange(of: self)
  }

  /// Ends what the last `beginBatch` began.
  func endBatch() {
    batch?.depth -= 1
    guard let finished = batch, finished.depth == 0 else { return }
    batch = nil
    didEnd(finished)
  }
}

/// Refuses changes of a list while its observer is in `contentWillChange`: the list must have its old content then.
final class ChangeGate {
  /// Whether the observer is in `contentWillChange`, or a list that this one is based on is changing.
  var isClosed = false

  func requireOpen() throws {
    guard isClosed else { return }
    throw TableDataError(
      .changeInProgress, "the content cannot be changed in contentWillChange",
      nextStep: "Wait for contentDidChange")
  }

  /// Notifies the observer of `sender`. The gate stays closed until the change is made.
  func notifyWill(_ sender: any TableChangesSender) {
    isClosed = true
    sender.observer?.contentWillChange(of: sender)
  }

  /// Makes a change, and notifies the observer of a list before and after it.
  ///
  /// - Throws: `TableDataError` with code `.changeInProgress`. Then nothing has changed.
  func make(
    _ changes: TableChanges, for sender: (any TableChangesSender)?, _ change: () -> Void
  ) throws -> TableChanges {
    try requireOpen()
    // An item may be replaced by one that looks the same.
    guard !changes.isEmpty, let sender else {
      change()
      return changes
    }
    notifyWill(sender)
    isClosed = false
    change()
    sender.observer?.contentDidChange(of: sender, by: changes)
    return changes
  }
}
