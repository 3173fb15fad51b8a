internal import SQLiteStorage

/// How long to wait after a try to reach the newest version that failed. Each further delay is twice
/// as long, up to eight seconds.
struct RetryDelay {
  /// How many tries in a row have failed by what may pass.
  private var failureCount = 0

  /// The delay after one more try.
  ///
  /// - Parameter errors: all that went wrong in it; none after a try that succeeded.
  /// - Returns: nil where only a commit can mend it.
  mutating func next(after errors: [any Error]) -> Duration? {
    guard errors.contains(where: RetryDelay.mayPass) else {
      failureCount = 0
      return nil
    }
    defer { failureCount += 1 }
    return RetryDelay.first * (1 << min(failureCount, 5))
  }

  /// Whether it may go away without a commit, as a lack of memory, of descriptors or of rights does.
  private static func mayPass(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError, error.code == .sqlite else { return false }
    // That of SQL stays until somebody changes the schema.
    return !(.error ~= error.resultCode)
  }

  private static var first: Duration { .milliseconds(250) }
}
