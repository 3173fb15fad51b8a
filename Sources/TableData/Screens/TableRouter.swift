/// Shows what a screen leads to. A screen knows identifiers of destinations only, and is given the
/// router.
///
/// ```swift
/// final class Coordinator: TableRouter {
///   func follow(_ route: TableRoute) throws { navigation.push(try screen(for: route)) }
/// }
/// ```
public protocol TableRouter: AnyObject {
  /// Shows a destination.
  ///
  /// - Throws: what is wrong with the destination; the screen reports it.
  func follow(_ route: TableRoute) throws
}

/// A router that does for each identifier what it was told.
///
/// ```swift
/// let router = DestinationRouter()
/// try router.register("cover") { route in try navigation.push(makeDetail(route.identity)) }
/// ```
///
/// Not Sendable: it belongs where its screens belong.
public final class DestinationRouter: TableRouter {
  private var destinations: [String: (TableRoute) throws -> Void] = [:]

  /// Makes a router without destinations.
  public init() {}

  /// Says how a destination is shown.
  ///
  /// - Throws: `TableDataError` of code `.duplicateRegistration` where it is registered already.
  public func register(
    _ destination: String, show: @escaping (TableRoute) throws -> Void
  ) throws {
    guard destinations[destination] == nil else {
      throw TableDataError(
        .duplicateRegistration,
        "the destination \"\(destination)\" is registered already: give each its own identifier")
    }
    destinations[destination] = show
  }

  /// Shows the destination.
  ///
  /// - Throws: `TableDataError` of code `.unknownDestination`; what showing it throws.
  public func follow(_ route: TableRoute) throws {
    guard let show = destinations[route.destination] else {
      let names = destinations.keys.sorted().joined(separator: ", ")
      throw TableDataError(
        .unknownDestination,
        "there is no destination \"\(route.destination)\": register it first; registered are: "
          + (names.isEmpty ? "none" : names))
    }
    try show(route)
  }
}

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
