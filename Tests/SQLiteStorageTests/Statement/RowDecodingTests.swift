import Foundation
import SQLiteStorage
import Testing

/// Values of copied rows, decoded as those of a running statement.
struct RowDecodingTests {
  @Test func aCopiedRowIsDecodedAsTheRowItself() throws {
    let store = try TestConnection()
    let connection = store.connection
    let literals = [
      "NULL", "0", "-7", "9223372036854775807", "1.5", "-1e300", "2.0", "'12abc'", "' +3.5e2x'",
      "''",
      "'abc'", "'2026-11-22'", "x''", "x'3132'", "'0x10'", "'.5'", "'1e'", "'-'", "9e18",
      "'99999999999999999999'",
      "'é'",
    ]
    for literal in literals {
      try connection.query(SQL(verbatim: "SELECT \(literal) AS v")) { row in
        let copy = Row(row)
        compare(Int.self, row, copy)
        compare(UInt8.self, row, copy)
        compare(Bool?.self, row, copy)
        compare(Double.self, row, copy)
        compare(Float.self, row, copy)
        compare(String?.self, row, copy)
        compare([UInt8].self, row, copy)
        compare(Data.self, row, copy)
        compare(Date.self, row, copy)
        compare(Decimal.self, row, copy)
        compare(UUID.self, row, copy)
        compare(Value.self, row, copy)
        compare(Cast.self, row, copy)
      }
    }
  }

  private func compare<T: ColumnValue & Equatable>(
    _ type: T.Type, _ row: borrowing RowView, _ copy: Row
  ) {
    let expected: Result<T, any Error>
    do { expected = .success(try row.decode(type, at: 0)) } catch { expected = .failure(error) }
    let found = Result { try copy.decode(type, "V") }
    switch (expected, found) {
    case (.success(let expected), .success(let found)): #expect(expected == found)
    case (.failure(let expected), .failure(let found)): #expect("\(expected)" == "\(found)")
    default: Issue.record("\(type): \(expected) is not \(found), of \(copy.values)")
    }
  }

  /// Reads a column in every way without looking at its storage class.
  private struct Cast: ColumnValue, Equatable {
    let integer: Int64
    let real: Double
    let text: String?
    let count: Int?

    static func decode(_ row: borrowing RowView, at column: Int) -> Cast {
      Cast(
        integer: row.int64(at: column), real: row.double(at: column),
        text: row.string(at: column), count: row.byteCount(at: column))
    }

    var columnValue: Value { .null }
  }

  @Test func aMissingColumnIsNamed() throws {
    let store = try TestConnection()
    let row = try #require(try store.connection.rows("SELECT 1 AS n").first)
    #expect(try row.decode(Int.self, "N") == 1)
    #expect(try row.decode(at: 0) == 1)
    for read in [{ try row.decode(Int.self, "m") }, { try row.decode(Int.self, at: 1) }] {
      let error = #expect(throws: DatabaseError.self) { try read() }
      #expect(error?.code == .missingColumn)
    }
  }

  @Test func decimalsKeepTheirDigits() throws {
    let store = try TestConnection()
    let connection = store.connection
    try connection.execute(script: "CREATE TABLE t(t TEXT, n NUMERIC)")
    for text in ["0.1", "-12345678901234567890.123456789", "1000000", "0"] {
      let value = try #require(Decimal(string: text))
      try connection.execute("DELETE FROM t")
      try connection.execute("INSERT INTO t VALUES (?, ?)", [value.columnValue, value.columnValue])
      #expect(try connection.value(Decimal.self, "SELECT t FROM t") == value)
    }
    #expect(try connection.value(Decimal.self, "SELECT 0.1") == Decimal(string: "0.1"))
    #expect(try connection.value(Decimal.self, "SELECT 7") == 7)
    for text in ["'1-2'", "'1 000'", "'nan'", "x'31'", "''"] {
      #expect(throws: DatabaseError.self) {
        try connection.value(Decimal.self, SQL(verbatim: "SELECT \(text)"))
      }
    }
  }
}
