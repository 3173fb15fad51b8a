import SQLiteStorage

/// Something that happens once, and that a task waits for.
struct OneShotGate: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func open() { continuation.finish() }

  /// Returns when the gate is open. For one waiter only.
  func wait() async {
    for await _ in stream {}
  }
}

extension OneShotGate {
  /// A function that opens the gate when a statement calls it, and returns its argument.
  var function: ScalarFunction {
    ScalarFunction("opening", argumentCount: 1) { values in
      open()
      return values[0]
    }
  }

  /// A query that opens the gate and then runs for ever.
  static let endlessQuery = """
    WITH RECURSIVE n(i) AS (SELECT opening(1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n
    """
}
