import Testing

@testable import SQLiteStorage

/// When all versions make room for a writer to reset the log, without a file.
@Suite struct LogOvergrowthTests {
  /// The machine at times in milliseconds, with a threshold of 100 frames.
  private final class World {
    private let start = ContinuousClock.now
    var overgrowth = LogOvergrowth()

    private func situation(_ frameCount: Int, _ time: Int, pinned: Int) -> LogOvergrowth.Situation {
      LogOvergrowth.Situation(
        frameCount: frameCount, pinnedCount: pinned, now: start + .milliseconds(time))
    }

    /// Whether a look at a database of 8,000 pages has versions make room.
    func look(_ frameCount: Int, _ time: Int = 0, pinned: Int = 1) -> Bool {
      overgrowth.mustMakeRoom(
        in: situation(frameCount, time, pinned: pinned), threshold: 100, pageCount: 8_000)
    }

    /// Whether the copy of a version has the others make room.
    func didCopy(_ frameCount: Int, _ time: Int = 0) -> Bool {
      overgrowth.mustMakeRoom(in: situation(frameCount, time, pinned: 3), threshold: 100)
    }

    func awaits(_ frameCount: Int, _ time: Int, pinned: Int = 0) -> Bool {
      overgrowth.awaitsReset(situation(frameCount, time, pinned: pinned))
    }
  }

  @Test func roomIsMadeForALogThatGrowsOn() {
    let world = World()
    // It takes an eighth of the room of a copy.
    for frameCount in [999, 1_000, 1_099] { #expect(!world.look(frameCount)) }
    #expect(!world.look(1_100, pinned: 0))
    #expect(!world.awaits(1_100, 0))
    #expect(world.look(1_100))
    // Once, whoever looks.
    #expect(!world.look(1_300))
    #expect(!world.didCopy(1_300))
    #expect(world.overgrowth.isResetAwaited)
  }

  @Test func roomIsMadeForALogThatIsNotResetForLong() {
    let world = World()
    #expect(!world.look(1_000, 0))
    #expect(!world.look(1_000, 4_999))
    #expect(world.look(1_000, 5_000))
    // Was it short in between, the time begins anew.
    let other = World()
    #expect(!other.look(1_000, 0))
    #expect(!other.look(10, 4_000))
    #expect(!other.look(1_000, 5_000))
  }

  @Test func roomIsMadeIfTheLogIsOvergrownAlthoughEachVersionIsCopied() {
    let world = World()
    #expect(!world.didCopy(399))
    #expect(world.didCopy(400))
  }

  @Test func theNextVersionWaitsForTheReset() {
    let world = World()
    #expect(world.didCopy(400))
    // Copies are made.
    #expect(world.awaits(450, 900, pinned: 2))
    #expect(world.awaits(500, 950))
    // Another version that is pinned does not make the wait longer.
    #expect(world.awaits(500, 1_199, pinned: 1))
    // The log was reset, and the next one is short.
    #expect(!world.awaits(3, 1_199))
    #expect(!world.awaits(2_000, 1_199))
    #expect(world.didCopy(400, 1_300))
  }

  @Test func nobodyWaitsForeverForTheHolderOfAVersion() {
    let world = World()
    #expect(world.didCopy(400))
    #expect(world.awaits(450, 4_999, pinned: 1))
    #expect(!world.awaits(450, 5_000, pinned: 1))
  }

  @Test func nobodyWaitsWithoutSpaceForCopies() {
    let world = World()
    #expect(world.didCopy(400))
    world.overgrowth.didFail()
    #expect(!world.awaits(400, 0, pinned: 1))
    #expect(world.didCopy(400))
  }

  @Test func roomThatWasMadeInVainIsMadeAgainLater() {
    func inVain() -> World {
      let world = World()
      #expect(world.didCopy(400))
      #expect(world.awaits(450, 0))
      #expect(!world.awaits(450, 250))
      #expect(!world.didCopy(450, 250))
      return world
    }
    // The log is twice as long.
    let longer = inVain()
    #expect(!longer.didCopy(899, 300))
    #expect(longer.didCopy(900, 300))
    // It was reset after all.
    let reset = inVain()
    #expect(reset.didCopy(420, 300))
    // Some time is over.
    let later = inVain()
    #expect(!later.didCopy(500, 5_249))
    #expect(later.didCopy(500, 5_250))
  }

  @Test func aThresholdThatNoLogReachesIsAllowed() {
    #expect(LogOvergrowth.count(.max) > 1_000_000_000)
    let situation = LogOvergrowth.Situation(frameCount: 1_000, pinnedCount: 1, now: .now)
    let isMade = World().overgrowth.mustMakeRoom(in: situation, threshold: .max)
    #expect(!isMade)
  }
}
