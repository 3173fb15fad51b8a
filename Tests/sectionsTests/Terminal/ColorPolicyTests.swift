import Testing

@testable import sections

@Suite struct ColorPolicyTests {
  private func usesColor(
    _ policy: ColorPolicy = .auto, _ environment: [String: String] = ["TERM": "xterm"],
    isTerminal: Bool = true
  ) -> Bool {
    policy.usesColor(environment: environment, isTerminal: isTerminal)
  }

  @Test func autoFollowsTheTerminal() {
    #expect(usesColor())
    #expect(!usesColor(isTerminal: false))
    #expect(usesColor(.auto, ["TERM": "xterm-256color", "CLICOLOR": "1"]))
    #expect(!usesColor(.auto, ["CLICOLOR": "1"], isTerminal: false))
  }

  @Test func theFlagBeatsEveryVariable() {
    let against = ["NO_COLOR": "1", "CLICOLOR": "0", "TERM": "dumb"]
    #expect(usesColor(.always, against, isTerminal: false))
    #expect(!usesColor(.never, ["CLICOLOR_FORCE": "1"]))
  }

  @Test func noColorBeatsForce() {
    #expect(!usesColor(.auto, ["NO_COLOR": "1", "CLICOLOR_FORCE": "1"]))
    #expect(!usesColor(.auto, ["NO_COLOR": "0"]))
  }

  @Test func forceBeatsCliColorAndADumbTerminalAndAPipe() {
    let environment = ["CLICOLOR_FORCE": "1", "CLICOLOR": "0", "TERM": "dumb"]
    #expect(usesColor(.auto, environment, isTerminal: false))
    #expect(!usesColor(.auto, ["CLICOLOR_FORCE": "0"], isTerminal: false))
  }

  @Test func cliColorZeroAndADumbTerminalTurnItOff() {
    #expect(!usesColor(.auto, ["CLICOLOR": "0"]))
    #expect(!usesColor(.auto, ["TERM": "dumb"]))
    #expect(!usesColor(.auto, [:]))
    #expect(!usesColor(.auto, ["TERM": ""]))
    #expect(usesColor(.auto, ["CLICOLOR_FORCE": "1"]))
    #expect(!usesColor(.auto, ["TERM": "dumb", "CLICOLOR": "1"]))
  }

  @Test func anEmptyVariableSaysNothing() {
    #expect(usesColor(.auto, ["NO_COLOR": "", "CLICOLOR": "", "TERM": "xterm"]))
    #expect(!usesColor(.auto, ["CLICOLOR_FORCE": ""], isTerminal: false))
  }
}
