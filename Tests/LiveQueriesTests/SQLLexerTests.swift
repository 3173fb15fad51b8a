import TableDataTesting
import Testing

import SQLiteStorage

@testable import FetchedResults

@Suite struct SQLLexerTests {
  private func kinds(_ sql: String) -> [SQLToken.Kind] {
    SQLLexer(sql).filter { !$0.isBlank }.map(\.kind)
  }

  @Test(arguments: [
    "1", "1.", ".5", "1.5e-3", "1E+5", "0x1F", "1e5", "007", "9999999999999999999", "1_000",
    "1.5e1_0",
  ])
  func numbersAreOneToken(sql: String) { #expect(kinds(sql) == [.number]) }

  @Test(arguments: [
    "?", "?12", ":a", "@a", "$a", "$a::b", "$a::b(c)", "$::a(x;y)", ":a1_$",
  ])
  func parametersAreOneToken(sql: String) { #expect(kinds(sql) == [.parameter]) }

  @Test(arguments: [
    "->", "->>", "||", "|", "<<", ">>", "<>", "==", "!=", "<=", ">=", "&", "~", "%",
  ])
  func operatorsAreOneToken(sql: String) { #expect(kinds(sql) == [.symbol]) }

  @Test(arguments: [
    "'", "'a''", "\"a", "`", "[a", "!", "^", "1a", "0x", "1e", "x'6'", "x'zz'", "\\",
    "$a(b", "$", "#", "\u{0}", "\u{B}",
  ])
  func whatSQLiteDoesNotAcceptIsIllegal(sql: String) {
    #expect(kinds(sql).contains(.illegal))
  }

  @Test func commentsEndWhereSQLiteEndsThem() {
    #expect(kinds("/* a */1") == [.number])
    #expect(kinds("/*/ 1") == [])
    #expect(kinds("/*/ */1") == [.number])
    #expect(kinds("/*") == [.symbol, .symbol])
    #expect(kinds("-- a\n1") == [.number])
    #expect(kinds("--") == [])
    #expect(kinds("1/**/2") == [.number, .number])
    #expect(kinds("\u{FEFF}1") == [.number])
  }

  @Test func quotesAndNamesAreOneToken() {
    #expect(kinds("'it''s'") == [.string])
    #expect(kinds("\"a\"\"b\" `a``b` [a[b]") == [.quotedName, .quotedName, .quotedName])
    #expect(kinds("x'6162' X'' x xé") == [.blob, .blob, .word, .word])
  }

  /// SQLite names the first text that it does not accept.
  @Test func randomTextHasTheTokensThatSQLiteReads() throws {
    let seed = fuzzSeed()
    var numbers = SeededGenerator(seed: seed)
    let store = try TestStore()
    let pieces = [
      "'", "\"", "`", "[", "]", "a", "x", "X'", "1", "0x", "e", ".", "5", "_", "$", ":", "@", "?",
      "(",
      ")", " ", "\n", "\u{B}", "-", "--", "/", "*", "/*", "*/", "<", ">", "=", "!", "|", "&", "~",
      "#",
      "é", "\u{FEFF}", ";", "+", "%", "^", "\\", ",", "SELECT", "1e5", "\u{C}", "NULL",
    ]
    var counts = (accepted: 0, illegal: 0)
    for number in 0..<SeededGenerator.scaled(20_000) {
      let isTerm = numbers.chance(50)
      var sql = isTerm ? "SELECT " : ""
      for _ in 0..<Int(numbers.small(8)) {
        sql += pieces[Int.random(in: pieces.indices, using: &numbers)]
      }
      let lexer = SQLLexer(sql)
      let tokens = Array(lexer)
      #expect(tokens.map { lexer.text($0) }.joined() == sql, "seed \(seed), case \(number)")
      #expect(
        zip(tokens, tokens.dropFirst()).allSatisfy { $0.range.upperBound == $1.range.lowerBound })
      // What follows a semicolon is another statement, and 1_000 is a number since SQLite 3.46.
      guard !sql.contains(";"), !sql.contains("_") else { continue }
      let illegal = tokens.first { $0.kind == .illegal }.map { lexer.text($0) }
      guard let failure = store.failure(preparing: sql) else {
        counts.accepted += 1
        #expect(illegal == nil, "seed \(seed), case \(number): \(sql)")
        continue
      }
      guard failure.hasPrefix("unrecognized token: ") else { continue }
      counts.illegal += 1
      #expect(
        failure == "unrecognized token: \"\(illegal ?? "")\"",
        "seed \(seed), case \(number): \(sql)")
    }
    log("tokens: seed \(seed), \(counts)")
  }
}
