import TableData

@testable import FetchedResults

/// A delegate that writes down what it is told, and what the provider answers at that moment.
final class Recorder<Record: Sendable>: FetchedResultsProviderDelegate {
  /// The calls of all batches, in order.
  private(set) var calls: [String] = []
  /// What the provider showed at each call, as `lines()`.
  private(set) var contents: [[String]] = []
  /// The batches.
  private(set) var batches: [TableChanges] = []
  /// The errors.
  private(set) var errors: [any Error] = []
  /// Done in `providerDidChangeContent`, after it was written down.
  var onDid: ((FetchedResultsProvider<Record>) throws -> Void)?

  /// Whether to read the content at each call, or only in will, at the first change and in did.
  var readsAtEachCall = true

  /// Whether the old content can be read.
  var readsOldContent = true

  func clear() { (calls, contents, batches, errors) = ([], [], [], []) }

  private func record(_ call: String, _ provider: FetchedResultsProvider<Record>) {
    let isFirstOfBatch = calls.last == "will"
    calls.append(call)
    guard readsOldContent || call != "will" else { return }
    guard readsAtEachCall || isFirstOfBatch || call == "will" || call == "did" else { return }
    do {
      contents.append(try provider.lines())
    } catch {
      errors.append(error)
    }
  }

  func providerWillChangeContent(_ provider: FetchedResultsProvider<Record>) {
    record("will", provider)
  }

  func provider(
    _ provider: FetchedResultsProvider<Record>, didChangeSectionAt section: Int,
    for type: SectionChangeType
  ) { record("\(type) section \(section)", provider) }

  func provider(_ provider: FetchedResultsProvider<Record>, didChange change: RowChange) {
    record("\(change)", provider)
  }

  func provider(_ provider: FetchedResultsProvider<Record>, didChange changes: TableChanges) {
    batches.append(changes)
    record("\(changes)", provider)
  }

  func providerDidChangeContent(_ provider: FetchedResultsProvider<Record>) {
    record("did", provider)
    do {
      try onDid?(provider)
    } catch {
      errors.append(error)
    }
  }

  func provider(_ provider: FetchedResultsProvider<Record>, didFailWith error: any Error) {
    errors.append(error)
  }

  /// The calls that one batch must be told by.
  static func calls(for changes: TableChanges) -> [String] {
    ["will"] + changes.deletedSections.map { "delete section \($0)" }
      + changes.insertedSections.map { "insert section \($0)" }
      + changes.updatedSections.map { "update section \($0.new)" }
      + changes.rowChanges.map { "\($0)" } + ["\(changes)", "did"]
  }
}
