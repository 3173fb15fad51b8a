/// The versions that somebody shows, oldest first, with what leads from each to the next.
///
/// A version that nobody shows any more is not in it: what led to it and what led on from it have
/// become one step. So the steps take as much memory as there are different touched rows, however
/// many versions have come and gone since the oldest one that is shown.
final class VersionChain: Sendable {
  private struct Step {
    let version: Int
    /// What was touched after this version, up to the version of the next step; of the last step,
    /// up to the newest version that ever was in the chain.
    var touchedAfter: Touched
  }

  private let steps = Guarded<[Step]>([])

  /// Adds a version newer than all others.
  ///
  /// - Parameter touched: what leads to it from the version that was the newest before.
  func append(_ version: Int, touched: Touched) {
    steps.withLock { steps in
      if let last = steps.indices.last { steps[last].touchedAfter.formUnion(touched) }
      steps.append(Step(version: version, touchedAfter: .none))
    }
  }

  /// Drops a version that nobody shows any more.
  func remove(_ version: Int) {
    steps.withLock { steps in
      guard let index = steps.firstIndex(where: { $0.version == version }) else { return }
      let touchedAfter = steps.remove(at: index).touchedAfter
      if index > 0 { steps[index - 1].touchedAfter.formUnion(touchedAfter) }
    }
  }

  /// What was touched between two versions that are in the chain.
  ///
  /// Complexity: O(1) where nobody shows a version between the two, else O(rows touched).
  func touched(from older: Int, to newer: Int) -> Touched {
    guard older <= newer else { return .unknown(.notNewer) }
    return steps.withLock { steps in
      var touched: Touched?
      for step in steps where step.version >= older && step.version < newer {
        if touched?.formUnion(step.touchedAfter) == nil { touched = step.touchedAfter }
      }
      return touched ?? .none
    }
  }

  /// How many versions are in it.
  var count: Int { steps.withLock { $0.count } }
}
