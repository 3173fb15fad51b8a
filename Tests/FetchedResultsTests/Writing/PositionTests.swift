import FetchedResults
import SQLiteStorage
import TableDataTesting
import Testing

@Suite struct PositionTests {
  @Test func thereIsOneBetweenAnyTwo() throws {
    let pairs: [(String?, String?, String)] = [
      (nil, nil, "n0"), ("n0", nil, "n1"), ("nz", nil, "o00"), ("ozz", nil, "p000"),
      (nil, "n0", "mz"), (nil, "m0", "lzz"), (nil, "n05", "n0"), ("mz", nil, "n0"),
      ("n0", "n1", "n0i"), ("n0", "n01", "n00i"), ("n0i", "n1", "n0r"), ("n0z", "n1", "n0zi"),
      ("n0", "n2", "n1"), ("n0", "n1i", "n1"), ("n0x", "n0y5", "n0y"), ("nz", "o00", "nzi"),
      ("zzzzzzzzzzzzzz", nil, "zzzzzzzzzzzzzzi"), (nil, "a0000000000001", "a0000000000000i"),
      (nil, "a0000000000000i", "a00000000000009"),
    ]
    for (lower, upper, expected) in pairs {
      let between = Position.between(
        lower.flatMap(Position.init), upper.flatMap(Position.init))
      #expect(between.rawValue == expected)
    }
    #expect(Position.first.rawValue == "n0")
  }

  @Test(arguments: [
    "", "0", "5", "n", "N0", "n0 ", "n00", "n0i0", "o0", "n0I", "n0é", "m", "z00", "0|hzzzzz:",
    "a0000000000000",
  ])
  func whatIsNoPositionIsRefused(text: String) {
    #expect(Position(rawValue: text) == nil)
  }

  @Test(arguments: SeededGenerator.seeds(5))
  func randomInsertsKeepTheOrder(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var positions: [Position] = []
    for _ in 0..<2_000 {
      let place = Int.random(in: 0...positions.count, using: &generator)
      let position = Position.between(
        place > 0 ? positions[place - 1] : nil,
        place < positions.count ? positions[place] : nil)
      #expect(Position(rawValue: position.rawValue) == position)
      positions.insert(position, at: place)
    }
    #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 < $1 })
    // Where rows come anywhere, positions hardly grow.
    #expect(positions.map(\.rawValue.count).max() ?? 0 < 16)
  }

  @Test(arguments: SeededGenerator.seeds(5))
  func positionsAtOneSpotGrowByOneInFive(seed: UInt64) throws {
    // The worst there is: always the half that is left, on a side that chance picks.
    var generator = SeededGenerator(seed: seed)
    var (lower, upper) = (Position.between(nil, nil), Position.between(.first, nil))
    for count in 1...1_000 {
      let middle = Position.between(lower, upper)
      #expect(middle.rawValue.count <= count / 5 + 4)
      if Bool.random(using: &generator) { lower = middle } else { upper = middle }
    }
  }

  @Test func atTheEndsTheyHardlyGrow() {
    #expect(Position.series(100_000).last?.rawValue.count == 5)
    #expect(Position.series(100_000, and: .first).first?.rawValue.count == 5)
  }

  @Test(arguments: [0, 1, 2, 3, 10, 1_000])
  func aSeriesIsAscendingAndWithinItsBounds(count: Int) throws {
    let bounds: [(Position?, Position?)] = [
      (nil, nil), (.first, nil), (nil, .first), (.first, .between(.first, nil)),
      (.first, Position(rawValue: "n01")), (Position(rawValue: "a0000000000001"), .first),
    ]
    for (lower, upper) in bounds {
      let series = Position.series(count, between: lower, and: upper)
      #expect(series.count == count)
      let all = [lower].compactMap(\.self) + series + [upper].compactMap(\.self)
      #expect(zip(all, all.dropFirst()).allSatisfy { $0 < $1 })
      #expect(all.allSatisfy { $0.rawValue.count <= 18 })
    }
    #expect(Position.series(-1).isEmpty)
  }

  @Test(
    arguments: ["BINARY", "NOCASE", "RTRIM"], ["TEXT", "INTEGER", "REAL", "NUMERIC", "BLOB", ""])
  func everyColumnKeepsAndSortsThem(collation: String, type: String) throws {
    let database = try Database.store(
      "CREATE TABLE t(position \(type) COLLATE \(collation))")
    let texts = ["lzz", "mz", "n0", "n00i", "n0e5", "n1", "nz", "o00", "p9e9", "q0000"]
    let positions = try texts.map { try #require(Position(rawValue: $0)) }
    try database.write { connection in
      for position in positions.reversed() {
        try connection.execute("INSERT INTO t VALUES (?)", [position.columnValue])
      }
    }
    let stored = try database.read { connection in
      try connection.rows("SELECT position FROM t ORDER BY position").map { $0.values[0] }
    }
    #expect(stored == texts.map { .text($0) })
  }

  #if os(macOS) || os(Linux)
    @Test func betweenTwoInTheWrongOrderIsAMistakeInTheProgram() async {
      await #expect(processExitsWith: .failure) { _ = Position.between(.first, .first) }
    }
  #endif
}
