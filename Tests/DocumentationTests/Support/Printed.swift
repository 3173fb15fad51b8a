import Synchronization

/// What a sample has printed.
private final class Transcript: Sendable {
  @TaskLocal static var current: Transcript?

  let lines = Mutex<[String]>([])
}

/// Takes the place of the standard function, so that a test sees what a sample prints.
///
/// It has the same parameters: of two functions that have, that of the own module is taken.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
  let line = items.map { "\($0)" }.joined(separator: separator)
  Transcript.current?.lines.withLock { $0.append(line) }
}

/// The lines that a sample prints.
func printed(_ sample: () throws -> Void) rethrows -> [String] {
  let transcript = Transcript()
  try Transcript.$current.withValue(transcript) { try sample() }
  return transcript.lines.withLock { $0 }
}

/// The lines that a sample prints.
func printed(
  isolation: isolated (any Actor)? = #isolation, _ sample: () async throws -> Void
) async rethrows -> [String] {
  let transcript = Transcript()
  try await Transcript.$current.withValue(transcript) { try await sample() }
  return transcript.lines.withLock { $0 }
}
