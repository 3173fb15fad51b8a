import TableData

// What a provider tells is followed as it comes. An observer cannot throw: what is wrong is kept until
// the test asks.
extension ProviderHarness {
  /// Takes the provider's place for an observer, and from now on follows what it is told.
  ///
  /// In *will* the provider must still have its old content and in *did* its new one, and the two
  /// must be paired. An observer that the provider has already is told after the harness, and gets its
  /// place back when the harness goes.
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
    provider.observer = relay
  }

  /// Checks that all that was told was right, and that nothing has changed since.
  ///
  /// - Throws: the first thing that was wrong, as ``follow(_:)``; `ProviderViolation` of code
  ///   `.unpaired`, `.changedEarly` or `.silentChange`.
  public func checkObserved() throws {
    if let violation { throw violation }
    guard !isChanging else {
      throw ProviderViolation(.unpaired, "contentWillChange was told, and no contentDidChange")
    }
    try checkNothingChanged()
  }

  private func record(_ check: () throws -> Void) {
    do { try check() } catch { violation = violation ?? error }
  }

  private func contentWillChange() throws {
    guard !isChanging else {
      throw ProviderViolation(
        .unpaired, "contentWillChange was told again before contentDidChange")
    }
    isChanging = true
    do {
      try checkNothingChanged()
    } catch let violation as ProviderViolation where violation.code == .silentChange {
      throw ProviderViolation(
        .changedEarly, "in contentWillChange the content is not the old one: \(violation)")
    }
  }

  private func contentDidChange(by changes: TableChanges) throws {
    guard isChanging else {
      throw ProviderViolation(.unpaired, "contentDidChange was told without contentWillChange")
    }
    isChanging = false
    batches.append(changes)
    if changes.isEmpty, allowsEmptyChanges { return try checkNothingChanged() }
    try follow(changes)
  }
}

/// Hands on what an observer is told, and passes it on to the observer that was there before.
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

  /// Gives the place back, unless another one has taken it.
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
