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
        frameCount: frameCount, pinnedCount: pinned, now: start + .milliseconds(time),
        // The time begins half a second before the next turn.
        systemTime: .milliseconds(80_500 + time))
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

  /// A world in which a reset was awaited in vain, from 0 to 250 ms.
  private func inVain() -> World {
    let world = World()
    #expect(world.didCopy(400))
    #expect(world.awaits(450, 0))
    #expect(!world.awaits(450, 250))
    #expect(!world.didCopy(900, 499))
    return world
  }

  @Test func roomThatWasMadeInVainIsMadeAgainAtOnceForAnotherLog() {
    let world = inVain()
    #expect(world.didCopy(420, 499))
  }

  @Test func roomThatWasMadeInVainIsMadeAgainWhenAllProcessesDo() {
    let world = inVain()
    var (turns, time): ([Int], Int) = ([], 250)
    // The log grows all the time, and is never reset.
    while time < 40_000 {
      guard world.didCopy(1_000 + time, time) else {
        time += 50
        continue
      }
      turns.append(time)
      #expect(world.awaits(1_000 + time, time))
      // Until the end of the second, as other processes may need it.
      #expect(world.awaits(1_000 + time, time + 999))
      time += 1_000
      #expect(!world.awaits(1_000 + time, time))
    }
    #expect(turns == [500, 1_500, 3_500, 7_500, 15_500, 23_500, 31_500, 39_500])
  }

  @Test func whoComesLateWaitsForTheNextTurn() {
    let world = inVain()
    #expect(!world.didCopy(900, 1_000))
    #expect(!world.didCopy(900, 1_499))
    #expect(world.didCopy(900, 1_999))
  }

  @Test func copiesMayTakeLongerThanATurn() {
    let world = inVain()
    #expect(world.didCopy(900, 500))
    #expect(world.awaits(1_000, 1_900, pinned: 1))
    // The second of the turn is over.
    #expect(world.awaits(1_000, 1_900))
    #expect(world.awaits(1_000, 2_149))
    #expect(!world.awaits(1_000, 2_150))
  }

  @Test func aResetBeginsAnew() {
    let world = inVain()
    #expect(world.didCopy(900, 500))
    #expect(world.awaits(900, 600))
    #expect(!world.awaits(1, 700))
    #expect(world.didCopy(900, 800))
  }

  @Test func aThresholdThatNoLogReachesIsAllowed() {
    #expect(LogOvergrowth.count(.max) > 1_000_000_000)
    let situation = LogOvergrowth.Situation(
      frameCount: 1_000, pinnedCount: 1, now: .now, systemTime: .zero)
    let isMade = World().overgrowth.mustMakeRoom(in: situation, threshold: .max)
    #expect(!isMade)
  }
}
