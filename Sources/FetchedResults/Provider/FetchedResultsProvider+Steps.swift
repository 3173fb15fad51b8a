internal import SQLiteStorage
internal import SectionedData

extension FetchedResultsProvider: ObservingProvider {
  /// How the next content is reached.
  enum Way {
    /// From the version that is shown. The delegate is notified of the changes; of a reset if nothing is shown.
    case advance
    /// By a new fetch, which is delivered as a reset, to the delegate unless it is silent.
    case fetch(silently: Bool)
    /// By the result of another request. The delegate is notified of the changes unless it is silent.
    case set(ResultLoader<Record>, silently: Bool)

    /// What the caller awaits; nil if no request or fetch supersedes it.
    var purpose: EngineQueue.Purpose? {
      switch self {
      case .advance: nil
      case .fetch: .fetch
      case .set: .request
      }
    }

    /// Whether only the observer is notified.
    var isSilent: Bool {
      switch self {
      case .advance: false
      case .fetch(let silently), .set(_, let silently): silently
      }
    }
  }

  var shownVersion: ResultsVersion? { content?.version }
  var origin: AnyObject { content?.version ?? fetch }
  var isDelivering: Bool { delivery.isRunning }

  func advancing() -> ProviderStep { step(.advance) }

  /// A step to the newest version. That of another request is a reset.
  func step(_ way: Way) -> ProviderStep {
    ProviderStep(
      of: self, update: { [weak self] in self?.update(by: way) },
      prepare: { [weak self] in self?.prepare($0, by: way) },
      enter: { [weak self] in self?.enter($0, of: $1, by: way) })
  }

  private func update(by way: Way) -> ProviderStep.Update {
    var loader = fetch
    switch way {
    case .advance:
      if let version = shownVersion, !lacksRows {
        return { [loader] in try loader.advance(version, to: $0) }
      }
    case .fetch: break
    case .set(let other, _): loader = other
    }
    return { [loader, isTracked] in try loader.fetch(from: $0, isTracked: isTracked) }
  }

  /// The next content with the changes that lead to it. A row that could not be read, since the database was suspended,
  /// is updated.
  private func prepare(_ next: ResultUpdate, by way: Way) -> ResultUpdate {
    guard case .advance = way, let content, !(lacksRows && hasAllRows(next.version)) else {
      return asReset(next)
    }
    if content.unreadPositions.isEmpty { return next }
    return next.reached(
      by: next.changes.updating(content.unreadPositions.map(content.indexPath)))
  }

  /// Whether a version has all rows of the request. A first screen has not. Neither has a later version to which a step led
  /// that began before the fetch of the rest failed.
  func hasAllRows(_ version: ResultsVersion) -> Bool { version.plan.parts.window == request.window }

  /// The next content, to which a reset leads.
  func asReset(_ next: ResultUpdate) -> ResultUpdate {
    next.reached(
      by: .reset(
        oldSectionCount: numberOfSections, newSectionCount: next.version.layout.sectionCount))
  }
}
