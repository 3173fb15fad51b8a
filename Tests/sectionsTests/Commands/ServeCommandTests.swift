import RowQueries
import SQLiteStorage
import SectionsServer
import Testing

@testable import sections

/// What the arguments of `serve` mean.
@Suite struct ServeCommandTests {
  private func given(_ arguments: String...) throws -> GivenSource {
    let folder = try TestFolder()
    let path = try folder.makeDatabase()
    let command = try #require(
      try Sections.parsed(["serve", path] + arguments) as? ServeCommand)
    let database = try command.file.openForWatching()
    let given = try database.read { connection in
      try ServeCommand.given(
        command.rows.arguments(arguments[0], select: nil, command.key), in: connection)
    }
    try given.check(in: database)
    return given
  }

  @Test func aSourceHasAllOptionsForItsRows() throws {
    let given = try given(
      "T", "--where", "id > :n", "-p", "n=1", "--columns", "NAME", "--columns", "id", "--key", "id",
      "--sort", "name:desc", "--by", "id > 2", "--total", "count")
    #expect(given.name == "t")
    #expect(given.rows.columns == ["NAME", "id"])
    #expect(given.rows.totals.map(\.name) == ["count"])
  }

  @Test func aSelectHasThemToo() throws {
    let given = try given("SELECT id, name FROM t WHERE id < :n", "-p", "n=3", "--key", "id")
    #expect(given.name == "SELECT")
    #expect(given.rows.select == given.rows.source)
    #expect(throws: (any Error).self) { try self.given("SELECT id FROM t WHERE id < :n") }
  }
}
