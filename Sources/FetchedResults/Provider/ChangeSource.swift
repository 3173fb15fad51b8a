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

extension FetchedResultsProvider {
  /// What has told which rows changed in the batch that the delegate is being told of.
  ///
  /// It is known from the first change of the batch until *did* has returned; nil at any other time,
  /// and for the changes of another request in the same version.
  public var changeSource: ChangeSource? { delivery.source }
}
