import Testing

/// Waits until something is true, without keeping a processor busy. If the test is cancelled because it takes too long,
/// the issue names the place that waits.
func wait(
  isolation: isolated (any Actor)? = #isolation, sourceLocation: SourceLocation = #_sourceLocation,
  until isTrue: () throws -> Bool
) async throws {
  while try !isTrue() {
    do {
      try await Task.sleep(for: .milliseconds(1))
    } catch {
      Issue.record("this did not become true", sourceLocation: sourceLocation)
      throw error
    }
  }
}
