import Foundation
import TableDataTesting
import TestProcesses
import Testing

@testable import FetchedResults
@testable import SQLiteStorage

/// Descriptors, memory and pinned versions.
@Suite(.timeLimit(.minutes(5))) struct ResourceTests {
  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = try FaultStore.make(in: folder)
  }

  @Test(.enabled(if: ChildProcess.descriptorCount != nil, "needs /proc"))
  func aLackOfDescriptorsIsAnErrorThatPasses() async throws {
    await #expect(processExitsWith: .success) { [path = path as String] in
      try await ResourceTests.runOutOfDescriptors(path)
    }
  }

  @MainActor private static func runOutOfDescriptors(_ path: String) async throws {
    let screen = try FaultScreen(path)
    let other = try FaultStore.other(at: path)
    try other.execute("UPDATE item SET n = 1 WHERE id = 1")
    try await screen.waitForTruth()
    // The connections that are kept for the next reader are taken too.
    var held: [Snapshot] = []
    for round in 0..<8 {
      held.append(try screen.database.snapshot())
      try other.execute(SQL(verbatim: "UPDATE item SET n = \(round) WHERE id = 2"))
    }
    let count = try #require(ChildProcess.descriptorCount)
    ChildProcess.limitDescriptors(count + 64)
    var used: [Int32] = []
    // The last ones are left to Dispatch.
    while Descriptors.areFree(3) { used.append(open("/dev/null", O_RDONLY)) }
    let error = #expect(throws: DatabaseError.self) { try Database(path: path, access: .readOnly) }
    #expect(error.map { .cannotOpen ~= $0.resultCode } == true, "\(error as Any)")
    let rows = try screen.rows
    try other.execute("UPDATE item SET n = 99 WHERE id = 3")
    // It is told where a connection is left for it, and else is an error.
    try await screen.wait { try !screen.errors.isEmpty || screen.rows[2].last == 99 }
    for error in screen.databaseErrors { #expect(.cannotOpen ~= error.resultCode, "\(error)") }
    #expect(try screen.rows.count == rows.count)
    for file in used { close(file) }
    // Nobody commits any more.
    try await screen.waitForTruth()
    #expect(try screen.rows[2].last == 99)
    withExtendedLifetime(held) {}
    screen.stop()
  }

  @Test(.enabled(if: ChildProcess.residentSize != nil, "needs /proc"))
  func aThousandProvidersLeaveNothingBehind() async throws {
    await #expect(processExitsWith: .success) { [path = path as String] in
      try await ResourceTests.openAndClose(path)
    }
  }

  @MainActor private static func openAndClose(_ path: String) async throws {
    let database = try Database(path: path)
    var sizes: [Int] = []
    var leastCount = Int.max
    for number in 0..<1_000 {
      try await useProvider(of: number % 10 == 0 ? try Database(path: path) : database, number)
      guard number % 100 == 99 else { continue }
      let limit = leastCount == .max ? Int.max : leastCount + 8
      let count = try await settledCount(atMost: limit) {
        try #require(ChildProcess.descriptorCount)
      }
      #expect(count <= limit, "descriptors after \(number + 1) providers")
      leastCount = min(leastCount, count)
      sizes.append(try #require(ChildProcess.residentSize))
    }
    // The first hundred fill the pools and caches.
    let (first, last) = (try #require(sizes.first), try #require(sizes.last))
    #expect(last - first < 16 << 20 || Sanitizer.keepsFreedMemory, "\(sizes)")
    // The one that is asked for here.
    let versionCount = try await settledCount(atMost: 1) {
      let snapshot = try database.snapshot()
      return withExtendedLifetime(snapshot) { snapshot.chain.count }
    }
    #expect(versionCount == 1)
  }

  /// A count once it is at most a limit: what was begun on other threads ends on its own.
  @MainActor private static func settledCount(
    atMost limit: Int, count: () throws -> Int
  ) async throws -> Int {
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end, try count() > limit {
      try await Task.sleep(for: .milliseconds(1))
    }
    return try count()
  }

  @MainActor private static func useProvider(of database: Database, _ number: Int) async throws {
    let provider = try FetchedResultsProvider(
      database: database, request: FetchRequest(table: "item"))
    try await provider.performFetch()
    provider.startObserving()
    if number.isMultiple(of: 7) {
      try database.run("UPDATE item SET n = \(number) WHERE id = 1")
      try await provider.refresh()
    }
    #expect(try provider.object(at: [0, 0]).values.count == 3)
    if number.isMultiple(of: 2) { provider.stopObserving() }
  }
}
