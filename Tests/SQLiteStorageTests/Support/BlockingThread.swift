import Dispatch

/// A thread that may block, unlike those on which tests run.
enum BlockingThread {
  static func run<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "blocking").async {
        continuation.resume(with: Swift.Result { try body() })
      }
    }
  }
}
