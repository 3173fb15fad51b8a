internal import TableData

/// A version of a result on its way to a provider: a value that may cross to the provider's actor,
/// where it becomes the content.
struct NextContent<Record: Sendable>: Sendable {
  /// What led to it from the version before.
  var changes: TableChanges
  /// What has told which rows differ; nil where it is of the same version, or the first.
  let source: ChangeSource?
  /// The number of sections.
  let sectionCount: Int
  /// Makes the content, which then belongs to whoever asked.
  let makeContent: @Sendable () -> any ResultsContent<Record>

  init<Key: RowKey>(
    _ version: ResultsVersion<Key>, _ description: RecordDescription<Record>,
    changes: TableChanges, source: ChangeSource? = nil
  ) {
    self.changes = changes
    self.source = source
    sectionCount = version.index.layout.sectionCount
    makeContent = { IndexedContent(version, description) }
  }
}
