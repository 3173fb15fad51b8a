import Testing

@testable import SQLiteStorage

/// What the length of the log calls for, without a file.
@Suite struct LogUpkeepTests {
  private func situation(
    _ frameCount: Int, copied: Int = 0, pinned: Int = 1, isNewest: Bool = true
  ) -> LogUpkeep.Situation {
    LogUpkeep.Situation(
      frameCount: frameCount, copiedFrameCount: copied, pinnedCount: pinned,
      isNewestPinned: isNewest)
  }

  private func upkeep(mayCopy: Bool = true, writes: Bool = false) -> LogUpkeep {
    LogUpkeep(mayCopy: mayCopy, writes: writes, threshold: 100)
  }

  @Test func aShortLogIsLeftAlone() {
    var upkeep = upkeep()
    for pinned in 0...2 {
      #expect(upkeep.action(for: .step, in: situation(74, pinned: pinned)) == .nothing)
      #expect(!upkeep.awaitsRelease)
    }
  }

  @Test func aLongLogIsCopiedUnlessSeveralVersionsArePinned() {
    var upkeep = upkeep()
    #expect(upkeep.action(for: .step, in: situation(75, pinned: 2)) == .nothing)
    #expect(upkeep.awaitsRelease)
    #expect(upkeep.action(for: .step, in: situation(75)) == .copyAndLeave)
    #expect(!upkeep.awaitsRelease)
    #expect(upkeep.action(for: .step, in: situation(75, isNewest: false)) == .nothing)
    #expect(upkeep.action(for: .step, in: situation(75, pinned: 0, isNewest: false)) == .copy)
    #expect(
      upkeep.action(for: .step, in: situation(75, copied: 75, pinned: 0, isNewest: false))
        == .nothing)
  }

  @Test func aLogIsLeftOnce() {
    var upkeep = upkeep()
    #expect(upkeep.action(for: .step, in: situation(80, copied: 80)) == .leave)
    upkeep.didLeave()
    #expect(upkeep.action(for: .step, in: situation(80, copied: 80)) == .nothing)
    #expect(upkeep.action(for: .versionWasPinned, in: situation(80, copied: 80)) == .leave)
  }

  /// It takes as much space as the database.
  @Test func aPrivateCopyIsGivenUpWhenTheLogIsCopied() {
    var upkeep = upkeep()
    var situation = situation(80, pinned: 1, isNewest: false)
    situation.isNewestCopied = true
    // The one that is pinned is older.
    #expect(upkeep.action(for: .step, in: situation) == .nothing)
    situation.copiedFrameCount = 80
    #expect(upkeep.action(for: .step, in: situation) == .leave)
  }

  @Test func aDatabaseThatMayNotCopyLeavesLogsThatOthersHaveCopied() {
    var upkeep = upkeep(mayCopy: false)
    #expect(upkeep.action(for: .step, in: situation(799)) == .nothing)
    #expect(upkeep.action(for: .look, in: situation(5, copied: 5)) == .leave)
    #expect(!upkeep.isWaitOfUse(situation(1_000)))
  }

  @Test func aCopyingThatFailedIsTriedAgainWhenTheLogHasGrown() {
    var upkeep = upkeep()
    #expect(upkeep.action(for: .step, in: situation(80)) == .copyAndLeave)
    upkeep.didCopy(80, .partial, hasAdvanced: false)
    #expect(upkeep.action(for: .step, in: situation(179)) == .nothing)
    #expect(upkeep.action(for: .step, in: situation(180)) == .copyAndLeave)
    upkeep.didCopy(180, .partial, hasAdvanced: true)
    #expect(upkeep.action(for: .step, in: situation(180, copied: 10)) == .copyAndLeave)
  }

  @Test func aLogThatAnotherConnectionIsCopyingIsTriedAgainAtOnce() {
    var upkeep = upkeep()
    for event in [LogUpkeep.Event.step, .look, .look] {
      #expect(upkeep.action(for: event, in: situation(120, copied: 110)) == .copyAndLeave)
      upkeep.didCopy(120, .busy, hasAdvanced: false)
    }
  }

  @Test func aLookCopiesTheLogForAListAndNotForWriters() {
    var upkeep = upkeep()
    #expect(upkeep.action(for: .look, in: situation(75)) == .copyAndLeave)
    #expect(upkeep.action(for: .look, in: situation(75, pinned: 0, isNewest: false)) == .nothing)
  }

  /// Other writers copy their log themselves, and a version that is pinned for that would be in their way.
  @Test func onlyAWriterCopiesALogWhileItsResetIsAwaited() {
    var situation = situation(75, pinned: 0, isNewest: false)
    situation.isResetAwaited = true
    for writes in [false, true] {
      var upkeep = upkeep(writes: writes)
      #expect(upkeep.action(for: .step, in: situation) == (writes ? .copy : .nothing))
    }
  }

  @Test func aReadMarkIsExchangedOnceForEachProgress() {
    var upkeep = upkeep()
    #expect(upkeep.action(for: .look, in: situation(9, copied: 3)) == .exchangeReadMark)
    #expect(upkeep.action(for: .look, in: situation(9, copied: 3)) == .nothing)
    #expect(upkeep.action(for: .look, in: situation(9, copied: 4, pinned: 2)) == .nothing)
    #expect(upkeep.action(for: .look, in: situation(9, copied: 4)) == .exchangeReadMark)
  }

  @Test func aWriterWaitsForObserversOfALongLog() {
    var upkeep = upkeep()
    #expect(!upkeep.isWaitOfUse(situation(399)))
    #expect(upkeep.isWaitOfUse(situation(400)))
    #expect(!upkeep.isWaitOfUse(situation(600, pinned: 0)))
    _ = upkeep.action(for: .step, in: situation(600, copied: 600))
    upkeep.didLeave()
    #expect(!upkeep.isWaitOfUse(situation(600, copied: 600)))
  }
}

