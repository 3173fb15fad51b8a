import TableDataTesting
import Testing

@testable import SQLiteStorage

@Suite struct PackedRowsTests {
  private static let values = [
    "NULL", "0", "1", "-1", "127", "128", "-128", "-129", "65535", "2147483648",
    "9223372036854775807", "-9223372036854775808", "0.0", "-0.0", "0.1", "9e999", "''", "'a'",
    "'23 bytes have one length'", "'😀'", "CAST(x'FF00' AS TEXT)", "x''", "x'0102'", "zeroblob(23)",
    "zeroblob(24)", "zeroblob(255)", "zeroblob(256)", "zeroblob(70000)", "'12 apples'", "x'31'",
  ]

  private func packed(
    _ sql: String, _ names: [String], sharing others: PackedRows? = nil,
    _ body: (Statement, PackedRows) throws -> Void
  ) throws {
    let folder = try TestFolder()
    let connection = try Connection(path: folder.file("store.sqlite"), access: .readWriteCreate)
    let statement = try connection.prepare(SQL(verbatim: sql))
    var builder = PackedRows.Builder(ColumnNames(names), sharing: others)
    var packer = RowPacker()
    try statement.forEachRow { row in
      packer.removeAll()
      packer.append(row, columns: 0..<names.count)
      let length = packer.bytes.count
      // What follows is not kept.
      packer.append(row, columns: names.count..<row.count)
      // FNV-1a, mixed: with the hash of the standard library, which has another seed in each process, the blocks would
      // differ from run to run.
      var digest = packer.bytes[..<length].reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
        ($0 ^ UInt64($1)) &* 0x100_0000_01b3
      }
      digest = (digest ^ (digest >> 31)) &* 0x9e37_79b9_7f4a_7c15
      digest ^= digest >> 29
      builder.append(packer.bytes, length: length, digest: digest)
    }
    try body(statement, builder.finish())
  }

  @Test func eachValueIsReadAsFromTheStatement() throws {
    let list = Self.values.map { "(\($0))" }.joined(separator: ", ")
    let sql = "SELECT column1, hex(column1), column1, 7 FROM (VALUES \(list))"
    try packed(sql, ["a", "b", "c"]) { statement, rows in
      #expect(rows.count == Self.values.count)
      var position = 0
      try statement.forEachRow { row in
        rows.forEach(at: position..<(position + 1)) { packed in
          let (names, count) = (packed.columnNames.names, packed.count)
          #expect(names == ["a", "b", "c"] && count == 3)
          for column in 0..<3 where !Self.isSame(packed, row, column) {
            let value = row.value(at: column)
            Issue.record("\(value) is another in column \(column)")
          }
          let isIdentical = packed.isIdentical(to: row, in: 0..<3)
          let hasMoreColumns = !packed.isIdentical(to: row)
          #expect(isIdentical && hasMoreColumns)
        }
        position += 1
      }
    }
  }

  private static func isSame(
    _ packed: borrowing RowView, _ row: borrowing RowView, _ column: Int
  ) -> Bool {
    let bytes = row.withBytes(at: column) { Array($0) }
    // A blob that is read as text becomes one.
    if row.storageClass(at: column) != .blob {
      guard packed.string(at: column) == row.string(at: column) else { return false }
      guard packed.byteCount(at: column) == row.byteCount(at: column) else { return false }
      let isText = bytes.withUnsafeBytes { packed.isText($0, at: column) }
      guard isText == bytes.withUnsafeBytes({ row.isText($0, at: column) }) else { return false }
    }
    guard packed.withBytes(at: column, { Array($0) }) == bytes else { return false }
    guard packed.storageClass(at: column) == row.storageClass(at: column) else { return false }
    guard packed.value(at: column) == row.value(at: column) else { return false }
    guard packed.isNull(at: column) == row.isNull(at: column) else { return false }
    guard packed.integer(at: column) == row.integer(at: column) else { return false }
    guard packed.int64(at: column) == row.int64(at: column) else { return false }
    let (bits, wanted) = (packed.double(at: column).bitPattern, row.double(at: column).bitPattern)
    guard bits == wanted else { return false }
    return packed.text(at: column) == row.text(at: column)
  }

  @Test(arguments: SeededGenerator.seeds(3))
  func anyRowsAreFoundAmongManyBlocks(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    // Rows of a few bytes, and rows that are longer than a block.
    let sql = """
      WITH RECURSIVE i(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM i WHERE x < 29999)
      SELECT x, CASE WHEN x % 5000 = 77 THEN zeroblob(300000) ELSE zeroblob(x % 60) END FROM i
      """
    try packed(sql, ["x", "y"]) { _, rows in
      #expect(rows.count == 30_000)
      for _ in 0..<40 {
        let start = Int.random(in: 0...30_000, using: &generator)
        let end = min(30_000, start + Int.random(in: 0...9_000, using: &generator))
        var expected = start
        rows.forEach(at: start..<end) { row in
          let length = expected % 5_000 == 77 ? 300_000 : expected % 60
          if row.int64(at: 0) != expected || row.byteCount(at: 1) != length {
            Issue.record("seed \(seed): row \(expected) is \(row.int64(at: 0))")
          }
          expected += 1
        }
        #expect(expected == max(start, end))
      }
    }
  }

  @Test func blocksBehindAChangedRowAreShared() throws {
    func sql(_ first: Int, except row: Int) -> String {
      """
      WITH RECURSIVE i(x) AS (SELECT \(first) UNION ALL SELECT x + 1 FROM i WHERE x < 99999)
      SELECT x, CASE x WHEN \(row) THEN 'other' ELSE 'a text of some length' END FROM i
      """
    }
    let names = ["x", "y"]
    try packed(sql(0, except: -1), names) { _, old in
      for (first, row) in [(0, 50_000), (-5, -1), (7, 99_999), (0, -1)] {
        try packed(sql(first, except: row), names, sharing: old) { _, new in
          let counts = new.blockCounts(sharedWith: old)
          #expect(counts.all > 10 && counts.shared >= counts.all - 3, "\(first), \(row)")
          try packed(sql(first, except: row), names) { _, alone in
            #expect(alone.hasSameRows(as: new))
            #expect(alone.blockCounts(sharedWith: old).shared == 0)
          }
        }
      }
    }
  }

  @Test func rowsWithoutColumnsAreCounted() throws {
    try packed("SELECT 1 UNION ALL SELECT 2", []) { _, rows in
      var count = 0
      rows.forEach(at: 0..<2) { row in count += row.count + 1 }
      #expect(rows.count == 2 && count == 2)
    }
    try packed("SELECT 1 WHERE 0", ["a"]) { _, rows in
      #expect(rows.count == 0)
      rows.forEach(at: 0..<0) { _ in Issue.record("a row") }
    }
  }

  @Test func onlyTheSameRowsAreTheSame() throws {
    try packed("SELECT 1 UNION ALL SELECT 2", ["a"]) { _, rows in
      try packed("SELECT 1 UNION ALL SELECT 2", ["a"]) { #expect(rows.hasSameRows(as: $1)) }
      for other in ["SELECT 1", "SELECT 1 UNION ALL SELECT 2.0", "SELECT 12"] {
        try packed(other, ["a"]) { #expect(!rows.hasSameRows(as: $1)) }
      }
    }
  }
}
