import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// Eight processes that write as fast as they can, and eight lists of what they write.
@Suite(.timeLimit(.minutes(10))) struct BusyStormTests {
  private static let writerCount = 8

  @Test func nothingIsLostAndNoWriterStarves() async throws {
    let folder = try TestFolder()
    let path = folder.file("store.sqlite")
    try FaultStore.other(at: path, access: .readWriteCreate).execute(
      script: """
        PRAGMA journal_mode = WAL;
        CREATE TABLE item(id INTEGER PRIMARY KEY, writer INTEGER, n INTEGER);
        CREATE INDEX item_writer ON item(writer, n);
        """)
    let seconds = SeededGenerator.scaled(3)
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<BusyStormTests.writerCount {
        group.addTask {
          await #expect(processExitsWith: .success) {
            [path = path as String, writer = writer as Int, seconds = seconds as Int] in
            try BusyStormTests.write(to: path, as: writer, for: .seconds(seconds))
          }
        }
      }
      // A process as well: waiting for others keeps the threads of this one busy.
      group.addTask {
        await #expect(processExitsWith: .success) {
          [path = path as String, seconds = seconds as Int] in
          try await BusyStormTests.observe(path, atMost: .seconds(seconds + 60))
        }
      }
    }
  }

  @MainActor private static func observe(_ path: String, atMost time: Duration) async throws {
    var configuration = Database.Configuration()
    // Early, so that a few seconds show whether it is kept short.
    configuration.checkpointThreshold = 100
    let database = try Database(path: path, configuration: configuration)
    let (events, event) = AsyncStream.makeStream(of: Void.self)
    let lists = try (0..<writerCount).map { try StormList(database, writer: $0, event) }
    var iterator = events.makeAsyncIterator()
    // A writer that gave up never writes its last row.
    let clock = ContinuousClock()
    let end = clock.now + time
    let alarm = Task {
      try await clock.sleep(until: end)
      event.yield()
    }
    // The last row of each writer comes first.
    while clock.now < end, try !lists.allSatisfy({ try $0.isComplete }) {
      await iterator.next(isolation: MainActor.shared)
    }
    alarm.cancel()
    let connection = try Connection(path: path, access: .readOnly)
    for (writer, list) in lists.enumerated() {
      let truth = try connection.rows(
        SQL(verbatim: "SELECT * FROM item WHERE writer = \(writer) ORDER BY n, id")
      )
      .map(\.values)
      // It came to its turn to the end, and what it has left is all there.
      #expect(truth.count > 1, "writer \(writer)")
      #expect(try list.isComplete, "writer \(writer)")
      #expect(try list.rows == truth)
      #expect(list.balance == truth.count)
      #expect(list.errors.isEmpty)
    }
    let longest = lists.map(\.longestLog).max() ?? 0
    #expect(longest < 64 << 20, "the log grew to \(longest) bytes")
    for list in lists { list.provider.stopObserving() }
  }

  private static func write(to path: String, as writer: Int, for time: Duration) throws {
    let connection = try FaultStore.other(at: path)
    let clock = ContinuousClock()
    let end = clock.now + time
    var n = 0
    while clock.now < end {
      n += 1
      try connection.execute(
        script: """
          BEGIN IMMEDIATE;
          INSERT INTO item(writer, n) VALUES (\(writer), \(10 * n));
          UPDATE item SET n = n + 5 WHERE writer = \(writer) AND n = \(10 * (n - 3));
          DELETE FROM item WHERE writer = \(writer) AND n < \(10 * (n - 100));
          COMMIT;
          """)
    }
    try connection.execute(SQL(verbatim: "INSERT INTO item(writer, n) VALUES (\(writer), -1)"))
  }
}

/// The list of what one writer writes.
@MainActor private final class StormList: @MainActor FetchedResultsProviderDelegate {
  let provider: FetchedResultsProvider<Row>
  private let log: String
  private(set) var errors: [any Error] = []
  /// What was there at first, and what all batches told of came to.
  private(set) var balance = 0
  private(set) var longestLog = 0
  private let event: AsyncStream<Void>.Continuation

  init(
    _ database: Database, writer: Int, _ event: AsyncStream<Void>.Continuation
  ) throws {
    log = database.path + "-wal"
    self.event = event
    provider = try FetchedResultsProvider(
      database: database,
      request: FetchRequest(table: "item").filter("writer = \(writer)").sorted(by: \Row["n"]))
    try provider.performFetch()
    balance = try provider.numberOfRows(inSection: 0)
    provider.delegate = self
    provider.startObserving()
  }

  var isComplete: Bool {
    get throws {
      try provider.numberOfRows(inSection: 0) > 0 && provider.object(at: [0, 0]).values[2] == -1
    }
  }

  var rows: [[Value]] {
    get throws {
      try (0..<provider.numberOfRows(inSection: 0)).map {
        try provider.object(at: [0, $0]).values
      }
    }
  }

  func provider(_ provider: FetchedResultsProvider<Row>, didChange changes: TableChanges) {
    balance += changes.insertedRows.count - changes.deletedRows.count
    let size = (try? FileManager.default.attributesOfItem(atPath: log))?[.size] as? Int ?? 0
    longestLog = max(longestLog, size)
    event.yield()
  }

  func provider(_ provider: FetchedResultsProvider<Row>, didFailWith error: any Error) {
    errors.append(error)
  }
}
