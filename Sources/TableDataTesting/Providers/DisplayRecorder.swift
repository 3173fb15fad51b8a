public import TableData

/// A provider with the rows of another one, that records which of them are displayed.
///
/// It is for tests of a list that is made of other providers: put it between the list and a provider, and
/// call ``ProviderHarness/checkDisplayed(by:)``.
///
/// Not Sendable: use it where its base is used.
public final class DisplayRecorder<Base: ViewModelDataProvider>: DerivedDataProvider {
  /// The item of a row.
  public typealias Item = Base.Item

  /// Notified of the changes of the base. Weak.
  public weak var observer: (any TableChangesObserver)?
  /// The provider of the rows.
  public let base: Base
  /// The identities of the rows that are displayed, in the order of the events. A row without an identity is
  /// not recorded.
  public private(set) var displayed: [AnyHashable] = []
  /// The first event that cannot be right.
  private(set) var violation: ProviderViolation?

  /// Makes a provider with the rows of another one.
  ///
  /// - Throws: `TableDataError` with code `.alreadyObserved` if the base has an observer.
  public init(_ base: Base) throws {
    self.base = base
    try base.setObserver(self)
  }

  /// Records that a row is displayed, and notifies the base.
  ///
  /// - Throws: `TableDataError` if the row does not exist; what the base throws.
  public func willDisplayRow(at indexPath: IndexPath) throws {
    let call = "willDisplayRow(at: \(indexPath.brief))"
    let identity: AnyHashable?
    do {
      identity = try base.identityForRow(at: indexPath)
    } catch let error as TableDataError {
      reject("`\(call)` was called, and there is no such row")
      throw error
    }
    if let identity {
      if displayed.contains(identity) {
        reject("`\(call)` was called for the row \(identity), which is already displayed")
      } else {
        displayed.append(identity)
      }
    }
    try (base as? any RowDisplayObserver)?.willDisplayRow(at: indexPath)
  }

  /// Records that a row is no longer displayed, and notifies the base.
  public func didEndDisplayingRow(withIdentity identity: AnyHashable) {
    if let index = displayed.firstIndex(of: identity) {
      displayed.remove(at: index)
    } else {
      reject(
        "`didEndDisplayingRow(withIdentity: \(identity))` was called, and no such row is displayed")
    }
    (base as? any RowDisplayObserver)?.didEndDisplayingRow(withIdentity: identity)
  }

  private func reject(_ message: String) {
    violation = violation ?? ProviderViolation(.displayEvent, message)
  }
}
