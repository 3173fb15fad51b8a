internal import TableData

/// A version of a result on its way to a provider: a value that may cross to the provider's actor,
/// where it becomes the content.
struct NextContent<Record: Sendable>: Sendable {
  /// What led to it from the version before.
  var changes: TableChanges
  /// The number of sections.
  let sectionCount: Int
  /// Makes the content, which then belongs to whoever asked.
  let makeContent: @Sendable () -> any ResultsContent<Record>

  init<Key: RowKey>(
    _ version: ResultsVersion<Key>, _ description: RecordDescription<Record>,
    changes: TableChanges
  ) {
    self.changes = changes
    sectionCount = version.index.sectionCount
    makeContent = { IndexedContent(version, description) }
  }
}
