import Foundation
import SQLiteStorage
import Testing

@Suite struct ColumnValueFoundationTests {
  private let store: TestConnection

  init() throws { store = try TestConnection() }

  private func decode<T: ColumnValue>(_ type: T.Type, _ sql: String) throws -> T {
    try #require(try store.connection.value(T.self, "SELECT \(sql)"))
  }

  private func isMismatch<T: ColumnValue>(_ type: T.Type, _ sql: String) -> Bool {
    databaseError {
      try store.connection.query("SELECT \(sql)") { _ = try $0.decode(T.self, at: 0) }
    }?.code == .typeMismatch
  }

  @Test func dataIsABlob() throws {
    #expect(try decode(Data.self, "x'00ff'") == Data([0, 255]))
    #expect(try decode(Data.self, "x''") == Data())
    #expect(Data([1, 2]).columnValue == .blob([1, 2]))
    #expect(isMismatch(Data.self, "'text'"))
    #expect(isMismatch(Data.self, "NULL"))
  }

  @Test func aUUIDIsItsTextInAnyCase() throws {
    let id = UUID()
    #expect(id.columnValue == .text(id.uuidString))
    #expect(try decode(UUID.self, "'\(id.uuidString.lowercased())'") == id)
    #expect(isMismatch(UUID.self, "'not a UUID'"))
    #expect(isMismatch(UUID.self, "x'00112233445566778899aabbccddeeff'"))
  }

  @Test func aURLIsItsText() throws {
    let url = try #require(URL(string: "https://example.org/a%20b?c=d#e"))
    #expect(url.columnValue == "https://example.org/a%20b?c=d#e")
    #expect(try decode(URL.self, "'https://example.org/a%20b?c=d#e'") == url)
    #expect(isMismatch(URL.self, "''"))
    #expect(isMismatch(URL.self, "1"))
  }
}
