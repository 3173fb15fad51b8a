import FetchedResults
import Testing

struct SortTermTests {
  @Test func namesAreComparedAsSQLiteDoes() {
    #expect(Collation(name: "binary") == .binary)
    #expect(Collation(name: "NoCase") == .nocase)
    #expect(Collation(name: "RTRIM") == .rtrim)
    #expect(Collation(name: "klingon") == .custom("klingon"))
    // A dotless i is no ASCII letter.
    #expect(Collation(name: "bınary") == .custom("bınary"))
  }

  @Test func aNameLeadsBackToItsCollation() {
    for collation in [Collation.binary, .nocase, .rtrim, .custom("x")] {
      #expect(Collation(name: collation.name) == collation)
    }
  }
}
