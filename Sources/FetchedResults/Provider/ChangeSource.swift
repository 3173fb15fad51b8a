internal import SQLiteStorage

/// What has told which rows of a result may have changed between two versions.
///
/// ```swift
/// for try await update in updates {
///   if let source = update.source { print(update.changes, "found by", source) }
/// }
/// ```
///
/// ``Maintenance`` says what is possible for a request, this what was used for one change.
public enum ChangeSource: Hashable, Sendable {
  /// This database noted what it wrote itself, and nobody else has written.
  case capture
  /// The pages that were written, by whomever, were compared with what they were before.
  case pages
  /// Nobody could tell, or it was not worth asking: all rows were compared. The reason says why.
  case comparison(reason: String)
}

extension ChangeSource: CustomStringConvertible {
  /// The name, and the reason where there is one.
  public var description: String {
    switch self {
    case .capture: "capture"
    case .pages: "pages"
    case .comparison(let reason): "comparison (\(reason))"
    }
  }
}

extension ChangeSource {
  /// What tells the way of a version to a newer one. The conditions are those of `ResultsAdvance`.
  init<Key: RowKey>(from version: ResultsVersion<Key>, to newer: Snapshot) {
    let finders: [RowFinder]
    switch version.maintenance {
    case .comparison(let reason):
      self = .comparison(reason: reason)
      return
    case .touchedRows(let all): finders = all
    }
    guard version.index.isWhole else {
      self = .comparison(reason: "the rows beyond the limit are not known")
      return
    }
    let (touched, source) = version.origin.changesAndSource(to: newer)
    switch touched {
    case .unknown(let reason): self = .comparison(reason: "\(reason)")
    case .rows(let touched):
      let reasons = finders.compactMap { finder in
        if case .none(let reason) = finder.way,
          touched.rows(of: finder.table.name, in: finder.table.schema) != nil
        {
          reason
        } else {
          nil
        }
      }
      if reasons.isEmpty {
        self = source == .capture ? .capture : .pages
      } else {
        self = .comparison(reason: reasons.joined(separator: "; "))
      }
    }
  }
}

extension FetchedResultsProvider {
  /// What has told which rows changed in the batch that the delegate is being told of.
  ///
  /// It is known from the first change of the batch until *did* has returned; nil at any other time,
  /// and for the changes of another request in the same version.
  ///
  /// Complexity: O(1) for ``ChangeSource/capture``, else O(pages written).
  public var changeSource: ChangeSource? {
    guard let content, let previous = delivery.previous else { return nil }
    return previous.source(ofChangesTo: content)
  }
}

extension FetchedUpdates.Element {
  /// What has told which rows changed; nil for the first element.
  ///
  /// Complexity: O(1) for ``ChangeSource/capture``, else O(pages written).
  public var source: ChangeSource? { old?.content.source(ofChangesTo: new.content) }
}

extension ResultsContent {
  /// What tells the way from here to other content; nil where both are of the same version.
  fileprivate func source(ofChangesTo newer: any ResultsContent<Record>) -> ChangeSource? {
    databaseSnapshot === newer.databaseSnapshot ? nil : source(to: newer.databaseSnapshot)
  }
}
