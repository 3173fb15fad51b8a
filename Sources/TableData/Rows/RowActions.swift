/// Something that the user can do with a row: a button that appears when the row is swiped, an item of its menu, or
/// its accessory. It refers to the item of the row, not to an index path: the row may have moved when the user
/// chooses it. Not Sendable: use it on the actor of its table.
public struct RowAction {
  /// What an action does to the row.
  public enum Style: Hashable, Sendable {
    /// The row stays, or nothing is lost.
    case normal
    /// Something is deleted.
    case destructive
  }

  /// The title of the button or menu item.
  public let title: String
  /// What the action does to the row.
  public let style: Style
  /// The name of its symbol; nil for none.
  public let imageName: String?
  private let action: () throws -> Void

  /// Makes an action.
  public init(
    _ title: String, style: Style = .normal, imageName: String? = nil,
    perform action: @escaping () throws -> Void
  ) {
    self.title = title
    self.style = style
    self.imageName = imageName
    self.action = action
  }

  /// Performs the action.
  public func perform() throws { try action() }
}

/// What the user can do with a row.
///
/// ```swift
/// source.registerActions(for: Mail.self) { mail in
///   RowActions(
///     leading: [RowAction("Unread") { try store.markUnread(mail.id) }],
///     trailing: [RowAction("Delete", style: .destructive) { try store.delete(mail.id) }])
/// }
/// ```
/// Not Sendable: use it on the actor of its table.
public struct RowActions {
  /// The buttons at the leading edge, which a swipe shows, from the edge to the middle.
  public var leading: [RowAction]
  /// The buttons at the trailing edge, which a swipe shows, from the edge to the middle. If there are any, a table of
  /// UIKit shows no button of its own to delete the row.
  public var trailing: [RowAction]
  /// The items of the menu, from top to bottom.
  public var menu: [RowAction]
  /// The action of the button at the end of the row; nil for none.
  public var accessory: RowAction?
  /// The action of the button with a plus sign that a row has while the list is edited; nil for none.
  public var insert: RowAction?
  /// The action of selecting the row, as for a button; nil for none.
  public var select: RowAction?

  /// Makes the actions of a row.
  public init(
    leading: [RowAction] = [], trailing: [RowAction] = [], menu: [RowAction] = [],
    accessory: RowAction? = nil, insert: RowAction? = nil, select: RowAction? = nil
  ) {
    self.leading = leading
    self.trailing = trailing
    self.menu = menu
    self.accessory = accessory
    self.insert = insert
    self.select = select
  }

  package var all: [RowAction] {
    leading + trailing + menu + [accessory, insert, select].compactMap(\.self)
  }

  /// Performs the first action with a title.
  ///
  /// - Throws: `TableDataError` with code `.unknownAction` if there is none; any error of the action.
  public func perform(_ title: String) throws {
    guard let action = all.first(where: { $0.title == title }) else {
      let titles = all.map(\.title).joined(separator: ", ")
      throw TableDataError(
        .unknownAction, "the row has no action \"\(title)\"",
        nextStep: "Its actions are: " + (titles.isEmpty ? "none" : titles))
    }
    try action.perform()
  }
}
