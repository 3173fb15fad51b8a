import TableDataTesting
import Testing

import SQLiteStorage

@testable import FetchedResults
@testable import LiveQueries

@Suite struct TreeRandomTests {
  /// What the tree claims to understand is not refused, and SQLite combines the operators as the
  /// tree does.
  @Test func treesOfRandomSelectsMeanWhatTheSQLMeans() throws {
    let seed = fuzzSeed()
    var random = RandomSelect(seed: seed)
    let store = try TestStore()
    try store.run(RandomSelect.schema)
    var counts = (prepared: 0, compared: 0, failing: 0)
    for number in 0..<SeededGenerator.scaled(1_500) {
      let sql = random.next()
      guard store.failure(preparing: sql) == nil else { continue }
      counts.prepared += 1
      let tree: SelectTree
      do {
        tree = try TreeParser.parse(sql)
      } catch {
        Issue.record("seed \(seed), case \(number): \(error.reason): \(sql)")
        continue
      }
      if let failure = store.failure(preparing: tree.sql) {
        // SQLite permits fewer parentheses than the text needs.
        guard failure != "parser stack overflow" else { continue }
        Issue.record("seed \(seed), case \(number): \(failure)\n\(sql)\n\(tree.sql)")
        continue
      }
      // Errors such as an integer overflow appear when rows are read.
      guard let expected = try? store.rows(sql) else {
        counts.failing += 1
        continue
      }
      counts.compared += 1
      let rows = try? store.rows(tree.sql)
      if sorted(rows ?? []) != sorted(expected) {
        Issue.record("seed \(seed), case \(number): rows differ\n\(sql)\n\(tree.sql)")
      }
    }
    log("trees: seed \(seed), \(counts)")
    #expect(counts.compared > 0)
  }

  /// A SELECT with resolved names has the same rows, or is refused with a reason.
  @Test func resolvedNamesMeanWhatTheSQLMeans() throws {
    let seed = fuzzSeed()
    var random = RandomSelect(seed: seed)
    let store = try TestStore()
    try store.run(RandomSelect.schema)
    let schema = try SelectSchema(store)
    var counts = (compared: 0, refused: 0, failing: 0)
    var reasons: [String: Int] = [:]
    for number in 0..<SeededGenerator.scaled(1_500) {
      let sql = random.next()
      guard store.failure(preparing: sql) == nil else { continue }
      let resolved: NameResolver.Resolved
      do {
        var resolver = NameResolver(schema)
        resolved = try resolver.resolve(try TreeParser.parse(sql))
      } catch {
        counts.refused += 1
        let reason = error.reason.split(separator: " ").filter {
          !$0.contains { "0123456789\"".contains($0) }
        }
        if reasons[reason.joined(separator: " ")] == nil {
          log("refused: \(error.reason): \(sql)")
        }
        reasons[reason.joined(separator: " "), default: 0] += 1
        continue
      }
      #expect(
        try store.columnNames(sql).map { $0.replacing("\n", with: "") } == resolved.names
          || sql.contains("*"), "\(sql)")
      if let failure = store.failure(preparing: resolved.tree.sql) {
        guard failure != "parser stack overflow" else { continue }
        Issue.record("seed \(seed), case \(number): \(failure)\n\(sql)\n\(resolved.tree.sql)")
        continue
      }
      guard let expected = try? store.rows(sql) else {
        counts.failing += 1
        continue
      }
      counts.compared += 1
      let rows = try? store.rows(resolved.tree.sql)
      if sorted(rows ?? []) != sorted(expected) {
        Issue.record("seed \(seed), case \(number): rows differ\n\(sql)\n\(resolved.tree.sql)")
      }
    }
    log("names: seed \(seed), \(counts), \(reasons)")
    #expect(counts.compared > 0)
  }

  @Test func mutatedSQLIsParsedOrRefused() throws {
    let seed = fuzzSeed()
    var random = RandomSelect(seed: seed)
    let store = try TestStore()
    try store.run(RandomSelect.schema)
    var reasons: [String: Int] = [:]
    var counts = (all: 0, prepared: 0, refused: 0)
    for number in 0..<SeededGenerator.scaled(3_000) {
      let sql = mutated(random.next(), &random.numbers)
      counts.all += 1
      let isPrepared = store.failure(preparing: sql) == nil
      let result = Result { () throws(SelectRefusal) in try TreeParser.parse(sql) }
      // SQLite reads no further than the first statement, or a zero.
      guard isPrepared, !sql.contains(";"), !sql.contains("\0") else { continue }
      counts.prepared += 1
      switch result {
      case .success(let tree):
        // SQLite permits fewer parentheses than the text needs.
        if store.failure(preparing: tree.sql) == "parser stack overflow" { continue }
        let expected = try? store.rows(sql)
        if let expected, sorted((try? store.rows(tree.sql)) ?? []) != sorted(expected) {
          // A name without a table may be another column of the same value: only rows count.
          Issue.record("seed \(seed), case \(number): rows differ\n\(sql)\n\(tree.sql)")
        }
      case .failure(let refusal):
        counts.refused += 1
        reasons[refusal.reason, default: 0] += 1
        log("refused: \(refusal.reason): \(sql)")
      }
    }
    log("mutations: seed \(seed), \(counts), \(reasons)")
    #expect(counts.prepared > 0 && counts.refused < counts.prepared, "\(counts)")
  }

  private func mutated(_ sql: String, _ numbers: inout SeededGenerator) -> String {
    var pieces = SQLLexer(sql).map { SQLLexer(sql).text($0) }
    for _ in 0..<Int(numbers.small(2)) where !pieces.isEmpty {
      let index = Int.random(in: pieces.indices, using: &numbers)
      let other = Int.random(in: pieces.indices, using: &numbers)
      switch numbers.small(6) {
      case 1: pieces.remove(at: index)
      case 2: pieces.insert(pieces[index], at: other)
      case 3: pieces.swapAt(index, other)
      case 4: pieces[index] = pieces[other]
      case 5:
        let words = [
          "NOT", "(", ")", "key", "AND", "cast", "'", "\"", "/*", "--", "WINDOW", "OVER", "filter",
          "left", ",", "IS", "END", "with", ".", "1_0", "0x", "\u{0}", "é", ";", "ESCAPE", "[",
        ]
        pieces.insert(" \(words[Int(numbers.small(Int64(words.count))) - 1]) ", at: index)
      default:
        var bytes = Array(pieces[index].utf8)
        bytes[0] = UInt8.random(in: 1...255, using: &numbers)
        pieces[index] = String(decoding: bytes, as: UTF8.self)
      }
    }
    return pieces.joined()
  }

  private func sorted(_ rows: [TestStore.Row]) -> [String] { rows.map { "\($0)" }.sorted() }
}
