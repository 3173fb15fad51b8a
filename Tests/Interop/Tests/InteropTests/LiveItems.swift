import FetchedResults
import Foundation
import SQLiteStorage
import TableData
import TableDataTesting

/// A row of the store that everybody writes.
struct Item: FetchableRecord, Identifiable, Hashable {
  let id: Int64
  let name: String
  let kind: Int

  static let recordDescription = RecordDescription(
    table: "item", key: \.id, making: Item.init,
    Column("id", \.id), Column("name", \.name), Column("kind", \.kind))

  static let schema = """
    CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT NOT NULL, kind INTEGER NOT NULL);
    CREATE INDEX item_kind ON item(kind, name);
    """
}

/// A list in sections that observes the store on the main actor, followed by the strict table.
@MainActor final class LiveItems {
  let provider: FetchedResultsProvider<Item>
  private let harness: ProviderHarness<FetchedResultsProvider<Item>, Int64>
  private let witness: Witness
  private let events: AsyncStream<Void>.Iterator

  init(_ path: String) throws {
    provider = try FetchedResultsProvider(
      database: try Database(path: path), request: Item.all.sorted(by: \.name),
      sectionedBy: \.kind)
    try provider.performFetch()
    harness = try ProviderHarness(provider)
    harness.observe()
    let (stream, event) = AsyncStream.makeStream(of: Void.self)
    events = stream.makeAsyncIterator()
    witness = Witness(event)
    provider.delegate = witness
    provider.startObserving()
  }

  var errors: [any Error] { witness.errors }
  /// What told of the batches.
  var sources: Set<ChangeSource> { witness.sources }

  /// All items, section by section.
  var items: [Item] {
    get throws {
      try provider.sections.indices.flatMap { section in
        try (0..<provider.numberOfRows(inSection: section)).map {
          try provider.object(at: IndexPath(row: $0, section: section))
        }
      }
    }
  }

  /// Waits until the list shows these, and checks that it was told of every step as it must be.
  func wait(for items: [Item]) async throws {
    var events = events
    while try self.items != items { await events.next(isolation: MainActor.shared) }
    try harness.checkObserved()
  }
}

private final class Witness: FetchedResultsProviderDelegate {
  private let event: AsyncStream<Void>.Continuation
  private(set) var errors: [any Error] = []
  private(set) var sources: Set<ChangeSource> = []

  init(_ event: AsyncStream<Void>.Continuation) { self.event = event }

  func provider(_ provider: FetchedResultsProvider<Item>, didChange changes: TableChanges) {
    if let source = provider.changeSource { sources.insert(source) }
  }

  func providerDidChangeContent(_ provider: FetchedResultsProvider<Item>) { event.yield() }

  func provider(_ provider: FetchedResultsProvider<Item>, didFailWith error: any Error) {
    errors.append(error)
    event.yield()
  }
}

/// A folder of one test, removed with everything in it at the end.
final class TestFolder: Sendable {
  let path: String

  init() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "InteropTests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    path = folder.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var store: String { path + "/store.sqlite" }
}
