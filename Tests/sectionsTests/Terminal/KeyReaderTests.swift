import Testing

@testable import sections

@Suite struct KeyReaderTests {
  private func keys(_ pieces: String...) -> [Key] {
    var reader = KeyReader()
    return pieces.flatMap { reader.keys(in: Array($0.utf8)) }
  }

  @Test func keysAreRecognisedByTheirSequences() {
    #expect(keys("\u{1B}[A\u{1B}[B\u{1B}OA\u{1B}OB") == [.up, .down, .up, .down])
    #expect(keys("\u{1B}[5~\u{1B}[6~\u{1B}[Z") == [.pageUp, .pageDown, .backTab])
    #expect(
      keys("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~\u{1B}OH") == [.home, .end, .home, .end, .home])
    #expect(keys("\r\n\t\u{7F}\u{8}") == [.enter, .enter, .tab, .backspace, .backspace])
  }

  @Test func textIsReadCharacterByCharacter() {
    #expect(keys("aé終😀") == [.character("a"), .character("é"), .character("終"), .character("😀")])
    #expect(keys("q ") == [.character("q"), .character(" ")])
  }

  @Test func keysInPiecesArePutTogether() {
    var reader = KeyReader()
    var all: [Key] = []
    for byte in "終\u{1B}".utf8.dropLast() { all += reader.keys(in: [byte]) }
    #expect(all == [.character("終")])
    #expect(reader.keys(in: [0x1B, 0x5B]) == [])
    #expect(reader.keys(in: Array("5".utf8)) == [])
    #expect(reader.keys(in: Array("~x".utf8)) == [.pageUp, .character("x")])
  }

  @Test func anEscapeAloneIsAKey() {
    #expect(keys("\u{1B}") == [.escape])
    #expect(keys("\u{1B}\u{1B}[A") == [.escape, .up])
    #expect(keys("\u{1B}x") == [.escape, .character("x")])
  }

  @Test func whatMeansNothingIsPassedOver() {
    #expect(keys("\u{1B}[C\u{1B}[3~\u{1B}[1;2A") == [])
    #expect(
      keys("\u{1B}[99~a\u{1B}[?1;2ca\u{1}b") == [.character("a"), .character("a"), .character("b")])
    var reader = KeyReader()
    #expect(reader.keys(in: [0xFF, 0x80, 0x61]) == [.character("a")])
    // Half a sequence must not swallow what is typed for ever.
    let junk = Array("\u{1B}[".utf8) + Array(repeating: UInt8(ascii: "1"), count: 40)
    #expect(reader.keys(in: junk) == [])
    #expect(reader.keys(in: Array("b".utf8)) == [.character("b")])
  }
}
