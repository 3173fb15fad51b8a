import Testing

@testable import sections

@Suite struct DisplayWidthTests {
  @Test(
    arguments: [
      ("a", 1), ("é", 1), ("e\u{301}", 1), ("e\u{301}\u{302}\u{303}", 1),
      ("日", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2), ("\u{1112}\u{1161}\u{11AB}", 2),
      ("α", 1), ("…", 1), ("─", 1),
      ("😀", 2), ("👍🏽", 2), ("👩‍👩‍👧", 2), ("🏴‍☠️", 2), ("🇩🇪", 2),
      ("❤", 1), ("❤\u{FE0F}", 2), ("1", 1), ("1\u{FE0F}\u{20E3}", 2),
      ("क", 1), ("कि", 2), ("क्षि", 2), ("กำ", 2),
      ("\u{301}", 0), ("\u{200B}", 0),
    ] as [(String, Int)])
  func measuresAGraphemeCluster(_ cluster: String, _ width: Int) {
    #expect(cluster.map(\.displayWidth) == [width])
  }

  @Test func theTableAscendsFromTheFirstScalar() {
    let table = DisplayWidthTable.transitions
    #expect(table.first.map { $0 >> 4 } == 0)
    #expect(zip(table, table.dropFirst()).allSatisfy { $0 >> 4 < $1 >> 4 })
    #expect(zip(table, table.dropFirst()).allSatisfy { $0 & 0xF != $1 & 0xF })
    #expect(table.allSatisfy { $0 & 0xF <= 3 && $0 >> 4 <= 0x10FFFF })
  }
}
