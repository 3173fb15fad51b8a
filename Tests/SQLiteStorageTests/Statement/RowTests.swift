import SQLiteStorage
import Testing

@Suite struct RowViewTests {
  @Test func storageClassesAreTheFiveOfSQLite() throws {
    let store = try TestConnection()
    try store.connection.query("SELECT NULL, 1, 1.5, 'a', x'61'") { row in
      #expect(row.count == 5)
      #expect(row.storageClass(at: 0) == .null)
      #expect(row.storageClass(at: 1) == .integer)
      #expect(row.storageClass(at: 2) == .real)
      #expect(row.storageClass(at: 3) == .text)
      #expect(row.storageClass(at: 4) == .blob)
      #expect(row.isNull(at: 0) == true)
      #expect(row.isNull(at: 3) == false)
    }
  }

  @Test func rawAccessConvertsAsCastDoes() throws {
    let store = try TestConnection()
    try store.connection.query("SELECT '12abc', 2.9, NULL, 'x'") { row in
      #expect(row.int64(at: 0) == 12)
      #expect(row.int64(at: 1) == 2)
      #expect(row.double(at: 0) == 12)
      #expect(row.int64(at: 2) == 0)
      #expect(row.string(at: 2).isEmpty)
      #expect(row.double(at: 3) == 0)
    }
  }

  @Test func readingANumberAsTextLeavesItANumber() throws {
    let store = try TestConnection("CREATE TABLE t(x, y); INSERT INTO t VALUES (42, 1.5)")
    try store.connection.query("SELECT x, y FROM t") { row in
      #expect(row.string(at: 0) == "42")
      #expect(row.string(at: 1) == "1.5")
      #expect(row.value(at: 0) == 42)
      let (integer, real) = (try row.decode(Int.self, at: 0), try row.decode(Double.self, at: 1))
      #expect(integer == 42)
      #expect(real == 1.5)
    }
  }

  @Test func bytesAreThoseOfTextAndBlob() throws {
    let store = try TestConnection()
    try store.connection.query("SELECT 'é' || char(0) || 'b', x'00ff', NULL, '', x''") { row in
      #expect(row.withBytes(at: 0) { Array($0) } == [0xC3, 0xA9, 0, 0x62])
      #expect(row.byteCount(at: 0) == 4)
      #expect(row.withBytes(at: 1) { Array($0) } == [0, 0xFF])
      #expect(row.withBytes(at: 2) { $0.count } == 0)
      #expect(row.withBytes(at: 3) { $0.count } == 0)
      #expect(row.withBytes(at: 4) { $0.count } == 0)
    }
  }

  @Test func copiesAreIdenticalIfTheirValuesAre() throws {
    let store = try TestConnection()
    let rows = try store.connection.rows("SELECT 1, 'a' UNION ALL SELECT 1, 'b'")
    try store.connection.query("SELECT 1, 'b'") { row in
      #expect(row.isIdentical(to: RowView(.copy(rows[1]))) == true)
      #expect(row.isIdentical(to: RowView(.copy(rows[0]))) == false)
      #expect(RowView(.copy(rows[0])).isIdentical(to: RowView(.copy(rows[1]))) == false)
      #expect(RowView(.copy(rows[0])).isIdentical(to: RowView(.copy(rows[1])), in: 0..<1) == true)
    }
  }

  @Test func aColumnNumberOutOfRangeIsNamed() throws {
    let store = try TestConnection()
    for column in [-1, 2, Int.max] {
      let error = databaseError {
        try store.connection.query("SELECT 1, 2") { _ = try $0.decode(Int.self, at: column) }
      }
      #expect(error?.code == .missingColumn)
      #expect(error?.message == "there is no column \(column): the row has 2 columns")
    }
  }

  @Test func aColumnNameThatIsNotThereIsNamedWithThoseThatAre() throws {
    let store = try TestConnection()
    let error = databaseError {
      try store.connection.query("SELECT 1 AS a, 2 AS b") {
        _ = try $0.decode(Int.self, "c")
      }
    }
    #expect(error?.code == .missingColumn)
    #expect(error?.description == "there is no column c. The row's columns are: a, b")
  }

