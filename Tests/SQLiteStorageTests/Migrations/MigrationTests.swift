import Testing

@testable import SQLiteStorage

@Suite("A migration")
struct MigrationTests {
  @Test("has the checksum that sha256sum prints for its file")
  func checksum() {
    #expect(
      Migration(1, "a", up: "CREATE TABLE a(x);\n").checksum
        == "d89afa701da71c81c35b234f040ec570c47f1ef405559e016be5780cae90ddf7")
  }

  @Test("has a checksum that the way back does not change")
  func checksumOfDown() {
    let without = Migration(1, "a", up: "SELECT 1")
    let with = Migration(1, "a", up: "SELECT 1", down: "SELECT 2")
    #expect(without.checksum == with.checksum)
    #expect(without != with)
  }

  @Test("is called after its number in four digits and its name")
  func fileName() {
    #expect(Migration(12, "add_rating", up: "").fileName == "0012_add_rating.sql")
    #expect(
      Migration.FileName(version: 9_999, name: "a", direction: .down).description
        == "9999_a.down.sql")
  }

  @Test("finds its parts in a file's name")
  func parsing() throws {
    let up = try #require(Migration.FileName("0012_add_rating_2.sql"))
    #expect(up == Migration.FileName(version: 12, name: "add_rating_2"))
    let down = try #require(Migration.FileName("0012_add_rating_2.down.sql"))
    #expect(down == Migration.FileName(version: 12, name: "add_rating_2", direction: .down))
  }

  @Test(
    "takes no other file's name",
    arguments: [
      "1_a.sql", "001_a.sql", "00001_a.sql", "0000_a.sql", "0001.sql", "0001_.sql", "0001-a.sql",
      "0001_A.sql", "0001_a-b.sql", "0001_a b.sql", "0001_a__b.sql", "0001__a.sql", "0001_a_.sql",
      "0001_é.sql", "0001_a.up.sql", "0001_a.down.down.sql", "0001_.down.sql", "a.sql", ".sql",
      "0001_a.SQL", "0001_a.sql ", "+001_a.sql", "٠٠٠١_a.sql", "0001_a.sql.bak", "0001_a",
    ])
  func malformed(name: String) {
    #expect(Migration.FileName(name) == nil)
  }
}
