import SQLiteStorage

/// One JSON object a row and a line: `{"section":V,"row":{…}}`, with a null section when the
/// result has none.
final class NDJSONWriter: ResultWriter {
  private let output: OutputBuffer
  private var template = JSONObjectTemplate(columns: [])
  /// What every row of the section starts with.
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
