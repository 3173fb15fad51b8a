import CLibrary
import Foundation
import TableDataTesting
import TestProcesses
import Testing

/// `watch` while nobody writes.
@Suite(.timeLimit(.minutes(10)), .enabled(if: Activity.isMeasurable, "needs /proc"))
struct IdleWatchTests {
  /// Time is what is measured here: a minute of it where the environment asks for it.
  private static let time: Duration = .seconds(3) * max(1, SeededGenerator.scale)

  @Test func whoHasNothingToDoIsHardlyEverAwake() async throws {
    let folder = try TestFolder()
    try folder.makeDatabase(journalMode: "WAL")
    var (process, identifier) = try await watch(in: folder)
    // Other tests may have all the watches that the system provides to a user. Without one the tool polls.
    while try !Activity.hasWatch(ofProcess: identifier) {
      process.send(SIGINT)
      _ = await process.end()
      try await Task.sleep(for: .seconds(1))
      (process, identifier) = try await watch(in: folder)
    }
    // It looks more often for a while after the start, which a busy machine makes longer, and other
    // processes can only add to what is counted: the quietest of a few spans is what it needs itself.
    var wakesPerSecond = Double.infinity
    var share = Double.infinity
    for _ in 0..<5 where wakesPerSecond >= 6 || share >= 0.01 {
      try await Task.sleep(for: .seconds(1))
      let before = try Activity(ofProcess: identifier)
      try await Task.sleep(for: IdleWatchTests.time)
      let after = try Activity(ofProcess: identifier)
      let seconds = IdleWatchTests.time / .seconds(1)
      wakesPerSecond = min(wakesPerSecond, Double(after.wakeCount - before.wakeCount) / seconds)
      share = min(share, (after.processorTime - before.processorTime) / IdleWatchTests.time)
    }
    #expect(wakesPerSecond < 6)
    // The tool is not optimized here, and what else runs makes each look dearer.
    #expect(share < 0.01)
    process.send(SIGINT)
    #expect(await process.end() == 130)
  }

  /// The tool, which has printed its snapshot, and its process number.
  private func watch(in folder: TestFolder) async throws -> (SpawnedProcess, String) {
    let output = try OutputPipe()
    var lines = output.lines
    // The shell prints its number, and becomes the tool.
    let process = try SpawnedProcess(
      "/bin/sh", ["-c", #"echo $$; exec "$0" watch a.db t"#, try #require(Tool.path)],
      environment: Tool.environment(in: folder), in: folder.path, output: .pipe(output))
    let identifier = try #require(await lines.next())
    #expect(await lines.next()?.contains("snapshot") == true)
    return (process, identifier)
  }
}

/// What a process has done so far.
private struct Activity {
  /// How often one of its threads went on after waiting.
  var wakeCount = 0
  /// For how long its threads ran.
  var processorTime = Duration.zero

  /// Whether the process has a watch of the system.
  static func hasWatch(ofProcess identifier: String) throws -> Bool {
    let folder = "/proc/\(identifier)/fd/"
    return try FileManager.default.contentsOfDirectory(atPath: folder).contains { descriptor in
      // A descriptor may be closed meanwhile.
      (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + descriptor))?
        .contains("inotify") == true
    }
  }

  init(ofProcess identifier: String) throws {
    let folder = "/proc/\(identifier)/task/"
    for thread in try FileManager.default.contentsOfDirectory(atPath: folder) {
      // A thread may end meanwhile.
      guard
        let times = try? String(contentsOfFile: "\(folder)\(thread)/schedstat", encoding: .utf8),
        let status = try? String(contentsOfFile: "\(folder)\(thread)/status", encoding: .utf8),
        let time = times.split(separator: " ").first.flatMap({ Int64($0) }),
        let line = status.split(separator: "\n").first(where: { $0.hasPrefix("voluntary_ctxt") }),
        let count = line.split(separator: "\t").last.flatMap({ Int($0) })
      else { continue }
      processorTime += .nanoseconds(time)
      wakeCount += count
    }
  }

  /// The system tells, and there are no threads but those of the tool: the thread sanitizer has one
  /// that never rests.
  static var isMeasurable: Bool {
    FileManager.default.fileExists(atPath: "/proc/self/schedstat")
      && dlsym(dlopen(nil, RTLD_NOW), "__tsan_init") == nil
  }
}
