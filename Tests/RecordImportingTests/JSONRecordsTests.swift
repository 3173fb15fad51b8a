import Foundation
import Testing

@testable import RecordImporting

/// What is JSON, where it is not, and what its values are.
@Suite struct JSONRecordsTests {
  private static let nextStep = "Correct the text there, and read it again"

  private func value(_ text: String) throws -> JSONValue {
    var scanner = JSONScanner(Array(text.utf8))
    let value = try scanner.value()
    try #require(scanner.next == nil)
    return value
  }

  @Test func recordsAreNumberedAndHaveTheirLine() throws {
    let records = try JSONRecords("\u{FEFF} [\n {\"a\": 1},\n\n {\"a\":\n 2} , 3 ]\r\n".utf8)
    #expect(records.map(\.number) == [1, 2, 3])
    #expect(records.map(\.line) == [2, 4, 5])
    #expect(
      records.map { String(decoding: $0.bytes, as: UTF8.self) } == [
        "{\"a\": 1}", "{\"a\":\n 2}", "3",
      ])
    #expect(try JSONRecords(" [ ] ".utf8).isEmpty)
  }

  @Test(
    arguments: [
      ("", "line 1, column 1: expected '[' at the start of an array of records but the text ends"),
      (
        "{}",
        "line 1, column 1: expected '[' at the start of an array of records but found '{'. "
          + "Put the objects into an array: one object per line (NDJSON) is not read"
      ),
      ("7", "line 1, column 1: expected '[' at the start of an array of records but found '7'"),
      ("[", "line 1, column 2: expected a value but the text ends"),
      ("[1", "line 1, column 3: expected ',' or ']' but the text ends"),
      ("[1,]", "line 1, column 4: expected a value but found ']'"),
      ("[1 2]", "line 1, column 4: expected ',' or ']' but found '2'"),
      ("[1]\n x", "line 2, column 2: expected the end of the text but found 'x'"),
      ("[{]", "line 1, column 3: expected a name in double quotes but found ']'"),
      ("[{\"a\" 1}]", "line 1, column 7: expected ':' but found '1'"),
      ("[{\"a\":1,}]", "line 1, column 9: expected a name in double quotes but found '}'"),
      ("[\n{\"a\":\n1\n]", "line 4, column 1: expected ',' or '}' but found ']'"),
      ("\u{FEFF}[\"é日😀\" 1]", "line 1, column 8: expected ',' or ']' but found '1'"),
      ("[01]", "line 1, column 3: expected ',' or ']' but found '1'"),
      ("[-]", "line 1, column 3: expected a digit but found ']'"),
      ("[1.]", "line 1, column 4: expected a digit but found ']'"),
      ("[1e+]", "line 1, column 5: expected a digit but found ']'"),
      ("[.5]", "line 1, column 2: expected a value but found '.'"),
      ("[NaN]", "line 1, column 2: expected a value but found 'N'"),
      ("[nul]", "line 1, column 2: expected null but found 'n'"),
      ("[True]", "line 1, column 2: expected a value but found 'T'"),
      ("['a']", "line 1, column 2: expected a value but found '''"),
      ("[\"a]", "line 1, column 5: expected '\"' at the end of a string but the text ends"),
      ("[\"\t\"]", "line 1, column 3: a control character in a string must be escaped"),
      (
        "[\"\\x\"]",
        "line 1, column 4: expected one of \" \\ / b f n r t u after a backslash but found 'x'"
      ),
      (
        "[\"\\u12g4\"]",
        "line 1, column 5: expected four hexadecimal digits after \\u but found '1'"
      ),
      ("[\"\\ud800\"]", "line 1, column 4: one half of a surrogate pair is missing"),
      ("[\"\\udc00\\ud800\"]", "line 1, column 4: one half of a surrogate pair is missing"),
      ("[\u{1}]", "line 1, column 2: expected a value but found the byte 0x1"),
    ] as [(String, String)])
  func whatIsNoArrayOfJSONIsRefusedWithItsPlace(_ text: String, _ message: String) {
    let error = #expect(throws: JSONSyntaxError.self) { try JSONRecords(text.utf8) }
    let hasNextStep = message.contains("NDJSON")
    let expected = hasNextStep ? message : "\(message). \(JSONRecordsTests.nextStep)"
    #expect(error?.description == expected)
  }

  @Test func textThatIsNotUTF8IsRefusedWithItsPlace() {
    let error = #expect(throws: JSONSyntaxError.self) {
      try JSONRecords(Array("[\"ab".utf8) + [0xFF] + Array("\"]".utf8))
    }
    #expect(error?.errorDescription == "line 1, column 3: the text here is not valid UTF-8")
    #expect(error?.recoverySuggestion == JSONRecordsTests.nextStep)
  }

  @Test func valuesAreReadAsTheyAreWritten() throws {
    #expect(try value("-0.10e+5") == .number("-0.10e+5"))
    #expect(try value("9223372036854775808") == .number("9223372036854775808"))
    #expect(try value("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"") == .string("\"\\/\u{8}\u{C}\n\r\t"))
    #expect(try value("\"\\u00e9 \\uD83D\\uDE00 終\"") == .string("é 😀 終"))
    #expect(
      try value("{\"a\": [true, false, null], \"a\": {}}")
        == .object([
          .init(name: "a", value: .array([.bool(true), .bool(false), .null])),
          .init(name: "a", value: .object([])),
        ]))
  }

  @Test func nestingIsLimited() throws {
    let limit = JSONScanner.depthLimit
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(try JSONRecords(nested(limit).utf8).count == 1)
    let error = #expect(throws: JSONSyntaxError.self) { try JSONRecords(nested(limit + 1).utf8) }
    #expect(error?.offset == limit)
  }

  /// Damaged at random, a text is JSON for both readers or for none.
  @Test func itAgreesWithFoundation() {
    let text = Array(
      "[{\"a\": -1.5e3, \"b\": [true, null, \"x\\u00e9\\n\"]}, {}, [0, 12], \"é\"]".utf8)
    let alphabet = Array("[]{}:,\"\\ue1-+.0tn \n".utf8)
    let seed = UInt64.random(in: 0 ... .max)
    var state = seed
    func random(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(count))
    }
    var refused = 0
    for _ in 0..<3_000 {
      var damaged = text
      for _ in 0...random(2) {
        let place = random(damaged.count)
        switch random(3) {
        case 0: damaged[place] = alphabet[random(alphabet.count)]
        case 1: damaged.insert(alphabet[random(alphabet.count)], at: place)
        default: damaged.remove(at: place)
        }
      }
      let damagedText = String(decoding: damaged, as: UTF8.self)
      // Foundation ignores a comma at the end of an array or object, and refuses numbers beyond Double.
      if damagedText.contains(/,\s*[\]}]/) { continue }
      let numbers = damagedText.matches(of: /[\d.]+e[+\-]?\d+/)
      if numbers.contains(where: { Double($0.output)?.isInfinite == true }) { continue }
      let isJSON = (try? JSONRecords(damaged)) != nil
      let foundation = try? JSONSerialization.jsonObject(with: Data(damaged))
      #expect(
        isJSON == (foundation is [Any]), "seed \(seed): \(damagedText)")
      if !isJSON { refused += 1 }
    }
    #expect(300..<2_900 ~= refused, "seed \(seed)")
  }
}
