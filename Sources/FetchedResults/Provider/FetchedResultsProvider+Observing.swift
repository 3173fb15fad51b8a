internal import SQLiteStorage

extension FetchedResultsProvider {
  /// Goes to the newest version by itself whenever somebody commits, and tells the delegate.
  ///
  /// Finding out what changed is done elsewhere; the delegate is called on the actor this is called
  /// from. When commits come faster than they are shown, several come as one batch.
  ///
  /// Call it after ``performFetch()``, on an actor: the main actor in an app. Code that runs on no
  /// actor calls ``refresh()`` instead, or iterates ``FetchedUpdates``.
  public func startObserving(isolation: isolated (any Actor) = #isolation) {
    guard observation == nil else { return }
    let commits = database.commits
    observation = Task { [weak self] in
      // Captured, so that this runs on the actor.
      _ = isolation
      await self?.catchUp()
      for await _ in commits {
        guard !Task.isCancelled else { return }
        await self?.catchUp()
      }
    }
  }

  /// Stops what ``startObserving(isolation:)`` started: when it returns, nothing more is delivered.
  public func stopObserving() {
    observation?.cancel()
    observation = nil
  }

  /// Goes to the newest version, finding out elsewhere what changed.
  private func catchUp(isolation: isolated (any Actor)? = #isolation) async {
    guard let content else { return }
    let advance = content.advance(by: fetch)
    let result = await engine.run(advance)
    // Meanwhile the owner may have stopped, or fetched on its own: then this is not the next.
    guard !Task.isCancelled, observation != nil, self.content === content else { return }
    switch result {
    case .success(nil): break
    case .success(let next?): deliver(next)
    case .failure(let error): delegate?.provider(self, didFailWith: error)
    }
  }
}
