import Dispatch

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Tells on a terminal that work is going on, once it has taken a second.
enum ProgressIndicator {
  /// Runs `body`, which must not print; what is shown meanwhile is gone afterwards.
  static func show<Result>(
    _ label: String, isQuiet: Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    guard !isQuiet, isatty(STDERR_FILENO) == 1 else { return try body() }
    let queue = DispatchQueue(label: "sections.progress")
    let timer = DispatchSource.makeTimerSource(queue: queue)
    let start = DispatchTime.now()
    timer.schedule(deadline: start + .seconds(1), repeating: .seconds(1))
    timer.setEventHandler {
      let seconds = (DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1_000_000_000
      Failure.standardError("\r\(label) \(seconds) s\u{1B}[K")
    }
    timer.resume()
    defer {
      // On its queue, so that nothing is shown after it is wiped.
      queue.sync { timer.cancel() }
      if DispatchTime.now() >= start + .seconds(1) { Failure.standardError("\r\u{1B}[K") }
    }
    return try body()
  }
}