/// All states of the protocol that a few commits, readers and checkpoints can reach, with a model of what SQLite does.
@Suite struct LogProtocolTests {
  /// The version of a reader: how many commits it sees, and whether it reads from the log (a read-mark above 0).
  private struct Reader: Hashable {
    let commit: Int
    let log: Int
    let readsLog: Bool
  }

  /// The file, its log, and the versions that are pinned. One commit writes one frame.
  private struct File: Hashable {
    var commit = 0
    /// The number of times that the log was reset.
    var log = 0
    var frameCount = 0
    var copiedCount = 0
    /// The newest version that was made, and older ones.
    var newest: Reader?
    var older: [Reader] = []
    /// Another process that reads.
    var other: Reader?

    var readers: [Reader] { older + [newest, other].compactMap(\.self) }
    var isCopied: Bool { copiedCount == frameCount }

    /// A reader of the newest version. It reads the file alone if all of the log is copied.
    var reader: Reader { Reader(commit: commit, log: log, readsLog: !isCopied) }

    /// The log is reset by a commit if all of it is copied and nobody reads from it.
    mutating func write() {
      if isCopied, frameCount > 0, !readers.contains(where: \.readsLog) {
        (log, frameCount, copiedCount) = (log + 1, 0, 0)
      }
      (commit, frameCount) = (commit + 1, frameCount + 1)
    }

    /// A checkpoint copies as far as the readers of the log are. With a reader of the file alone nothing can be copied.
    mutating func checkpoint() {
      guard !readers.contains(where: { !$0.readsLog && $0.commit < commit }) else { return }
      let oldest = readers.filter(\.readsLog).map { frameCount - (commit - $0.commit) }.min()
      copiedCount = max(copiedCount, min(frameCount, oldest ?? frameCount))
    }
  }

  /// A file with the machine that takes care of its log.
  private struct World: Hashable {
    var file = File()
    var upkeep = LogUpkeep(mayCopy: true, writes: false, threshold: 4)

