/// How a provider tells its items apart and whether one has changed.
struct ItemTraits<Item> {
  /// What an item is, wherever it goes.
  let identity: (Item) -> AnyHashable
  /// Whether two items of one identity look the same.
  let isUnchanged: (Item, Item) -> Bool

  init(
    identity: @escaping (Item) -> AnyHashable, isUnchanged: ((Item, Item) -> Bool)? = nil
  ) {
    self.identity = identity
    self.isUnchanged = isUnchanged ?? ItemTraits.areSame
  }

  /// Whether two items are equal or one object; false where nothing says so.
  private static func areSame(_ old: Item, _ new: Item) -> Bool {
    if let old = old as? any Equatable { return old.isSame(as: new) }
    guard Swift.type(of: old as Any) is AnyClass else { return false }
    return old as AnyObject === new as AnyObject
  }
}

extension Equatable {
  fileprivate func isSame(as other: Any) -> Bool { other as? Self == self }
}
