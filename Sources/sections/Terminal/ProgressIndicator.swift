import Dispatch

/// Shows on a terminal that work continues, if it takes longer than a second.
struct ProgressIndicator {
  private let timer: (any DispatchSourceTimer)?
  private let queue = DispatchQueue(label: "sections.progress")
  private let start = DispatchTime.now()

  /// Starts the indicator. Nothing else may be printed before its end.
  init(_ label: String, isQuiet: Bool) {
    // A dumb terminal could not erase it.
    guard !isQuiet, Console.isTerminal, Terminal.environment["TERM"] != "dumb" else {
      timer = nil
      return
    }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    self.timer = timer
    timer.schedule(deadline: start + .seconds(1), repeating: .seconds(1))
    let start = start
    timer.setEventHandler {
      let seconds = (DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1_000_000_000
      Console.write("\r\(label) \(seconds) s\u{1B}[K")
    }
    timer.resume()
  }

  /// Ends the indicator and erases it; further calls do nothing.
  func end() {
    guard let timer, !timer.isCancelled else { return }
    // On its queue, so that nothing is shown after it is erased.
    queue.sync { timer.cancel() }
    if DispatchTime.now() >= start + .seconds(1) { Console.write("\r\u{1B}[K") }
  }

  /// Runs `body`, which must not print.
  static func show<Result>(
    _ label: String, isQuiet: Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    let indicator = ProgressIndicator(label, isQuiet: isQuiet)
    defer { indicator.end() }
    return try body()
  }
}
