import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// A provider that observes a store on the main actor while something befalls it. Each batch is
/// followed by the strict table.
@MainActor final class FaultScreen {
  let path: String
  let database: Database
  let provider: FetchedResultsProvider<Row>
  private let witness: Witness
  private let events: AsyncStream<Void>.Iterator

  init(
    _ path: String, access: Connection.Access = .readWrite,
    _ request: FetchRequest<Row> = FetchRequest(table: "item"),
    _ configure: (inout Database.Configuration) -> Void = { _ in }
  ) throws {
    self.path = path
    var configuration = Database.Configuration()
    configuration.pollInterval = .milliseconds(20)
    configure(&configuration)
    database = try Database(path: path, access: access, configuration: configuration)
    provider = try FetchedResultsProvider(database: database, request: request)
    try provider.performFetch()
    let (stream, event) = AsyncStream.makeStream(of: Void.self)
    events = stream.makeAsyncIterator()
    witness = Witness(try ProviderHarness(IdentifiedRows(provider)), event)
    provider.delegate = witness
    provider.startObserving()
  }

  /// The errors that were told.
  var errors: [any Error] { witness.errors }
  var databaseErrors: [DatabaseError] { witness.errors.compactMap { $0 as? DatabaseError } }
  var batchCount: Int { witness.batchCount }
  var lastChanges: TableChanges? { witness.lastChanges }
  /// What has told of each batch.
  var sources: [ChangeSource] { witness.sources }

  /// The rows that are shown.
  var rows: [[Value]] {
    get throws {
      try (0..<provider.numberOfRows(inSection: 0)).map {
        try provider.object(at: [0, $0]).values
      }
    }
  }

  /// Waits until what observing begins with is done: whatever befalls the store from here on is seen
  /// once, and not by the beginning as well.
  func settle() async {
    repeat { await Task.yield() } while provider.group.isCatchingUp
  }

  /// Waits until something holds. It is looked at after each batch and each error.
  func wait(until isTrue: () throws -> Bool) async rethrows {
    var events = events
    while true {
      do {
        if try isTrue() { return }
      } catch {
        // A database that was resumed has not moved the list yet.
        guard (error as? DatabaseError)?.code == .versionExpired else { throw error }
      }
      await events.next(isolation: MainActor.shared)
    }
  }

  /// Waits until what is shown is what is there.
  func waitForTruth() async throws {
    let truth = try FaultStore.rows(at: path)
    try await wait { try rows == truth }
    try expectLawful()
  }

  /// Expects that each batch has led from what was shown to what was shown then.
  func expectLawful(sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(witness.violations.isEmpty, sourceLocation: sourceLocation)
  }

  func stop() { provider.stopObserving() }
}

/// Writes down what a provider tells.
private final class Witness: FetchedResultsProviderDelegate {
  private let harness: ProviderHarness<IdentifiedRows, RowIdentity>
  private let event: AsyncStream<Void>.Continuation
  private(set) var errors: [any Error] = []
  private(set) var violations: [String] = []
  private(set) var sources: [ChangeSource] = []
  private(set) var batchCount = 0
  private(set) var lastChanges: TableChanges?

  init(
    _ harness: ProviderHarness<IdentifiedRows, RowIdentity>,
    _ event: AsyncStream<Void>.Continuation
  ) {
    self.harness = harness
    self.event = event
  }

  func provider(_ provider: FetchedResultsProvider<Row>, didChange changes: TableChanges) {
    batchCount += 1
    lastChanges = changes
    if let source = provider.changeSource { sources.append(source) }
    // Of rows with other columns nothing is the same: a reset is what it takes.
    let old = try? provider.previousObject(at: [0, 0])
    let new = try? provider.object(at: [0, 0])
    harness.requiresMinimalChanges = old?.columnNames.names == new?.columnNames.names
    do { try harness.follow(changes) } catch { violations.append("\(error)") }
  }

  func providerDidChangeContent(_ provider: FetchedResultsProvider<Row>) { event.yield() }

  func provider(_ provider: FetchedResultsProvider<Row>, didFailWith error: any Error) {
    errors.append(error)
    event.yield()
  }
}
