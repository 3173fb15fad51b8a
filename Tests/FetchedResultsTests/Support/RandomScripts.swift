import SQLiteStorage
import TableDataTesting

/// What the aggregates of a random test are computed from.
enum RandomAmounts: CaseIterable {
  case integers, reals, anything, large

  /// A literal in SQL.
  func next(using generator: inout SeededGenerator) -> String {
    let number = Int.random(in: -9...9, using: &generator)
    let others: [String] =
      switch self {
      case .integers: ["NULL"]
      case .reals: ["NULL", "\(Double(number) / 4)", "\(number).0"]
      case .anything: ["NULL", "\(number).0", "'\(number)'", "'\(number) x'", "'x'", "x'3132'"]
      case .large: ["\(Int64.max)", "\(Int64.min)", "\(1 << 53)", "\(1 << 60)"]
      }
    let isOther = Int.random(in: 0..<4, using: &generator) == 0
    return isOther ? others.randomElement(using: &generator) ?? "" : "\(number)"
  }
}

/// Random transactions, by the list's own database and by another one of the same file.
struct RandomScripts {
  let database: Database
  private let other: Database
  /// The greatest number of statements in a transaction; a few statements are usual.
  private let longest: Int
  /// The last transaction.
  private(set) var log = ""

  init(_ database: Database, longest: Int) throws {
    self.database = database
    self.longest = longest
    other = try Database(path: database.path)
  }

  mutating func write(
    round: Int, using generator: inout SeededGenerator,
    _ statement: (inout SeededGenerator) -> String
  ) throws {
    let count = Int.random(in: 0..<8, using: &generator) == 0 ? longest : 4
    let script = (0..<Int.random(in: 1...count, using: &generator))
      .map { _ in statement(&generator) + ";" }.joined(separator: "\n")
    let isForeign = Bool.random(using: &generator)
    log = "round \(round), \(isForeign ? "by another" : "own"):\n\(script)"
    try (isForeign ? other : database).run(script)
  }
}