    static func == (lhs: World, rhs: World) -> Bool { lhs.state == rhs.state }
    func hash(into hasher: inout Hasher) { hasher.combine(state) }

    /// What two worlds must have in common to go on alike.
    private struct State: Hashable {
      let file: File
      let hasLeft, awaitsRelease: Bool
      let uncopiedCount: Int?
    }

    private var state: State {
      State(
        file: file, hasLeft: upkeep.hasLeft, awaitsRelease: upkeep.awaitsRelease,
        uncopiedCount: upkeep.uncopiedCount)
    }

    private var pinnedCount: Int { file.older.count + (file.newest == nil ? 0 : 1) }

    mutating func handle(_ event: LogUpkeep.Event) throws {
      let action = upkeep.action(
        for: event,
        in: LogUpkeep.Situation(
          frameCount: file.frameCount, copiedFrameCount: file.copiedCount,
          pinnedCount: pinnedCount, isNewestPinned: file.newest?.commit == file.commit))
      switch action {
      case .nothing: break
      case .copy:
        let pinned = file.reader
        file.older.append(pinned)
        try copy()
        file.older.removeAll { $0 == pinned }
      case .copyAndLeave:
        try copy()
        if file.isCopied { leave() }
      case .leave: leave()
      case .exchangeReadMark: file.newest = file.reader
      }
    }

    /// Nobody can reset the log while it is copied: one of the own versions reads from it.
    private mutating func copy() throws {
      let own = file.older + [file.newest].compactMap(\.self)
      try #require(own.contains { $0.readsLog && $0.log == file.log }, "\(file)")
      let before = file
      file.checkpoint()
      upkeep.didCopy(
        file.frameCount, file.isCopied ? .complete : .partial,
        hasAdvanced: file.copiedCount > before.copiedCount)
    }

    private mutating func leave() {
      file.newest = file.reader
      if file.newest?.readsLog == false { upkeep.didLeave() }
    }

    /// The worlds that one event leads to.
    func next() throws -> [World] {
      var events: [(inout World) throws -> Void] = [
        { $0.file.write() }, { $0.file.checkpoint() }, { try $0.handle(.look) },
        { try $0.handle(.step) },
        { world in
          // A new version, before the one before ends.
          if let newest = world.file.newest { world.file.older.append(newest) }
          world.file.newest = world.file.reader
          try world.handle(.versionWasPinned)
        },
        { $0.file.other = $0.file.other == nil ? $0.file.reader : nil },
        // All versions become private copies.
        { ($0.file.newest, $0.file.older) = (nil, []) },
      ]
      if !file.older.isEmpty {
        events.append { world in
          world.file.older.removeFirst()
          if world.upkeep.awaitsRelease { try world.handle(.step) }
        }
      }
      if file.newest != nil, file.older.isEmpty { events.append { $0.file.newest = nil } }
      return try events.map { event in
        var world = self
        try event(&world)
        return world
      }
    }
  }

  @Test func noStateCopiesALogThatAnotherConnectionCouldReset() throws {
    var seen: Set<World> = [World()]
    var frontier = [World()]
    while !frontier.isEmpty {
      var found: [World] = []
      for world in frontier {
        for next in try world.next()
        where next.file.commit <= 7 && next.file.older.count <= 2 && seen.insert(next).inserted {
          found.append(next)
        }
      }
      frontier = found
    }
    #expect(seen.count > 1_000)
    // From each of them the log is soon started over, if the other process has ended and a list follows the commits.
    for world in seen {
      var world = world
      (world.file.other, world.file.older) = (nil, [])
      let log = world.file.log
      for _ in 0..<12 where world.file.log == log {
        world.file.write()
        world.file.newest = world.file.reader
        for event in [LogUpkeep.Event.versionWasPinned, .step, .look] { try world.handle(event) }
      }
      try #require(world.file.log > log, "\(world.file)")
    }
  }
}
