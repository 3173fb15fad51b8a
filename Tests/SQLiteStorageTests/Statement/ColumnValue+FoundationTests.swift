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

  @Test(arguments: [
    0, 0.001, 0.999, 1, 1_763_714_820.123, -1, -0.001, -86_400.5, 253_402_300_799.999,
  ])
  func aDateKeepsItsMilliseconds(_ seconds: TimeInterval) throws {
    let date = Date(timeIntervalSince1970: seconds)
    let read = try #require(try store.connection.value(Date.self, "SELECT ?", [date.columnValue]))
    #expect(abs(read.timeIntervalSince(date)) < 0.000_6)
  }

  @Test func everyMillisecondOfASecondComesBack() throws {
    for millisecond in 0..<1_000 {
      let date = Date(timeIntervalSince1970: 1_763_714_820 + Double(millisecond) / 1_000)
      let read = try #require(try store.connection.value(Date.self, "SELECT ?", [date.columnValue]))
      #expect(abs(read.timeIntervalSince(date)) < 0.000_6, "\(date.columnValue)")
    }
  }

  @Test func aDateIsWrittenAsSQLiteWritesIt() throws {
    let date = Date(timeIntervalSince1970: 1_763_714_820.5)
    #expect(date.columnValue == "2025-11-21 08:47:00.500")
    let sql = try store.connection.value(
      String.self, "SELECT strftime('%Y-%m-%d %H:%M:%f', 1763714820.5, 'unixepoch')")
    #expect(sql.map(Value.text) == date.columnValue)
  }

  @Test func datesAreReadInAllFormsThatSQLiteWrites() throws {
    let date = Date(timeIntervalSince1970: 1_763_714_820)
    for text in [
      "2025-11-21 08:47:00", "2025-11-21T08:47:00", "2025-11-21 08:47:00.000",
      "2025-11-21T08:47:00.000", "2025-11-21T08:47:00Z",
    ] {
      #expect(try decode(Date.self, "'\(text)'") == date, "\(text)")
    }
  }

  @Test func anythingElseIsNoDate() throws {
    for text in [
      "''", "'yesterday'", "1763714820", "NULL", "'2025-13-01 00:00:00'",
      "'2025-11-21T08:47:00+02:00'",
    ] {
      #expect(isMismatch(Date.self, text), "\(text)")
    }
  }
}
