/// The log of one file for all databases of this process that pin versions in it: they make room together for a writer to
/// reset it, as ``LogOvergrowth`` decides.
///
/// Sendable: a lock protects the state. It is taken with the `state` of a `SnapshotKeeper` locked, and with it no other lock.
final class SharedLog: Sendable {
  /// The file of a log.
  struct File: Hashable {
    let path: String
    /// The number of the file in its file system; nil if it is no longer at its path.
    let number: UInt64?
  }

  private struct Member {
    /// The versions of a database.
    let versions: VersionChain
    /// Makes private copies of them, on another thread.
    let makeRoom: @Sendable () -> Void
  }

  private struct State {
    var overgrowth = LogOvergrowth()
    var members: [ObjectIdentifier: Member] = [:]

    func situation(_ log: WALIndexHeader) -> LogOvergrowth.Situation {
      LogOvergrowth.Situation(
        frameCount: log.frameCount,
        pinnedCount: members.values.reduce(0) { $0 + $1.versions.pinnedCount }, now: .now,
        systemTime: .nanoseconds(SystemClock.now))
    }
  }

  private static let all = Locked<[File: Weak<SharedLog>]>([:])

  private let state = Locked(State())

  /// The log of a file, which the databases of the process share.
  static func of(_ file: File) -> SharedLog {
    all.withLock { all in
      if let log = all[file]?.object { return log }
      let log = SharedLog()
      all = all.filter { $0.value.object != nil }
      all[file] = Weak(log)
      return log
    }
  }

  // MARK: - The databases

  /// Adds the versions of a database.
  ///
  /// - Parameter makeRoom: makes private copies of them, on another thread.
  func add(_ versions: VersionChain, makeRoom: @escaping @Sendable () -> Void) {
    state.withLock {
      $0.members[ObjectIdentifier(versions)] = Member(versions: versions, makeRoom: makeRoom)
    }
  }

  /// Removes the versions of a database.
  func remove(_ versions: VersionChain) {
    state.withLock { _ = $0.members.removeValue(forKey: ObjectIdentifier(versions)) }
  }

  // MARK: - The length of the log

  /// Has all versions make room if the log grows on.
  ///
  /// - Parameter threshold: the length of the log from which writers copy it, in frames.
  func look(_ log: WALIndexHeader, threshold: Int) {
    makeRoom { state in
      state.overgrowth.mustMakeRoom(
        in: state.situation(log), threshold: threshold, pageCount: Int(log.version.pageCount))
    }
  }

  /// Has all versions make room if the log is overgrown, although a version has become a copy as soon as it was pinned.
  func didCopyVersion(_ log: WALIndexHeader, threshold: Int) {
    makeRoom { state in
      state.overgrowth.mustMakeRoom(in: state.situation(log), threshold: threshold)
    }
  }

  private func makeRoom(if isNeeded: (inout State) -> Bool) {
    state.withLock { state in
      guard isNeeded(&state) else { return }
      for member in state.members.values { member.makeRoom() }
    }
  }

  /// There was no space for the copy of a version.
  func didFail() { state.withLock { $0.overgrowth.didFail() } }

  /// Whether the next version is pinned later, since a writer is expected to reset the log first.
  ///
  /// - Parameter log: reads its header.
  func awaitsReset(_ log: () -> WALIndexHeader?) -> Bool {
    state.withLock { state in
      guard state.overgrowth.isResetAwaited, let log = log() else { return false }
      return state.overgrowth.awaitsReset(state.situation(log))
    }
  }
}
