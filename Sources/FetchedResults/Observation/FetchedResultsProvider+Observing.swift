internal import SQLiteStorage

extension FetchedResultsProvider {
  /// Goes to the newest version by itself whenever somebody commits, and tells the delegate.
  ///
  /// Finding out what changed is done elsewhere; the delegate is called on the actor this is called
  /// from. When commits come faster than they are shown, several come as one batch.
  ///
  /// All providers of one database that one actor observes move to the same version together: in
  /// *will* each still shows the old one, from the first change on all show the new one. That also
  /// holds where one of them is asked to: ``refresh()`` and ``performFetch()`` of an observing provider
  /// move all of them, or throw and move none.
  ///
  /// One that cannot reach the newest version is told of the error once and stays where it is. Then
  /// the others go on without it until it can.
  ///
  /// Call it after ``performFetch()``, on an actor: the main actor in an app. Code that runs on
  /// no actor calls ``refresh()`` instead, or iterates ``FetchedUpdates``. Neither the provider
  /// nor the actor is kept alive.
  public func startObserving(isolation: isolated (any Actor) = #isolation) {
    guard membership == nil else { return }
    let groups = database.attachment { ObservationGroups() }
    membership = groups.group(of: database, on: isolation).add(self, isolation: isolation)
  }

  /// Stops what ``startObserving(isolation:)`` started: when it returns, nothing more is delivered.
  ///
  /// Called by the delegate while it is told of a batch, it lets that batch end.
  public func stopObserving() {
    membership?.group.remove(self)
    membership = nil
  }
}

extension FetchedResultsProvider: ObservingProvider {
  var isDelivering: Bool { delivery.isRunning }

  func nextStep() -> (any ObservationStep)? {
    content == nil ? nil : ProviderStep(of: self, by: .advance)
  }
}
