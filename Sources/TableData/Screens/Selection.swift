/// The identities of the selected items, never row numbers: one, or several if the selection allows it.
///
/// All screens that show or set the selection, a list and its detail for example, share one object. So they do not
/// depend on each other, and a row that moves stays selected.
///
/// ```swift
/// let selection = Selection()
/// let list = TableViewController(selection: selection, onError: report)
/// let detail = CoverDetail(covers, selection: selection)  // a SelectionObserver
/// selection.select(cover.id)  // both show it
/// ```
/// Not Sendable: use it on one actor, in an app on the main actor.
public final class Selection {
  private struct Entry {
    weak var observer: (any SelectionObserver)?
  }

  /// The identities of the selected items, in the order in which they were selected.
  public private(set) var identities: [AnyHashable]
  /// Whether more than one item can be selected.
  public let allowsMultipleSelection: Bool
  /// The identity of the selected item, or of the one that was selected last; nil for none.
  public var identity: AnyHashable? { identities.last }

  private var entries: [Entry] = []
  private var isNotifying = false
  /// The number of changes so far.
  private var version = 0

  /// Makes a selection of one item, or none.
  public init(_ identity: AnyHashable? = nil, allowsMultipleSelection: Bool = false) {
    identities = identity.map { [$0] } ?? []
    self.allowsMultipleSelection = allowsMultipleSelection
  }

  /// The identity of the selected item; nil if there is none, or if it is of another type. For an item of a list with
  /// several types of items, it is the item's own `id`.
  public func identity<ID: Hashable>(as type: ID.Type) -> ID? {
    ItemIdentity.id(of: identity, as: type)
  }

  /// The identities of the selected items that are of a type, as ``identity(as:)``, in the same order.
  public func identities<ID: Hashable>(as type: ID.Type) -> [ID] {
    identities.compactMap { ItemIdentity.id(of: $0, as: type) }
  }

  /// Whether an item is selected. O(selected items).
  public func contains(_ identity: AnyHashable) -> Bool { identities.contains(identity) }

  /// Selects one item and no other, or none, and notifies the observers of a change. An observer may select another
  /// item then; all observers are notified of that one.
  public func select(_ identity: AnyHashable?) { set(identity.map { [$0] } ?? []) }

  /// Selects an item beside the others, or instead of the other if only one can be selected.
  public func insert(_ identity: AnyHashable) {
    guard !contains(identity) else { return }
    set(allowsMultipleSelection ? identities + [identity] : [identity])
  }

  /// Deselects an item, if it is selected.
  public func remove(_ identity: AnyHashable) { set(identities.filter { $0 != identity }) }

  private func set(_ new: [AnyHashable]) {
    guard new != identities else { return }
    identities = new
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

/// Notified when an item is selected or deselected.
public protocol SelectionObserver: AnyObject {
  /// The selection has changed.
  func selectionDidChange(_ selection: Selection)
}
