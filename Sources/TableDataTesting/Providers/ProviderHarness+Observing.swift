import TableData

// Notifications are checked when they arrive. An observer cannot throw, so the first violation is
// stored until the test asks for it.
extension ProviderHarness {
  /// Becomes the provider's observer, and from now on checks each notification.
  ///
  /// In `contentWillChange` the provider must still have its old content, in `contentDidChange` its
  /// new one, and the two must be paired. If the provider already has an observer, that observer is
  /// notified after the harness, and restored when the harness is released. Only without one does the
  /// harness send display events: for the rows that are in its table's window now, and from now on.
  ///
  /// ```swift
  /// let harness = try ProviderHarness(list)
  /// harness.observe()
  /// try list.move(from: 3, to: 0)
  /// try harness.checkObserved()
  /// ```
  public func observe() {
    relay = nil
    let relay = ObservationRelay(
      before: provider.observer,
      will: { [unowned self] in record { try contentWillChange() } },
      did: { [unowned self] changes in record { try contentDidChange(by: changes) } },
      failure: { [unowned self] error in failures.append(error) })
    self.relay = relay
    let sendsDisplayEvents = provider.observer == nil
    provider.observer = relay
    source.didNotify = nil
    if sendsDisplayEvents { record { try startDisplayEvents() } }
  }

  /// Checks that all notifications were correct, and that nothing has changed since the last one.
  ///
  /// - Throws: the first violation, as ``follow(_:)``; `ProviderViolation` with code `.unpaired`,
  ///   `.changedEarly` or `.silentChange`.
  public func checkObserved() throws {
    if let violation { throw violation }
    guard !isChanging else {
      throw ProviderViolation(
        .unpaired, "contentWillChange was called, and contentDidChange was not")
    }
    try checkNothingChanged()
  }

  func record(_ check: () throws -> Void) {
    do { try check() } catch { violation = violation ?? error }
  }

  private func contentWillChange() throws {
    guard !isChanging else {
      throw ProviderViolation(
        .unpaired, "contentWillChange was called again before contentDidChange")
    }
    isChanging = true
    do {
      try checkNothingChanged()
    } catch let violation as ProviderViolation where violation.code == .silentChange {
      throw ProviderViolation(
        .changedEarly, "in contentWillChange the content is not the old one: \(violation.message)")
    }
  }

  private func contentDidChange(by changes: TableChanges) throws {
    guard isChanging else {
      throw ProviderViolation(.unpaired, "contentDidChange was called without contentWillChange")
    }
    isChanging = false
    batches.append(changes)
    if changes.isEmpty, allowsEmptyChanges { return try checkNothingChanged() }
    if source.isNotifying { limitDisplayEvents() }
    try follow(changes)
  }
}

/// Forwards notifications to the harness and to the provider's former observer.
final class ObservationRelay: TableChangesObserver {
  private weak var former: (any TableChangesObserver)?
  private let will: () -> Void
  private let did: (TableChanges) -> Void
  private let failure: (any Error) -> Void

  init(
    before former: (any TableChangesObserver)?,
    will: @escaping () -> Void, did: @escaping (TableChanges) -> Void,
    failure: @escaping (any Error) -> Void
  ) {
    self.former = former
    self.will = will
    self.did = did
    self.failure = failure
  }

  /// Restores the former observer, unless the provider has got another one.
  func leave(_ provider: any TableChangesSender) {
    if provider.observer === self { provider.observer = former }
  }

  func contentWillChange(of sender: any TableChangesSender) {
    will()
    former?.contentWillChange(of: sender)
  }

  func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    did(changes)
    former?.contentDidChange(of: sender, by: changes)
  }

  func content(of sender: any TableChangesSender, didFailWith error: any Error) {
    failure(error)
    former?.content(of: sender, didFailWith: error)
  }
}
