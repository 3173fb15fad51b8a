internal import TableData

/// A new version of a result for a provider. It can be sent to the provider's actor, which makes
/// the content from it.
struct ResultUpdate<Record: Sendable>: Sendable {
  /// The changes from the previous version.
  var changes: TableChanges
  /// How the changed rows were detected; nil for the first fetch, or if the version of the database
  /// is the same.
  let source: ChangeSource?
  /// The number of sections.
  let sectionCount: Int
  /// Makes the content. The caller owns it.
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
