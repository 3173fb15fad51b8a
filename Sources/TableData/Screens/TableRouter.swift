/// Shows the destinations of a screen, which knows only their identifiers.
public protocol TableRouter: AnyObject {
  /// Shows a destination.
  func follow(_ route: TableRoute) throws
}

/// A router with a registered function for each identifier.
///
/// ```swift
/// let router = DestinationRouter()
/// router.register("cover") { route in try navigation.push(makeDetail(route.identity)) }
/// ```
/// Not Sendable: use it on the actor of its screens.
public final class DestinationRouter: TableRouter {
  private var destinations: [String: [(TableRoute) throws -> Void]] = [:]

  /// Makes a router without destinations.
  public init() {}

  /// Registers the function that shows a destination. If it already has one, following a route to it throws
  /// `.duplicateRegistration`.
  public func register(_ destination: String, show: @escaping (TableRoute) throws -> Void) {
    destinations[destination, default: []].append(show)
  }

  /// Shows the destination.
  ///
  /// - Throws: `TableDataError` with code `.unknownDestination` or `.duplicateRegistration`.
  public func follow(_ route: TableRoute) throws {
    guard let shows = destinations[route.destination], let show = shows.first else {
      let names = destinations.keys.sorted().joined(separator: ", ")
      throw TableDataError(
        .unknownDestination,
        "there is no destination \"\(route.destination)\"",
        nextStep: "Register it first. Registered destinations: " + (names.isEmpty ? "none" : names))
    }
    guard shows.count == 1 else {
      throw TableDataError(
        .duplicateRegistration,
        "the destination \"\(route.destination)\" is registered \(shows.count) times",
        nextStep: "Give each destination its own identifier")
    }
    try show(route)
  }
}

/// A destination of a screen, and the item to show there. Not Sendable, because `AnyHashable` is not.
public struct TableRoute: Hashable {
  /// The identifier of the destination.
  public let destination: String
  /// The identity of the selected item; nil for none.
  public let identity: AnyHashable?

  /// Makes a route.
  public init(to destination: String, identity: AnyHashable? = nil) {
    self.destination = destination
    self.identity = identity
  }

  /// The identity of the item; nil if there is no item, or if the identity is of another type.
  public func identity<ID: Hashable>(as type: ID.Type) -> ID? {
    ItemIdentity.id(of: identity, as: type)
  }
}
