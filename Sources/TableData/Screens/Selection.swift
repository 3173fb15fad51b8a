/// Which item is selected: by what it is, never by its row.
///
/// Whoever shows or changes the selection is given one, a list and its details for example. So they
/// need not know one another, and a row that moves stays selected.
///
/// ```swift
/// let selection = Selection()
/// let list = TableViewController(selection: selection, onError: report)
/// let detail = CoverDetail(covers, selection: selection)
/// selection.select(cover.id)  // both show it
/// ```
///
/// Not Sendable: it belongs to whoever made it, the main actor in an app.
public final class Selection {
  private struct Entry {
    weak var observer: (any SelectionObserver)?
  }

  /// What is selected; nil for nothing.
  public private(set) var identity: AnyHashable?

  private var entries: [Entry] = []
  private var isTelling = false
  /// How often it has changed.
  private var version = 0

  /// Makes a selection.
  ///
  /// - Parameter identity: what is selected at first; nothing by default.
  public init(_ identity: AnyHashable? = nil) {
    self.identity = identity
  }

  /// What is selected, where its identity is of a type; nil for nothing, and for another type.
  ///
  /// ```swift
  /// guard let id = selection.identity(as: Cover.ID.self) else { return showNothing() }
  /// ```
  ///
  /// The identity of an item of a list that has several types is known by the item's own `id`.
  public func identity<ID: Hashable>(as type: ID.Type) -> ID? {
    ItemIdentity.id(of: identity, as: type)
  }

  /// Selects another item, or nothing, and tells the observers. Does nothing when it is selected
  /// already.
  ///
  /// An observer may select another one when it is told: then all are told of that one instead.
  public func select(_ identity: AnyHashable?) {
    guard identity != self.identity else { return }
    self.identity = identity
    version += 1
    guard !isTelling else { return }
    isTelling = true
    defer { isTelling = false }
    var told: Int
    repeat {
      told = version
      entries.removeAll { $0.observer == nil }
      let observers = entries.compactMap(\.observer)
      for observer in observers where version == told && isObserved(by: observer) {
        observer.selectionDidChange(self)
      }
    } while told != version
  }

  /// Tells an observer from now on. It is not kept alive, and told once however often it is added.
  public func addObserver(_ observer: any SelectionObserver) {
    guard !isObserved(by: observer) else { return }
    entries.append(Entry(observer: observer))
  }

  /// Does not tell an observer any more.
  public func removeObserver(_ observer: any SelectionObserver) {
    entries.removeAll { $0.observer === observer }
  }

  private func isObserved(by observer: any SelectionObserver) -> Bool {
    entries.contains { $0.observer === observer }
  }
}

/// Told what is selected.
///
/// ```swift
/// extension CoverDetail: SelectionObserver {
///   func selectionDidChange(_ selection: Selection) { show(selection.identity(as: Cover.ID.self)) }
/// }
/// ```
public protocol SelectionObserver: AnyObject {
  /// Another item is selected, or nothing.
  func selectionDidChange(_ selection: Selection)
}
