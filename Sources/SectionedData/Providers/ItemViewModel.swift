/// A value that a cell shows. Its identity stays the same when it is edited or moved.
///
/// ```swift
/// struct TrackViewModel: ItemViewModel {
///   let id: Int64
///   let title: String
/// }
/// ```
public protocol ItemViewModel: Identifiable where ID: Sendable {}

/// The identity of an item among items of other types: its type and its own `id`.
package struct ItemIdentity: Hashable {
  private let type: ObjectIdentifier
  /// The identity among items of its type.
  let id: AnyHashable

  /// The identity of an item; nil if it is not `Identifiable`.
  ///
  /// If the items of a list may be of several types, two of them can have the same `id`. Then the type is a part of
  /// the identity.
  static func of<Item>(_ item: Item) -> AnyHashable? {
    guard let identifiable = item as? any Identifiable else { return nil }
    return Item.self is any Identifiable.Type ? erased(identifiable) : typed(identifiable)
  }

  /// The identity of an item among items of other types.
  package static func typed(_ item: any Identifiable) -> AnyHashable {
    ItemIdentity(type: ObjectIdentifier(Swift.type(of: item)), id: erased(item))
  }

  /// The item's own `id` in an identity; nil if it is of another type.
  package static func id<ID: Hashable>(of identity: AnyHashable?, as type: ID.Type) -> ID? {
    // Cast as an optional type, no identity would be one: that of a record whose id is nil.
    guard let identity else { return nil }
    return ((identity.base as? ItemIdentity)?.id ?? identity).base as? ID
  }

  private static func erased(_ item: some Identifiable) -> AnyHashable { AnyHashable(item.id) }
}

/// Whether two items are equal or the same object.
package func areSame<Item>(_ old: Item, _ new: Item) -> Bool {
  if let old = old as? any Equatable { return old.isSame(as: new) }
  return isSameObject(old, new)
}

package func isSameObject<Item>(_ old: Item, _ new: Item) -> Bool {
  guard type(of: old as Any) is AnyClass else { return false }
  return old as AnyObject === new as AnyObject
}

extension Equatable {
  fileprivate func isSame(as other: Any) -> Bool { other as? Self == self }
}
