import FetchedResults

/// The lists of the app, and what the user does with them. Each change is one transaction; the lists
/// follow the file, also if another process writes it.
final class TodoModel {
  /// What is open, by list, in the user's order.
  let open: FetchedList<Item>
  /// What is done.
  let done: FetchedList<Item>
  private let database: Database
  /// Each returns false if another writer has changed the item since.
  private var undoSteps: [(Connection) throws -> Bool] = []

  init(_ database: Database) throws {
    self.database = database
    try database.write { try $0.execute(script: Item.schema) }
    open = FetchedList(
      database: database, request: TodoModel.openItems, sectionedBy: \.list)
    done = FetchedList(
      database: database, request: Item.all.filter("\(\.isDone)").sorted(by: \.title))
  }

  private static let openItems = Item.all.filter("NOT \(\.isDone)").sorted(by: \.position)

  /// Shows the open items whose title contains a text.
  func search(_ text: String) {
    open.request =
      text.isEmpty ? TodoModel.openItems : TodoModel.openItems.filter(.contains(\.title, text))
  }

  // MARK: - Edits

  /// Adds an item at the end of a list.
  func add(_ title: String, to list: String) throws {
    try change(nil) { connection in
      let last = try connection.fetchOne(
        Item.all.filter("\(\.list) = \(list)").sorted(by: \.position, .descending))
      var item = Item(title: title, list: list, position: .between(last?.position, nil))
      item.id = try connection.insert(item)
      return item
    }
  }

  /// Changes an item: its title, its list, whether it is done.
  func edit(_ item: Item, _ body: (inout Item) -> Void) throws {
    var new = item
    body(&new)
    try change(item.id) { connection in
      try connection.update(new)
      return new
    }
  }

  /// Deletes an item.
  func delete(_ item: Item) throws {
    try change(item.id) { connection in
      try connection.delete(item)
      return nil
    }
  }

  /// Moves an open item, as `moveRow(at:to:)` of a table does.
  func move(from source: IndexPath, to destination: IndexPath) throws {
    guard let provider = open.provider else { return }
    let item = try provider.object(at: source)
    try change(item.id) { connection in
      try provider.move(from: source, to: destination, by: \.position, in: connection)
      return try connection.fetchOne(Item.self, item.id)
    }
  }

  /// Undoes the last edit.
  ///
  /// - Returns: false if there is none, or another writer has changed the item since.
  func undo() throws -> Bool {
    guard let step = undoSteps.popLast() else { return false }
    return try database.write(step)
  }

  /// Changes one item, and keeps what undoes it.
  ///
  /// - Parameters:
  ///   - id: the id of the item; nil if it is new.
  ///   - body: returns the item after; nil if it is deleted.
  private func change(_ id: Int64?, _ body: (Connection) throws -> Item?) throws {
    // Read in the transaction: the list may show an older version.
    let (old, new) = try database.write { connection in
      (try id.flatMap { try connection.fetchOne(Item.self, $0) }, try body(connection))
    }
    undoSteps.append { connection in
      guard let item = new ?? old, try connection.fetchOne(Item.self, item.id) == new else {
        return false
      }
      if let old { try connection.upsert(old) } else { try connection.delete(item) }
      return true
    }
  }
}
