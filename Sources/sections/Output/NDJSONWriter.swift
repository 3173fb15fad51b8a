import SQLiteStorage

/// One JSON object for each row, on one line: `{"section":V,"row":{…}}`, with a null section if the
/// result has none.
final class NDJSONWriter: ResultWriter {
  private let output: OutputBuffer
  private var template = JSONObjectTemplate(columns: [])
  /// The start of every row of the section.
  private var prefix: [UInt8] = []

  init(to output: OutputBuffer) {
    self.output = output
  }

  func begin(columns: [String], isSectioned: Bool, indexTitles: [String]?) {
    template = JSONObjectTemplate(columns: columns)
  }

  func beginSection(_ header: SectionHeader) throws(OutputError) {
    let start = OutputBuffer()
    start.append("{\"section\":")
    try start.append(json: header.section)
    start.append(",\"row\":")
    prefix = start.bytes
  }

  func row(_ values: [Value]) throws(OutputError) {
    output.append(bytes: prefix)
    try template.append(values, to: output)
    output.append("}\n")
    try output.flushIfNeeded()
  }

  func endSection() {}

  func end() throws(OutputError) {
    try output.flush()
  }
}
