import Foundation
import SQLiteStorage
import TestProcesses
import Testing

/// `watch` while somebody sets the time of day. Whatever it waits for comes as it would have come.
@Suite(.timeLimit(.minutes(5)), .enabled(if: WrongClock.compiler != nil, "needs a C compiler"))
struct ClockJumpTests {
  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = try folder.makeDatabase(journalMode: "WAL")
  }

  /// Ahead by hours and by years, and behind what it was and what it is.
  private static let settings: [Duration] = [
    .zero, .seconds(5 * 3_600), .seconds(-20 * 3_600), .seconds(800_000_000),
    .seconds(-800_000_000), .zero,
  ]

  /// Changes are told by the system, or found by looking now and then.
  @Test(arguments: [[:], WrongClock.withoutEvents])
  func aClockThatIsSetDelaysNoChange(_ variables: [String: String]) async throws {
    let other = try Connection(path: path)
    let clock = try await WrongClock(in: folder)
    let run = try Run(in: folder, clock, variables)
    #expect(await run.next()?.contains("snapshot") == true)
    var number = 0
    for setting in ClockJumpTests.settings {
      try clock.set(ahead: setting)
      let error = try await clock.ahead() - setting
      #expect(abs(error.components.seconds) < 60)
      for _ in 0..<3 {
        number += 1
        let start = ContinuousClock.now
        try other.execute("UPDATE t SET name = ? WHERE id = 2", [.text("name \(number)")])
        #expect(await run.next()?.contains("name \(number)") == true)
        #expect(ContinuousClock.now - start < .seconds(30), "\(setting)")
      }
    }
    #expect(await run.interrupt() == 130)
  }

  @Test(arguments: settings.dropFirst())
  func aClockThatIsSetDelaysNoRetry(_ setting: Duration) async throws {
    let clock = try await WrongClock(in: folder)
    let run = try Run(in: folder, clock)
    _ = await run.next()
    try #require(rename(path, folder.file("b.db")) == 0)
    #expect(await run.next()?.contains("the file was replaced or removed") == true)
    #expect(await run.next()?.contains("there is no such file") == true)
    // It tries again and again now.
    try clock.set(ahead: setting)
    try #require(rename(folder.file("b.db"), path) == 0)
    let start = ContinuousClock.now
    #expect(await run.next()?.contains("reset") == true)
    #expect(ContinuousClock.now - start < .seconds(30))
    #expect(await run.interrupt() == 130)
  }
}

/// A run of `watch` that sees a clock of its own.
private final class Run {
  private let process: SpawnedProcess
  private var lines: OutputLines

  init(in folder: TestFolder, _ clock: WrongClock, _ variables: [String: String] = [:]) throws {
    let output = try OutputPipe()
    lines = output.lines
    process = try SpawnedProcess(
      try #require(Tool.path), ["watch", "a.db", "t"],
      environment: Tool.environment(clock.environment.merging(variables) { $1 }, in: folder),
      in: folder.path, output: .pipe(output))
  }

  func next() async -> String? { await lines.next() }

  func interrupt() async -> Int32 {
    process.send(SIGINT)
    return await process.end()
  }
}
