import Dispatch
import Foundation
import Testing

@testable import SQLiteStorage

#if os(Linux)
  // The limit is long: each event is awaited in turn with all other tests.
  @Suite(.timeLimit(.minutes(20))) struct FileEventsTests {
    private let folder: TestFolder

    init() throws {
      folder = try TestFolder()
      for name in ["a", "b"] { try Data().write(to: URL(filePath: folder.file(name))) }
    }

    private func write(_ name: String) throws {
      let handle = try FileHandle(forWritingTo: URL(filePath: folder.file(name)))
      try handle.write(contentsOf: Data([0]))
      try handle.close()
    }

    /// Events of one file, and a stream with one element for each call of the handler.
    private func events(
      of name: String, on queue: DispatchQueue = DispatchQueue(label: "FileEventsTests")
    ) throws -> (events: FileEvents, calls: AsyncStream<Void>.Iterator, queue: DispatchQueue) {
      let (calls, call) = AsyncStream.makeStream(of: Void.self)
      let events = try #require(
        FileEvents(of: [folder.file(name)], on: queue) { call.yield() })
      return (events, calls.makeAsyncIterator(), queue)
    }

    @Test func eachFileHasItsOwnEvents() async throws {
      var (first, second) = (try events(of: "a"), try events(of: "b"))
      let isCalled = Flag()
      let third = try #require(
        FileEvents(of: [folder.file("b")], on: second.queue) { isCalled.set() })
      for _ in 0..<20 {
        try write("a")
        await first.calls.next()
      }
      #expect(second.queue.sync { !isCalled.isSet })
      // Two databases may have the same file open.
      try write("b")
      await second.calls.next()
      while !isCalled.isSet { await Task.yield() }
      withExtendedLifetime((first, third)) {}
    }

    /// As the log of a file that another process puts in WAL mode.
    @Test func aFileThatIsMissingIsReportedWhenItIsCreated() async throws {
      let (calls, call) = AsyncStream.makeStream(of: Void.self)
      let queue = DispatchQueue(label: "FileEventsTests")
      let paths = ["a", "later"].map { folder.file($0) }
      let events = try #require(FileEvents(of: paths, on: queue) { call.yield() })
      #expect(!events.isComplete)
      let isCalled = Flag()
      let other = try #require(FileEvents(of: [folder.file("never")], on: queue) { isCalled.set() })
      try Data().write(to: URL(filePath: folder.file("later")))
      var iterator = calls.makeAsyncIterator()
      await iterator.next()
      // The creation of another file in the folder is none of its events.
      #expect(queue.sync { !isCalled.isSet })
      let complete = try #require(FileEvents(of: paths, on: queue) {})
      #expect(complete.isComplete)
      withExtendedLifetime((events, other)) {}
    }

    @Test func theOthersGoOnIfOneIsCancelled() async throws {
      let ended = try events(of: "a")
      var (same, other) = (try events(of: "a"), try events(of: "b"))
      let isCalled = Flag()
      let cancelled = try #require(
        FileEvents(of: [folder.file("a")], on: same.queue) { isCalled.set() })
      ended.events.cancel()
      cancelled.cancel()
      for _ in 0..<20 {
        try write("a")
        await same.calls.next()
        try write("b")
        await other.calls.next()
      }
      #expect(same.queue.sync { !isCalled.isSet })
    }

    @Test func anEventDuringAPauseIsReportedAfterIt() async throws {
      var (paused, other) = (try events(of: "a"), try events(of: "b"))
      let isCalled = Flag()
      let silent = try #require(
        FileEvents(of: [folder.file("a")], on: paused.queue) { isCalled.set() })
      paused.events.pause()
      silent.pause()
      try write("a")
      // The pause of one is not that of the other, although both events are read together.
      try write("b")
      await other.calls.next()
      #expect(paused.queue.sync { !isCalled.isSet })
      silent.resume()
      while !isCalled.isSet { await Task.yield() }
      paused.events.resume()
      await paused.calls.next()
    }

    @Test func anEventWhileAllPauseIsReportedAfterIt() async throws {
      var (first, second) = (try events(of: "a"), try events(of: "b"))
      for events in [first.events, second.events] { events.pause() }
      for name in ["a", "b"] { try write(name) }
      for events in [first.events, second.events] { events.resume() }
      await first.calls.next()
      await second.calls.next()
    }

    @Test func aWriterThatDoesNotPauseHidesNoEventOfAnother() async throws {
      let storm = try events(of: "a")
      var other = try events(of: "b")
      storm.events.pause()
      let isOver = Flag()
      let writing = Task.detached { [folder] in
        let handle = try FileHandle(forWritingTo: URL(filePath: folder.file("a")))
        while !isOver.isSet {
          try handle.write(contentsOf: Data([0]))
          await Task.yield()
        }
      }
      for _ in 0..<200 {
        try write("b")
        await other.calls.next()
      }
      isOver.set()
      try await writing.value
      withExtendedLifetime((storm, other)) {}
    }

    @Test func aWatchThatIsCancelledWhilePausedLeavesNothing() async throws {
      for _ in 0..<50 {
        let events = try events(of: "a")
        events.events.pause()
        events.events.cancel()
      }
      var last = try events(of: "a")
      try write("a")
      await last.calls.next()
    }

    @Test func manyDatabasesHaveOneInstanceAndEachIsNotified() async throws {
      var configuration = Database.Configuration.unsynced
      // What comes, comes from the system.
      configuration.pollInterval = nil
      var databases: [(database: Database, commits: AsyncStream<Void>.Iterator)] = []
      for number in 0..<200 {
        let path = try folder.makeStore("store\(number).sqlite")
        let database = try Database(path: path, configuration: configuration)
        databases.append((database, database.commits.makeAsyncIterator()))
        #expect(database.signals.watch.isSignalled)
      }
      func instanceCount() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
          let link = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/self/fd/\(name)")
          return link?.contains("inotify") == true
        }
      }
      // An instance of other tests may not be closed yet.
      while try instanceCount() > 1 { await Task.yield() }
      #expect(try instanceCount() == 1)
      for number in databases.indices {
        let before = try databases[number].database.snapshot()
        let other = try Connection(path: databases[number].database.path)
        try other.execute("PRAGMA synchronous = OFF")
        try other.execute("DELETE FROM item WHERE id = 1")
        repeat {
          #expect(await databases[number].commits.next() != nil)
        } while try databases[number].database.snapshot() === before
      }
    }
  }
#endif
