import FetchedResults
import SQLiteStorage
import Testing

struct RowIdentityTests {
  @Test func identitiesAreEqualWhereSQLiteCallsTheirValuesEqual() {
    #expect(RowIdentity(.real(1)) == 1)
    #expect(RowIdentity(.real(1)).hashValue == RowIdentity(1).hashValue)
    #expect(RowIdentity(.real(1.5)) != 1)
    #expect(RowIdentity("1") != 1)
    #expect(RowIdentity(.blob([0x31])) != "1")
    #expect(RowIdentity("é") != "e\u{301}")
    #expect(RowIdentity([1, 2]) != RowIdentity([2, 1]))
    #expect(RowIdentity([1]) == 1)
    #expect(RowIdentity(.real(0x1p53)) != RowIdentity(.integer((1 << 53) + 1)))
  }

  @Test func valuesAreThoseOfTheKeyInOrder() {
    let values: [Value] = ["a\0b", .blob([1]), 3, .real(1.5), .null]
    #expect(RowIdentity(values).values == values)
    #expect(RowIdentity(.real(2)).values == [2])
  }

  @Test func itsBytesMakeItAgain() throws {
    for identity in [
      7, "x", RowIdentity(["a\0b", .blob([1]), 3, .real(1.5), .null]), RowIdentity([]),
    ] as [RowIdentity] { #expect(RowIdentity(bytes: identity.bytes) == identity) }
    #expect(RowIdentity(bytes: [9]) == nil)
    #expect(RowIdentity(bytes: [1, 0, 0]) == nil)
    // Text that is not valid UTF-8 is read with U+FFFD in its values, but not in its bytes.
    let database = try Database.store(
      """
      CREATE TABLE t(k TEXT PRIMARY KEY);
      INSERT INTO t VALUES (CAST(x'ff' AS TEXT)), (CAST(x'fe' AS TEXT));
      """)
    let provider = try FetchedResultsProvider(
      database: database, request: FetchRequest(table: "t"), sectionedBy: \Row["k"])
    try provider.performFetch()
    let identities = try ([[0, 0], [1, 0]] as [IndexPath]).map { try provider.identity(at: $0) }
    #expect(identities[0].values == identities[1].values)
    #expect(identities.map { RowIdentity(bytes: $0.bytes) } == identities)
  }

  @Test func theDescriptionShowsTheValues() {
    #expect(
      "\(RowIdentity(["a", 1, .real(1.5), .blob([1, 2]), .null]))"
        == "\"a\", 1, 1.5, a blob of 2 bytes, NULL")
    #expect("\(RowIdentity(.text(String(repeating: "x", count: 500))))".count < 80)
  }
}