  @Test func columnsAreDecodedByName() throws {
    let store = try TestConnection()
    try store.connection.query("SELECT 1 AS a, 'x' AS \"B\"") { row in
      let integer = try row.decode(Int.self, "A")
      let text: String = try row.decode(String.self, "b")
      #expect(integer == 1)
      #expect(text == "x")
    }
  }

  @Test func aMismatchNamesTheColumnWhatItHoldsAndWhatWasAskedFor() throws {
    let store = try TestConnection()
    let error = databaseError {
      try store.connection.query("SELECT 'x' AS title") { _ = try $0.decode(Int.self, at: 0) }
    }
    #expect(error?.code == .typeMismatch)
    #expect(error?.message == "column title holds text, not an integer that fits Int")
    #expect(error?.nextStep != nil)
  }
}

@Suite struct RowTests {
  @Test func aRowKeepsItsValuesAfterTheStatementMovedOn() throws {
    let store = try TestConnection("CREATE TABLE t(x); INSERT INTO t VALUES ('a'), ('b'), (NULL)")
    let rows = try store.connection.rows("SELECT x FROM t ORDER BY rowid")
    #expect(rows.map(\.values) == [["a"], ["b"], [.null]])
  }

  @Test func valuesAreFoundByNameAsSQLiteComparesIt() throws {
    let store = try TestConnection()
    let row = try #require(try store.connection.rows("SELECT 1 AS Id, 'x' AS \"a b\"").first)
    #expect(row["id"] == 1)
    #expect(row["A B"] == "x")
  }

  /// `.null` would be taken for a value.
  @Test func aMisspeltNameTrapsAndNamesTheColumns() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let row = Row(columnNames: ColumnNames(["id", "name"]), values: [1, "x"])
        _ = row["nmae"]
      })
    let message = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(message.contains("there is no column nmae: the row has id, name"))
  }

  @Test func rowsAreEqualWithEqualNamesAndValues() throws {
    let store = try TestConnection()
    let one = try store.connection.rows("SELECT 1 AS a UNION ALL SELECT 1")
    let other = try store.connection.rows("SELECT 1 AS b")
    #expect(one[0] == one[1])
    #expect(one[0] != other[0])
    #expect(Set(one).count == 1)
  }
}

@Suite struct ColumnNamesTests {
  @Test func aNameIsFoundWhateverTheCaseOfItsASCIILetters() {
    let names = ColumnNames(["Id", "NAME"])
    #expect(names.position(of: "id") == 0)
    #expect(names.position(of: "Name") == 1)
    #expect(names.position(of: "other") == nil)
    #expect(names.count == 2)
  }

  @Test func otherLettersDoNotFold() {
    let names = ColumnNames(["Ä", "ſ"])
    #expect(names.position(of: "ä") == nil)
    #expect(names.position(of: "s") == nil)
    #expect(names.position(of: "Ä") == 0)
  }

  @Test func ofEqualNamesTheFirstIsFound() {
    let names = ColumnNames(["id", "name", "ID"])
    #expect(names.position(of: "iD") == 0)
    #expect(names.names == ["id", "name", "ID"])
  }

  @Test func foldingLeavesEverythingButASCIICapitals() {
    #expect("AZ[@`az0Ä🙂".sqliteFolded == "az[@`az0Ä🙂")
    #expect("".sqliteFolded.isEmpty)
  }

  /// For SQLite these are two names, for Swift one.
  @Test func namesAreComparedByTheirBytes() throws {
    let store = try TestConnection()
    let row = try #require(
      try store.connection.rows("SELECT 1 AS \"\u{E9}\", 2 AS \"e\u{301}\"").first)
    #expect(row["\u{E9}"] == 1)
    #expect(row["e\u{301}"] == 2)
  }
}
