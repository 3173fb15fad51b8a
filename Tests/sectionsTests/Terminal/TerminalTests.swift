import Testing

@testable import sections

@Suite struct TerminalTests {
  private func lineWidth(
    requested: Int? = nil, truncates: Bool = true, isTerminal: Bool = true, measured: Int? = 132,
    columns: String? = nil
  ) -> Int? {
    Terminal(isTerminal: isTerminal, measuredWidth: measured).lineWidth(
      requested: requested, truncates: truncates,
      environment: columns.map { ["COLUMNS": $0] } ?? [:])
  }

  @Test func aTerminalHasTheWidthItReports() {
    #expect(lineWidth(columns: "100") == 132)
  }

  @Test func aTerminalThatReportsNoWidthHasThatOfTheVariableOrEighty() {
    #expect(lineWidth(measured: nil, columns: "100") == 100)
    #expect(lineWidth(measured: nil) == 80)
    #expect(lineWidth(measured: nil, columns: "wide") == 80)
    #expect(lineWidth(measured: nil, columns: "0") == 80)
  }

  @Test func aPipeHasNoWidth() {
    #expect(lineWidth(isTerminal: false, measured: nil, columns: "100") == nil)
  }

  @Test func theOptionWins() {
    #expect(lineWidth(requested: 40) == 40)
    #expect(lineWidth(requested: 40, isTerminal: false, measured: nil) == 40)
  }

  @Test func noTruncateWinsOverAll() {
    #expect(lineWidth(requested: 40, truncates: false) == nil)
  }

  @Test func aDescriptorThatIsNoTerminalHasNoWidth() {
    let terminal = Terminal(fileDescriptor: -1)
    #expect(terminal == Terminal(isTerminal: false, measuredWidth: nil))
  }
}
