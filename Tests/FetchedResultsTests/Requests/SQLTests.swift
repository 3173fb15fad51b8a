import FetchedResults
import Foundation
import Testing

// Without SQLiteStorage: what an app writes with one import.
struct SQLTests {
  private func ids(_ sql: SQL) throws -> [Int] {
    try Track.store().read { connection in
      try connection.rows(sql).map { try $0.decode(Int.self, "id") }
    }
  }

  @Test func anInterpolatedValueIsBoundEverywhere() throws {
    let attack = "' OR 1 = 1 --"
    let database = try Track.store()
    try database.write { connection throws in
      try connection.execute("UPDATE track SET name = \(attack) WHERE id = \(1)")
      #expect(
        try connection.value(String.self, "SELECT name FROM track WHERE id = \(1)") == attack)
      #expect(try connection.rows("SELECT id FROM track WHERE name = \(attack)").count == 1)
      #expect(try connection.fetchCount(Track.all.filter("name = \(attack)")) == 1)
      var count = 0
      try connection.query("SELECT 1 FROM track WHERE name = \(attack)") { _ in count += 1 }
      #expect(count == 1)
      let statement = try connection.prepare("SELECT name FROM track WHERE name = \(attack)")
      #expect(try statement.step())
      let genre: String? = nil
      try connection.execute("DELETE FROM track WHERE genre IS \(genre)")
      #expect(try connection.fetchCount(Track.all) == 4)
    }
  }

  @Test func itsDescriptionIsAStatementWithItsValues() throws {
    let name = "it's ? \"x\""
    let sql: SQL =
      "SELECT \(identifier: "a?\"b"), '?' /* ? */ FROM t WHERE n = \(name) AND b IN \([1, 2]) -- ?"
    let expected = """
      SELECT "a?""b", '?' /* ? */ FROM t WHERE n = 'it''s ? "x"' AND b IN (1, 2) -- ?
      """
    #expect("\(sql)" == expected)
    #expect("\(SQL(verbatim: "SELECT ?"))" == "SELECT ?")
    // SQLite reads the same values.
    let values: SQL = """
      SELECT \(Data([0, 255])) AS a, \(1.5) AS b, \("NUL \0 inside") AS c, \(nil as Int?) AS d
      """
    try Track.store().read { connection throws in
      let read = try connection.rows(SQL(verbatim: "\(values)"))
      #expect(try read.map(\.values) == connection.rows(values).map(\.values))
    }
  }

  @Test func piecesAreJoined() throws {
    let conditions: [SQL] = ["id > \(1)", "name LIKE \(contains: "o")"]
    #expect(
      try ids("SELECT id FROM track WHERE \(conditions.joined(separator: " AND "))") == [3, 4])
    #expect("\([SQL]().joined(separator: ", "))" == "")
    let separated: [SQL] = ["1", "2", "3"]
    #expect("\(separated.joined(separator: " + \(5) + "))" == "1 + 5 + 2 + 5 + 3")
  }

  @Test func aCollectionIsAListAndBytesAreOneValue() throws {
    #expect(try ids("SELECT id FROM track WHERE id IN \([1, 3, 9]) ORDER BY id") == [1, 3])
    #expect(try ids("SELECT id FROM track WHERE id IN \([Int]())") == [])
    #expect(try ids("SELECT id FROM track WHERE name IN \(Set(["Blue"]))") == [1])
    #expect(
      try ids("SELECT id FROM track WHERE CAST(name AS BLOB) = \(Data("Zoo".utf8))") == [3])
  }

  @Test func namesAreQuoted() throws {
    let column = "a \"b"
    let database = try Database.inMemory()
    try database.write { connection throws in
      try connection.execute("CREATE TABLE \(identifier: "my table")(\(identifier: column) TEXT)")
      try connection.execute(
        "INSERT INTO \(identifier: "my table")(\(identifier: column)) VALUES (\(column))")
      #expect(try connection.value(String.self, "SELECT * FROM [my table]") == column)
    }
    #expect(
      try ids("SELECT id FROM \(Track.self) WHERE \(\Track.name) = \("Zoo")") == [3])
    #expect(
      try Track.store().read { try $0.fetchCount(Track.all.filter("\(identifier: "id") > 3")) } == 2
    )
    let error = #expect(throws: FetchError.self) {
      try ids("SELECT id FROM track ORDER BY \(\Track.initial)")
    }
    #expect(error?.code == .computedProperty)
  }

  @Test func sqlIsComposedOfSQLAndOfTextThatIsNamedVerbatim() throws {
    let condition: SQL = "id > \(2)"
    let order = "id DESC"
    #expect(
      try ids(
        "SELECT id FROM track WHERE \(condition) AND id < \(5) ORDER BY \(SQL(verbatim: order))")
        == [4, 3])
    #expect(try ids(SQL(verbatim: "SELECT id FROM track WHERE id = ?", [2])) == [2])
    let database = try Track.store()
    #expect(
      try database.read { try $0.value(Int.self, "SELECT id FROM track WHERE id = ?", [2]) } == 2)
    let error = #expect(throws: DatabaseError.self) {
      try database.read { try $0.value(Int.self, "SELECT \(1) + ?", [2]) }
    }
    #expect(error?.code == .invalidArguments)
  }

  @Test(arguments: ["%", "_", "\\", "a%", "%a", "\\%", "a_b", "'", "é", ""])
  func aPatternHasNoSpecialCharacters(_ text: String) throws {
    let names = [
      "%", "_", "\\", "a%", "xa%x", "ab", "a_b", "axb", "A_B!", "it's", "\\%", "é", "éa",
    ]
    let database = try Database.inMemory()
    let rows = try database.write { connection throws in
      try connection.execute(
        "CREATE TABLE track(id INTEGER PRIMARY KEY, name, genre, milliseconds)")
      for name in names {
        try connection.execute("INSERT INTO track VALUES (NULL, \(name), NULL, 0)")
      }
      return (
        try connection.fetchAll(Track.all.filter(.contains(\.name, text))).map(\.name),
        try connection.fetchAll(Track.all.filter(.hasPrefix(\.name, text))).map(\.name),
        try connection.fetchAll(Track.all.filter("\(\.name) LIKE \(contains: text)")).count,
        try connection.rows("SELECT 1 FROM track WHERE name LIKE \(contains: text)").count,
        try connection.rows("SELECT 1 FROM track WHERE name LIKE \(hasPrefix: text)").count
      )
    }
    // String's own containment looks at characters, and finds nothing in the empty string.
    let folded = Array(text.lowercased().unicodeScalars)
    let contained = names.filter { name in
      let name = Array(name.lowercased().unicodeScalars)
      return (0...max(0, name.count - folded.count)).contains {
        name.dropFirst($0).starts(with: folded)
      }
    }
    let begun = names.filter { $0.lowercased().unicodeScalars.starts(with: folded) }
    #expect(rows.0 == contained)
    #expect(rows.1 == begun)
    #expect(rows.2 == contained.count)
    #expect(rows.3 == contained.count)
    #expect(rows.4 == begun.count)
  }
}
