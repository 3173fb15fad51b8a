import Basics
import Foundation
import TableDataTesting
import Testing

@testable import SQLiteStorage

/// The interleaving of SQLite's WAL-reset bug, driven with two processes: one is about to copy the log when the other copies
/// it and commits, which would reset it if nobody read from it. With an affected SQLite the first would then copy frames of
/// the old log over pages of the new one.
@Suite(.timeLimit(.minutes(5))) struct TwoProcessesTests {
  /// What the other process does when it is asked to.
  private enum Other {
    /// Answers each file `ask` by a file `answer`, until there is a file `end`.
    static func run(_ folder: String, _ path: String) throws {
      let connection = try Connection(path: path)
      try connection.execute("PRAGMA synchronous = OFF")
      try connection.execute("PRAGMA wal_autocheckpoint = 0")
      while !exists(folder + "/end") {
        if exists(folder + "/ask") {
          try FileManager.default.removeItem(atPath: folder + "/ask")
          _ = try connection.rows("PRAGMA wal_checkpoint(PASSIVE)")
          for _ in 0..<3 { try connection.execute("INSERT INTO item(name) VALUES (random())") }
          touch(folder + "/answer")
        }
        SnapshotKeeper.wait(.milliseconds(1))
      }
    }

    /// Has it copy the log and commit three times, and waits for that.
    static func act(_ folder: String) {
      touch(folder + "/ask")
      while !exists(folder + "/answer") { SnapshotKeeper.wait(.milliseconds(1)) }
      #expect(throws: Never.self) {
        try FileManager.default.removeItem(atPath: folder + "/answer")
      }
    }

    static func touch(_ path: String) {
      #expect(FileManager.default.createFile(atPath: path, contents: nil))
    }

    private static func exists(_ path: String) -> Bool {
      FileManager.default.fileExists(atPath: path)
    }
  }

  /// - Parameter holdsVersion: whether the newest version is held, or one is pinned only to copy the log.
  @Test(arguments: [false, true])
  func theOtherCannotResetTheLogWhileItIsCopied(holdsVersion: Bool) async throws {
    let folder = try TestFolder()
    let path = try folder.makeStore()
    let directory = folder.file("asks")
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: false)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await #expect(processExitsWith: .success) {
          [directory = directory as String, path = path as String] in
          try Other.run(directory, path)
        }
      }
      await #expect(throws: Never.self) {
        try await BlockingThread.run {
          // On this thread: those on which tests run may all wait for the other processes.
          defer { Other.touch(directory + "/end") }
          try Self.copy(path, directory, holdsVersion)
        }
      }
    }
    let connection = try Connection(path: path, access: .readOnly)
    #expect(try connection.value(String.self, "PRAGMA integrity_check") == "ok")
    #expect(try connection.value(Int.self, "SELECT count(*) FROM item") == 3 + 20 * 7)
  }

  private static func copy(_ path: String, _ directory: String, _ holdsVersion: Bool) throws {
    var configuration = Database.Configuration()
    configuration.prepareConnection = { try $0.execute("PRAGMA synchronous = OFF") }
    configuration.checkpointThreshold = 4
    let database = try Database(path: path, configuration: configuration)
    let monitor = Locked(try Connection(path: path, access: .readOnly))
    _ = try monitor.withLock { try $0.value(Int.self, "SELECT count(*) FROM item") }
    for _ in 0..<20 {
      Other.act(directory)
      let hasPassed = Flag()
      database.keeper.state.withLock {
        $0.source.log?.momentPassed = { moment in
          guard moment == .beforeCopy, !hasPassed.isSet else { return }
          hasPassed.set()
          let before = monitor.withLock { WALIndexHeader(of: $0) }
          Other.act(directory)
          let after = monitor.withLock { WALIndexHeader(of: $0) }
          // The same log, which has grown.
          #expect(after.map { $0.frameCount > (before?.frameCount ?? 0) } == true)
          #expect(after.map { before?.version.isSameLog(as: $0.version) == true } == true)
        }
      }
      let held = holdsVersion ? try database.snapshot() : nil
      try database.write { try $0.execute("INSERT INTO item(name) VALUES ('here')") }
      #expect(hasPassed.isSet)
      database.keeper.state.withLock { $0.source.log?.momentPassed = nil }
      withExtendedLifetime(held) {}
    }
  }
}
