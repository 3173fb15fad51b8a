import SQLiteStorage

/// One array of sections. `[]` if there are none.
///
/// The white space is part of the format: a line for each section's head, a line for each row, no
/// white space inside a line. So a changed row is one changed line of a diff.
///
/// ```json
/// [
/// {"section":"Jazz","title":"Jazz","indexTitle":"J","count":2,"rows":[
/// {"id":1,"name":"So What"},
/// {"id":2,"name":"Naima"}
/// ]},
/// {"section":"Rock","title":"Rock","indexTitle":"R","count":1,"rows":[
/// {"id":3,"name":"Angie"}
/// ]}
/// ]
/// ```
final class JSONWriter: ResultWriter {
  private let output: OutputBuffer
  private var template = JSONObjectTemplate(columns: [])
  private var hasSections = false
  private var hasRows = false

  init(to output: OutputBuffer) {
    self.output = output
  }

  func begin(columns: [String], isSectioned: Bool, indexTitles: [String]?) {
    template = JSONObjectTemplate(columns: columns)
    output.append("[")
  }

  func beginSection(_ header: SectionHeader) throws(OutputError) {
    output.append(hasSections ? ",\n" : "\n")
    hasSections = true
    hasRows = false
    output.append("{\"section\":")
    try output.append(json: header.section)
    output.append(",\"title\":")
    output.append(json: header.title)
    output.append(",\"indexTitle\":")
    output.append(json: header.indexTitle)
    output.append(",\"count\":")
    output.append(Int64(header.count))
    output.append(",\"rows\":[")
  }

  func row(_ values: [Value]) throws(OutputError) {
    output.append(hasRows ? ",\n" : "\n")
    hasRows = true
    try template.append(values, to: output)
    try output.flushIfNeeded()
  }

  func endSection() throws(OutputError) {
    output.append(hasRows ? "\n]}" : "]}")
    try output.flushIfNeeded()
  }

  func end() throws(OutputError) {
    output.append(hasSections ? "\n]\n" : "]\n")
    try output.flush()
  }
}
