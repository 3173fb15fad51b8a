/// Lines about what was done, on standard output.
///
/// A line that cannot be written does not stop the work that it is about: ``end()`` throws.
struct Report {
  private let output = OutputBuffer.standardOutput()

  /// Writes a line, at once.
  func line(_ text: String) {
    // Names of an unknown file may be in it.
    output.append(text: text.visiblyEscaped)
    output.append("\n")
    // What was not written stays in the buffer.
    try? output.flush()
  }

  /// Makes sure that all lines are written.
  func end() throws(OutputError) { try output.flush() }
}
