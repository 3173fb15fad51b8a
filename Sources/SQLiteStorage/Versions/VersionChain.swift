internal import Synchronization

/// The versions that are held, oldest first, with the rows touched from each to the next.
///
/// When a version is released, the rows touched before and after it are merged into one step. So
/// the memory for the steps is that for the different touched rows. It does not depend on how many
/// versions were made and released since the oldest one that is held.
final class VersionChain: Sendable {
  private struct Step {
    let version: Int
    /// The rows touched after this version, up to the version of the next step. In the last step,
    /// up to the newest version that was ever in the chain.
    var touchedAfter: Touched
  }

  private let steps = Locked<[Step]>([])
  private let stepCount = Atomic(0)
  private let pinned = Atomic(0)

  /// The number of versions in the chain. Reading it never waits.
  var count: Int { stepCount.load(ordering: .acquiring) }

  /// The number of versions in the chain that are pinned, so that their log cannot be reset. Reading it never waits.
  var pinnedCount: Int { pinned.load(ordering: .acquiring) }

  func didPin() { pinned.add(1, ordering: .releasing) }

  func didRelease() { pinned.subtract(1, ordering: .releasing) }

  /// Adds a version newer than all others.
  ///
  /// - Parameter touched: the rows touched since the newest version before it.
  func append(_ version: Int, touched: Touched) {
    steps.withLock { steps in
      if let last = steps.indices.last { steps[last].touchedAfter.formUnion(touched) }
      steps.append(Step(version: version, touchedAfter: .none))
      stepCount.store(steps.count, ordering: .releasing)
    }
  }

  /// Removes a version that is no longer held.
  func remove(_ version: Int) {
    steps.withLock { steps in
      guard let index = steps.firstIndex(where: { $0.version == version }) else { return }
      let touchedAfter = steps.remove(at: index).touchedAfter
      stepCount.store(steps.count, ordering: .releasing)
      if index > 0 { steps[index - 1].touchedAfter.formUnion(touchedAfter) }
    }
  }

  /// The rows touched between two versions that are in the chain.
  ///
  /// Complexity: O(1) if no version between the two is held, else O(rows touched).
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

  /// Whether a version between two is held.
  func holdsVersion(between older: Int, and newer: Int) -> Bool {
    steps.withLock { $0.contains { older < $0.version && $0.version < newer } }
  }

  /// Checks that the versions ascend, that the count is right, and the rows of each step.
  ///
  /// - Complexity: O(rows touched).
  func checkInvariants() throws {
    try steps.withLock { steps in
      try BrokenInvariant.check(count == steps.count, "\(count) versions counted of \(steps.count)")
      try BrokenInvariant.check(
        (0...count).contains(pinnedCount), "\(pinnedCount) pinned of \(count) versions")
      let versions = steps.map(\.version)
      try BrokenInvariant.check(
        zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 }, "versions \(versions)")
      for step in steps {
        if case .rows(let rows) = step.touchedAfter { try rows.checkInvariants() }
      }
    }
  }
}
