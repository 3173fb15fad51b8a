import Testing

@testable import FetchedResults

/// Which of several calls a superseded one follows.
@Suite(.timeLimit(.minutes(2))) @MainActor struct SupersedingCallsTests {
  private let calls = SupersedingCalls<String>()
  private let work = Work()

  /// What the calls do: a later one supersedes an earlier one, as requests do.
  @MainActor private final class Work {
    private var lastTurn = 0
    private var released: Set<String> = []
    private(set) var begun: [String] = []
    private(set) var superseded: [String] = []

    /// Waits until the call is released.
    ///
    /// - Returns: nil if it was superseded meanwhile.
    func run(_ name: String) async throws -> String? {
      lastTurn += 1
      let turn = lastTurn
      begun.append(name)
      while !released.contains(name) {
        try Task.checkCancellation()
        await Task.yield()
      }
      if turn == lastTurn { return name }
      superseded.append(name)
      return nil
    }

    func release(_ name: String) { released.insert(name) }
  }

  /// Begins a call, and waits until it works.
  private func start(_ name: String) async throws -> Task<String, any Error> {
    let count = work.begun.count
    let task = Task { [calls, work] in try await calls.run { try await work.run(name) } }
    try await wait { work.begun.count > count }
    return task
  }

  /// Releases a superseded call, and waits until it waits for a later one.
  private func letWait(_ name: String) async throws {
    let count = work.superseded.count
    work.release(name)
    try await wait { work.superseded.count > count }
    for _ in 0..<20 { await Task.yield() }
  }

  @Test func ifTheThirdIsCancelledTheFirstEndsAsTheSecondDoes() async throws {
    let first = try await start("first")
    let second = try await start("second")
    let third = try await start("third")
    try await letWait("first")
    try await letWait("second")
    third.cancel()
    await #expect(throws: CancellationError.self) { try await third.value }
    #expect(try await second.value == "second")
    #expect(try await first.value == "second")
    #expect(work.begun == ["first", "second", "third", "second"])
  }

  @Test func ifTheThirdIsCancelledWhileTheOthersWorkTheFirstEndsAsTheSecondDoes() async throws {
    let first = try await start("first")
    let second = try await start("second")
    let third = try await start("third")
    third.cancel()
    await #expect(throws: CancellationError.self) { try await third.value }
    work.release("second")
    work.release("first")
    #expect(try await first.value == "second")
    #expect(try await second.value == "second")
  }

  @Test func ifTheLatestTwoAreCancelledTheFirstGoesOn() async throws {
    let first = try await start("first")
    let second = try await start("second")
    let third = try await start("third")
    try await letWait("first")
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    third.cancel()
    await #expect(throws: CancellationError.self) { try await third.value }
    #expect(try await first.value == "first")
  }

  @Test func ifTheThirdIsCancelledTheFirstEndsAsTheSecondDidWhileItWorked() async throws {
    let first = try await start("first")
    let second = try await start("second")
    work.release("second")
    #expect(try await second.value == "second")
    let third = try await start("third")
    try await letWait("first")
    third.cancel()
    await #expect(throws: CancellationError.self) { try await third.value }
    #expect(try await first.value == "second")
  }

  @Test func ifALaterCallIsCancelledTheFirstEndsWithTheValueThatWasSetBefore() async throws {
    let first = try await start("first")
    calls.supersede(by: "on the spot")
    let third = try await start("third")
    try await letWait("first")
    third.cancel()
    await #expect(throws: CancellationError.self) { try await third.value }
    #expect(try await first.value == "on the spot")
  }
}
