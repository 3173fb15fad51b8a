/// Where a screen leads to, and what to show there.
///
/// ```swift
/// func follow(_ route: TableRoute) throws {
///   guard let id = route.identity(as: Cover.ID.self) else { return }
///   show(CoverDetail(id), as: route.destination)
/// }
/// ```
///
/// Not Sendable: an identity of any type is not.
public struct TableRoute: Hashable {
  /// The identifier of the destination.
  public let destination: String
  /// What the item is that was selected; nil where none was.
  public let identity: AnyHashable?

  /// Makes a route.
  public init(to destination: String, identity: AnyHashable? = nil) {
    self.destination = destination
    self.identity = identity
  }

  /// What the item is, where its identity is of a type; nil for no item, and for another type.
  public func identity<ID: Hashable>(as type: ID.Type) -> ID? {
    ItemIdentity.id(of: identity, as: type)
  }
}
