/// The identity of the selected item. It is never a row number.
///
/// All screens that show or set the selection, a list and its detail for example, share one object. So
/// they do not depend on each other, and a row that moves stays selected.
///
/// ```swift
/// let selection = Selection()
/// let list = TableViewController(selection: selection, onError: report)
/// let detail = CoverDetail(covers, selection: selection)
/// selection.select(cover.id)  // both show it
/// ```
///
/// Not Sendable: use it on one actor, in an app on the main actor.
public final class Selection {
  private struct Entry {
    weak var observer: (any SelectionObserver)?
  }

  /// The identity of the selected item; nil for none.
  public private(set) var identity: AnyHashable?

  private var entries: [Entry] = []
  private var isNotifying = false
  /// The number of changes so far.
  private var version = 0

  /// Makes a selection.
  ///
  /// - Parameter identity: the identity of the item that is selected at first; none by default.
  public init(_ identity: AnyHashable? = nil) {
    self.identity = identity
  }

  /// The identity of the selected item; nil if there is none, or if it is of another type.
  ///
  /// ```swift
  /// guard let id = selection.identity(as: Cover.ID.self) else { return showNothing() }
  /// ```
  ///
  /// For an item of a list with several types of items, it is the item's own `id`.
  public func identity<ID: Hashable>(as type: ID.Type) -> ID? {
    ItemIdentity.id(of: identity, as: type)
  }

  /// Selects another item, or none, and notifies the observers. It does nothing if the item is already
  /// selected.
  ///
  /// An observer may select another item when it is notified. Then all observers are notified of that
  /// one.
  public func select(_ identity: AnyHashable?) {
    guard identity != self.identity else { return }
    self.identity = identity
    version += 1
    guard !isNotifying else { return }
    isNotifying = true
    defer { isNotifying = false }
    var notified: Int
    repeat {
      notified = version
      entries.removeAll { $0.observer == nil }
      let observers = entries.compactMap(\.observer)
      for observer in observers where version == notified && isObserved(by: observer) {
        observer.selectionDidChange(self)
      }
    } while notified != version
  }

  /// Adds an observer. The reference is weak. Adding it twice has no effect.
  public func addObserver(_ observer: any SelectionObserver) {
    guard !isObserved(by: observer) else { return }
    entries.append(Entry(observer: observer))
  }

  /// Removes an observer.
  public func removeObserver(_ observer: any SelectionObserver) {
    entries.removeAll { $0.observer === observer }
  }

  private func isObserved(by observer: any SelectionObserver) -> Bool {
    entries.contains { $0.observer === observer }
  }
}

/// Notified when another item is selected.
///
/// ```swift
/// extension CoverDetail: SelectionObserver {
///   func selectionDidChange(_ selection: Selection) { show(selection.identity(as: Cover.ID.self)) }
/// }
/// ```
public protocol SelectionObserver: AnyObject {
  /// Another item is selected, or none.
  func selectionDidChange(_ selection: Selection)
}
