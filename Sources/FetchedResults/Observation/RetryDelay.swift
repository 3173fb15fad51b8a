internal import SQLiteStorage

/// The back-off after failed attempts to reach the newest version. Each delay is twice the previous
/// one, up to eight seconds.
struct RetryDelay {
  /// The number of consecutive attempts with an error that may end without a commit.
  private var failureCount = 0

  /// The delay after one more attempt.
  ///
  /// - Parameter errors: all errors of the attempt; empty if it succeeded.
  /// - Returns: nil if no error may end without a commit.
  mutating func next(after errors: [any Error]) -> Duration? {
    guard errors.contains(where: RetryDelay.mayPass) else {
      failureCount = 0
      return nil
    }
    defer { failureCount += 1 }
    return RetryDelay.first * (1 << min(failureCount, 5))
  }

  /// Whether the error may end without a commit, as a lack of memory, descriptors or permissions
  /// may.
  private static func mayPass(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError, error.code == .sqlite else { return false }
    // An SQL error stays until the schema changes.
    return !(.error ~= error.resultCode)
  }

  private static var first: Duration { .milliseconds(250) }
}
