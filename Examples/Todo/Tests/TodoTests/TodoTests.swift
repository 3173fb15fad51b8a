import FetchedResults
import Testing

@testable import Todo

@MainActor struct TodoTests {
  private let database: Database
  private let model: TodoModel

  init() throws {
    database = try Database.inMemory()
    model = try TodoModel(database)
    for title in ["Milk", "Bread"] { try model.add(title, to: "Shopping") }
    try model.add("Call Ada", to: "Calls")
  }

  /// The lists as text, at the newest version.
  private func shown() throws -> [String] {
    try model.open.fetch()
    try model.done.fetch()
    return model.open.sections.map { section in
      "\(section.name ?? ""): " + section.compactMap(\.object?.title).joined(separator: ", ")
    } + model.done.rows.compactMap { $0.object.map { "done: \($0.title)" } }
  }

  private func item(_ title: String) throws -> Item {
    try #require(try database.read { try $0.fetchOne(Item.all.filter("title = \(title)")) })
  }

  @Test func itemsAreShownByList() throws {
    #expect(try shown() == ["Calls: Call Ada", "Shopping: Milk, Bread"])
  }

  @Test func searchingAndEditing() throws {
    try model.edit(try item("Milk")) { $0.isDone = true }
    #expect(try shown() == ["Calls: Call Ada", "Shopping: Bread", "done: Milk"])
    _ = try shown()
    model.search("ad")
    #expect(try shown() == ["Calls: Call Ada", "Shopping: Bread", "done: Milk"])
    model.search("ada")
    #expect(try shown() == ["Calls: Call Ada", "done: Milk"])
  }

  @Test func theUserOrdersAList() throws {
    _ = try shown()
    try model.move(from: [1, 1], to: [1, 0])
    #expect(try shown() == ["Calls: Call Ada", "Shopping: Bread, Milk"])
    try model.move(from: [1, 0], to: [0, 0])
    #expect(try shown() == ["Calls: Bread, Call Ada", "Shopping: Milk"])
  }

  @Test func everyEditIsUndone() throws {
    let before = try shown()
    try model.edit(try item("Milk")) { $0.title = "Oat milk" }
    try model.move(from: [1, 0], to: [0, 1])
    try model.delete(try item("Bread"))
    try model.add("Eggs", to: "Shopping")
    for _ in 0..<4 { #expect(try model.undo()) }
    #expect(try shown() == before)
  }

  @Test func whatAnotherWriterChangedIsNotUndone() throws {
    try model.edit(try item("Milk")) { $0.title = "Oat milk" }
    try database.write { try $0.execute("UPDATE item SET list = 'Later' WHERE title = 'Oat milk'") }
    #expect(try !model.undo())
    #expect(try shown() == ["Calls: Call Ada", "Later: Oat milk", "Shopping: Bread"])
  }

  @Test(.timeLimit(.minutes(1))) func bothListsFollowAnotherWriter() async throws {
    let observing = [model.open, model.done].map { list in Task { await list.observe() } }
    while model.open.isLoading || model.done.isLoading { await Task.yield() }
    try await database.write { try $0.execute("UPDATE item SET is_done = 1") }
    while !model.open.rows.isEmpty { await Task.yield() }
    #expect(model.done.rows.count == 3)
    for task in observing { task.cancel() }
  }
}
