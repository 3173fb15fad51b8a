import Basics
import Dispatch
import Testing

@Suite struct LockedTests {
  private struct Stop: Error {}

  @Test func oneThreadAtATimeUsesTheContent() {
    let guarded = Locked(0)
    onThreads(8) { _ in
      for _ in 0..<1_000 { guarded.withLock { $0 += 1 } }
    }
    #expect(guarded.withLock { $0 } == 8_000)
  }

  @Test func anErrorUnlocks() {
    let guarded = Locked(0)
    #expect(throws: Stop.self) { try guarded.withLock { _ in throw Stop() } }
    #expect(throws: Stop.self) { try guarded.withLockIfAvailable { _ in throw Stop() } }
    #expect(guarded.withLock { $0 } == 0)
  }

  @Test func anOptionalResultIsDistinguishedFromNoResult() throws {
    let guarded = Locked(0)
    let result: Int?? = guarded.withLockIfAvailable { _ in Int?.none }
    #expect(result == .some(nil))
    let plain: Int? = guarded.withLock { _ in nil }
    #expect(plain == nil)
  }

  @Test func whatIsInUseIsNotAvailable() async {
    let guarded = Locked(0)
    let begun = OneShotGate()
    let mayEnd = DispatchSemaphore(value: 0)
    let done = OneShotGate()
    DispatchQueue.global().async {
      guarded.withLock { _ in
        begun.open()
        mayEnd.wait()
      }
      done.open()
    }
    await begun.wait()
    #expect(guarded.withLockIfAvailable { $0 } == nil)
    mayEnd.signal()
    await done.wait()
    #expect(guarded.withLockIfAvailable { $0 } == 0)
  }
}
