/// Lines on standard output about the work done.
///
/// If a line cannot be written, the work goes on, and ``end()`` throws.
struct Report {
  private let output = OutputBuffer.standardOutput()

  /// Writes a line immediately.
  func line(_ text: String) {
    // It may contain names from an untrusted file.
    output.append(text: text.visiblyEscaped)
    output.append("\n")
    // Bytes that could not be written stay in the buffer.
    try? output.flush()
  }

  /// Makes sure that all lines are written.
  func end() throws(OutputError) { try output.flush() }
}
