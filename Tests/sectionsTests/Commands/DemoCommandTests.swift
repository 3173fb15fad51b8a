import SQLiteStorage
import Testing

@testable import sections

@Suite(.timeLimit(.minutes(5))) struct DemoCommandTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  // The folder of the test has no migrations: they are part of the tool.
  private func demo(_ arguments: String...) async throws -> Tool.Result {
    try await Tool.run(["demo"] + arguments, in: folder)
  }

  @Test func itPrintsThreeResultsAndTheirCommands() async throws {
    let result = try await demo("--format", "list")
    #expect(result.status == 0, "\(result.stderr)")
    let commands = result.stderr.split(separator: "\n").filter { $0.hasPrefix("$ sections query") }
    #expect(commands.count == 3)
    #expect(result.stdout.contains("Orchard Lights"))
    #expect(try folder.contents().isEmpty)
    #expect(try folder.temporaryFiles().isEmpty)
  }

  @Test func theStoreStaysAndCanBePrintedAgain() async throws {
    let first = try await demo("the store.db")
    let second = try await demo("the store.db")
    #expect(first.status == 0, "\(first.stderr)")
    #expect(second.stdout == first.stdout)
    // All of it is in the one file, which can be moved.
    #expect(try folder.contents().keys.sorted() == ["the store.db"])
    // What is printed is what the command prints.
    let command = try #require(first.stderr.split(separator: "\n").first).dropFirst(2)
    let script = command.replacing("sections", with: "\"$sections\"", maxReplacements: 1)
    let again = try await Tool.shell(String(script), in: folder)
    #expect(!again.stdout.isEmpty)
    #expect(first.stdout.hasPrefix(again.stdout))
  }

  @Test func anotherDatabaseIsLeftAlone() async throws {
    try folder.makeDatabase()
    let before = try folder.contents()
    try await demo("a.db")
      .expectFailure(64, "a.db has other tables", "Name a file that does not exist yet")
    #expect(try folder.contents() == before)
  }

  @Test func theMigrationsInTheToolAreThoseOfTheFolder() throws {
    #expect(try Migrator.demoStore().migrations == Migrator(folder: Migrations.path).migrations)
  }

  @Test func aFolderTakesTheirPlaceIfItIsThere() async throws {
    try await demo("--dir", "Migrations").expectFailure(66, "Migrations")
    let result = try await demo("--dir", Migrations.path, "--format", "list")
    #expect(result.status == 0, "\(result.stderr)")
    #expect(result.stdout.contains("Orchard Lights"))
  }
}
