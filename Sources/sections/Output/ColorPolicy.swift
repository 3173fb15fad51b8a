/// The values of `--color`.
enum ColorPolicy: String, CaseIterable, Sendable {
  case auto, always, never

  /// Whether a format for terminals uses escape sequences.
  ///
  /// The first of these that is set decides: `always` and `never`; `NO_COLOR`
  /// (<https://no-color.org>); `CLICOLOR_FORCE` and `CLICOLOR` (<https://bixense.com/clicolors>);
  /// `TERM=dumb`; whether the output is a terminal. An empty variable is not set.
  func usesColor(environment: [String: String], isTerminal: Bool) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    func variable(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    if variable("NO_COLOR") != nil { return false }
    if let force = variable("CLICOLOR_FORCE"), force != "0" { return true }
    if variable("CLICOLOR") == "0" || variable("TERM") == "dumb" { return false }
    return isTerminal
  }
}
