internal import SectionedData

/// A version of a result, and how it differs from the previous one.
///
/// A class, because it is passed along often, and its changes have many parts. Sendable: immutable.
final class ResultUpdate: Sendable {
  let version: ResultsVersion
  /// The changes from the previous version; empty for the first fetch.
  let changes: TableChanges
  /// How the changed rows were detected; nil for the first fetch, if the version of the database is the same, or if only
  /// the caller knows.
  let source: ChangeSource?

  init(version: ResultsVersion, changes: TableChanges = TableChanges(), source: ChangeSource? = nil)
  {
    (self.version, self.changes, self.source) = (version, changes, source)
  }

  /// The same version, with other changes that lead to it.
  func reached(by changes: TableChanges) -> ResultUpdate {
    ResultUpdate(version: version, changes: changes, source: source)
  }

  /// The same update, of which it is known how the changed rows were detected.
  func detected(by source: ChangeSource) -> ResultUpdate {
    ResultUpdate(version: version, changes: changes, source: source)
  }
}

/// How the changed rows were detected between two versions of a result.
///
/// ```swift
/// for try await update in updates {
///   if let source = update.source { print(update.changes, "found by", source) }
/// }
/// ```
///
/// ``Maintenance`` says what is possible for a request; this value says what was used for one
/// batch.
public enum ChangeSource: Hashable, Sendable {
  /// The `Database` recorded its own writes, and nothing else has written to the file.
  case capture
  /// The written pages were compared with their old content, no matter which connection wrote them.
  case pages
  /// All rows were compared. The reason says why the other ways were not possible or not worth it.
  case comparison(reason: String)
}

extension ChangeSource: CustomStringConvertible {
  /// The name, followed by the reason if there is one.
  public var description: String {
    switch self {
    case .capture: "capture"
    case .pages: "pages"
    case .comparison(let reason): "comparison (\(reason))"
    }
  }
}
