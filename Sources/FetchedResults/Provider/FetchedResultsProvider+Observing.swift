internal import SQLiteStorage

extension FetchedResultsProvider {
  /// Moves to the newest version after each commit, and notifies the delegate of the changes.
  ///
  /// The changes are computed on the engine queue. The delegate is notified on the actor that
  /// called this method. If commits are faster than the notifications, several commits become one
  /// batch.
  ///
  /// All providers of one database that one actor observes move to the same version together. In
  /// *will* each provider still shows the old version; from the first change on, all show the new
  /// version. The same is true for a call: ``refresh()`` and ``performFetch()`` of an observing
  /// provider move all of them, or throw and move none.
  ///
  /// A provider that cannot reach the newest version reports the error once and keeps its content.
  /// The other providers then continue without it until it can follow.
  ///
  /// Call it after ``performFetch()``, on an actor: in an app the main actor. Code without an actor
  /// calls ``refresh()`` or iterates ``FetchedUpdates``. Neither the provider nor the actor is kept
  /// alive.
  public func startObserving(isolation: isolated (any Actor) = #isolation) {
    guard group == nil else { return }
    let groups = database.attachment { ObservationGroups() }
    let group = groups.group(of: database, on: isolation)
    group.add(self)
    self.group = group
  }

  /// Ends what ``startObserving(isolation:)`` began. After it returns, no more batches are
  /// delivered.
  ///
  /// If the delegate calls it while it is notified of a batch, the rest of that batch is still
  /// delivered.
  public func stopObserving() {
    group?.remove(self)
    group = nil
  }
}

extension FetchedResultsProvider: ObservingProvider {
  var shownVersion: AnyResultsVersion? { content?.version }
  var isObserving: Bool { group != nil }
  var isDelivering: Bool { delivery.isRunning }

  func update(by way: ProviderStep.Way) -> @Sendable (Snapshot) throws -> ResultUpdate? {
    let (fetch, isTracked) = (fetch, isTracked)
    switch way {
    case .advance:
      guard let version = shownVersion else { return { _ in nil } }
      return { try fetch.advance(version, to: $0) }
    case .fetch:
      return { try fetch.fetch(from: $0, isTracked: isTracked) }
    }
  }
}
