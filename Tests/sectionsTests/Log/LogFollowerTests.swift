import FetchedResults
import Foundation
import SQLiteStorage
import Testing

@testable import sections

/// Following a file when a batch cannot be read, or the state cannot be written.
@Suite(.timeLimit(.minutes(5))) struct LogFollowerTests {
  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = try folder.makeDatabase(journalMode: "WAL")
  }

  private func follower(state: String? = nil, count: Int) -> LogFollower {
    LogFollower(
      open: { [path] in try Database(path: path, access: .readOnly) }, tables: nil, except: [],
      condition: nil, since: nil, state: state, failsAtGaps: false, count: count,
      endsWithReader: false)
  }

  /// Keeps the batches, and makes a change after each.
  private actor KeepingOutput: LogOutput {
    struct Batch: Equatable {
      let number: Int
      let names: [Value]
      let commits: Int?
    }

    private let path: String
    private var failureCount: Int
    private(set) var batches: [Batch] = []
    private(set) var gaps: [String] = []
    /// What is done after a batch was printed.
    private let onBatch: @Sendable (Int) throws -> Void

    init(
      _ path: String, failing failureCount: Int = 0,
      onBatch: @escaping @Sendable (Int) throws -> Void = { _ in }
    ) {
      self.path = path
      self.failureCount = failureCount
      self.onBatch = onBatch
    }

    private func change(_ name: String) throws {
      let connection = try Connection(path: path, access: .readWrite)
      try connection.execute("INSERT INTO t(name) VALUES (\(name))")
    }

    func begin(tables: [String], omitted: [String], time: String) async throws {
      try change("first")
    }

    func write(_ batch: LogBatch) async throws -> Bool {
      if failureCount > 0 {
        failureCount -= 1
        // As if the disk was not there for a moment.
        try change("other")
        throw DatabaseError(.sqlite, "disk I/O error", resultCode: .inputOutput)
      }
      if let gap = batch.gap { gaps.append(gap.reason) }
      let names = try batch.changes?.rows().map { $0.newValue(of: "name") } ?? []
      batches.append(
        Batch(number: batch.number, names: names, commits: batch.changes?.commitCount))
      try onBatch(batch.number)
      try change("next")
      return true
    }
  }

  @Test func aBatchThatCannotBeReadIsPrintedAgain() async throws {
    let output = KeepingOutput(path, failing: 1)
    try await follower(count: 2).run(to: output)
    let batches = await output.batches
    #expect(
      batches == [
        .init(number: 1, names: [.text("first"), .text("other")], commits: 2),
        .init(number: 2, names: [.text("next")], commits: 1),
      ])
    #expect(await output.gaps.isEmpty)
  }

  @Test func aStateThatCannotBeWrittenGetsTheNextBatch() async throws {
    let state = folder.file("kept.db")
    let reader = Locked<Connection?>(nil)
    let output = KeepingOutput(path) { number in
      // Another program reads the state when the first batch is noted.
      try reader.withLock { reader in
        if number == 1 {
          let connection = try Connection(path: state)
          try connection.execute("BEGIN EXCLUSIVE")
          reader = connection
        } else {
          reader = nil
        }
      }
    }
    try await follower(state: state, count: 2).run(to: output)
    let kept = try Connection(path: state, access: .readOnly)
    #expect(
      try kept.values(String.self, "SELECT name FROM t WHERE id > 3 ORDER BY id")
        == ["first", "next"])
    #expect(await output.batches.map(\.number) == [1, 2])
  }

  /// The file of a later time may be in the middle of being made.
  @Test func aLaterFileIsFollowedOnceItHasTheTables() async throws {
    let other = try folder.makeDatabase("CREATE TABLE x(a)", named: "b.db", journalMode: "WAL")
    let new = try folder.makeDatabase(named: "new.db", journalMode: "WAL")
    let openings = Locked(0)
    let follower = LogFollower(
      open: { [path] in
        let number = openings.withLock { number in
          number += 1
          return number
        }
        switch number {
        case 1: return try Database(path: path, access: .readOnly)
        case 2: throw DatabaseError(.fileReplaced, "the old version is in use")
        default: return try Database(path: other, access: .readOnly)
        }
      }, tables: ["t"], except: [], condition: nil, since: nil, state: nil, failsAtGaps: false,
      count: 3, endsWithReader: false)
    let output = KeepingOutput(path) { [path] number in
      if number == 1 { #expect(rename(new, path) == 0) }
    }
    let making = Task {
      while openings.withLock({ $0 }) < 3 { try await Task.sleep(for: .milliseconds(10)) }
      try await Task.sleep(for: .milliseconds(600))
      let connection = try Connection(path: other, access: .readWrite)
      try connection.execute("CREATE TABLE t(name)")
      while !Task.isCancelled {
        try connection.execute("INSERT INTO t VALUES ('late')")
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    defer { making.cancel() }
    try await follower.run(to: output)
    #expect(await output.batches.map(\.number) == [1, 2, 3])
    #expect(await output.batches.last?.names.contains(.text("late")) == true)
    #expect(await output.gaps == ["another file took its place"])
  }

  @Test func aStateThatIsBehindAtTheEndIsAnError() async throws {
    let state = folder.file("kept.db")
    let reader = Locked<Connection?>(nil)
    let output = KeepingOutput(path) { _ in
      try reader.withLock { reader in
        reader = try Connection(path: state)
        try reader?.execute("BEGIN EXCLUSIVE")
      }
    }
    let error = await #expect(throws: ToolError.self) {
      try await follower(state: state, count: 1).run(to: output)
    }
    #expect(error?.description.contains("kept.db") == true)
  }
}
