import SQLiteStorage
import Testing

@testable import FetchedResults

struct KeyTupleTests {
  @Test func valuesAreReadAsTheyWereStored() {
    let values: [Value] = [
      .null, 1, .integer(.min), .real(1.5), .real(.infinity), "", "a\0b", "é", .blob([]),
      .blob([1, 2]),
    ]
    #expect(KeyTuple(values).values == values)
    #expect(KeyTuple([]).values == [])
  }

  @Test func aWholeRealIsTheIntegerItEquals() {
    #expect(KeyTuple([.real(1)]) == KeyTuple([1]))
    #expect(KeyTuple([.real(-0.0)]) == KeyTuple([0]))
    #expect(KeyTuple([.real(-0x1p63)]) == KeyTuple([.integer(.min)]))
    #expect(KeyTuple([.real(0x1p63)]) != KeyTuple([.integer(.max)]))
    #expect(KeyTuple([.real(0x1p53)]) != KeyTuple([.integer((1 << 53) + 1)]))
  }

  @Test func classesAndBordersAreKeptApart() {
    #expect(KeyTuple(["1"]) != KeyTuple([1]))
    #expect(KeyTuple([.blob([0x31])]) != KeyTuple(["1"]))
    #expect(KeyTuple(["ab", "c"]) != KeyTuple(["a", "bc"]))
    #expect(KeyTuple([.null, .null]) != KeyTuple([.null]))
    #expect(KeyTuple(["é"]) != KeyTuple(["e\u{301}"]))
  }

  @Test func aNullIsFoundAnywhere() {
    #expect(KeyTuple([1, .null]).hasNull)
    #expect(!KeyTuple([1, "", .blob([0])]).hasNull)
    #expect(!KeyTuple([]).hasNull)
  }

  @Test func textThatIsNotValidUTF8StaysItself() throws {
    let store = try Database.store("")
    try store.read { connection in
      var tuples: Set<KeyTuple> = []
      try connection.query(
        """
        SELECT CAST(x'FF' AS TEXT) UNION ALL SELECT CAST(x'FE' AS TEXT)
        UNION ALL SELECT char(65533)
        """
      ) { tuples.insert(KeyTuple(packing: $0, columns: 0..<1)) }
      #expect(tuples.count == 3)
    }
  }
}
