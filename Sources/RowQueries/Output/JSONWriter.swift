package import SQLiteStorage

/// One array of sections. `[]` if there are none. With totals, an object with that array and the
/// totals of all rows: `{"sections":[…],"totals":{…}}`.
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
package final class JSONWriter: ResultWriter {
  private let output: OutputBuffer
  private var template = JSONObjectTemplate(columns: [])
  private var hasSections = false
  private var hasRows = false
  private var hasTotals = false

  package init(to output: OutputBuffer) {
    self.output = output
  }

  package func begin(
    columns: [String], isSectioned: Bool, indexTitles: [String]?, hasTotals: Bool
  ) {
    template = JSONObjectTemplate(columns: columns)
    self.hasTotals = hasTotals
    output.append(hasTotals ? "{\"sections\":[" : "[")
  }

  package func beginSection(_ header: SectionHeader) throws(OutputError) {
    output.append(hasSections ? ",\n" : "\n")
    hasSections = true
    hasRows = false
    output.beginObject()
    try output.append(membersOf: header, hasTotals: hasTotals, value: output.append(json:))
    output.append(",\"rows\":[")
  }

  package func row(_ values: [Value]) throws(OutputError) {
    output.append(hasRows ? ",\n" : "\n")
    hasRows = true
    try template.append(values, to: output)
    try output.flushIfNeeded()
  }

  package func endSection() throws(OutputError) {
    output.append(hasRows ? "\n]}" : "]}")
    try output.flushIfNeeded()
  }

  package func end(totals: [PrintedTotal]) throws(OutputError) {
    output.append(hasSections ? "\n]" : "]")
    if hasTotals {
      output.append(",\"totals\":")
      try output.append(json: totals)
      output.append("}")
    }
    output.append("\n")
    try output.flush()
  }
}

/// One JSON object for each row, on one line: `{"section":V,"row":{…}}`, with a null section if the
/// result has none. With totals, a line `{"section":V,"totals":{…}}` after the rows of each section, and
/// `{"totals":{…}}` at the end.
package final class NDJSONWriter: ResultWriter {
  private let output: OutputBuffer
  private var template = JSONObjectTemplate(columns: [])
  /// The start of every row of the section.
  private var prefix: [UInt8] = []
  private var header = SectionHeader.unsectioned(count: 0)

  package init(to output: OutputBuffer) {
    self.output = output
  }

  package func begin(
    columns: [String], isSectioned: Bool, indexTitles: [String]?, hasTotals: Bool
  ) {
    template = JSONObjectTemplate(columns: columns)
  }

  package func beginSection(_ header: SectionHeader) throws(OutputError) {
    let start = OutputBuffer()
    start.append("{\"section\":")
    try start.append(json: header.section)
    start.append(",\"row\":")
    prefix = start.bytes
    self.header = header
  }

  package func row(_ values: [Value]) throws(OutputError) {
    output.append(bytes: prefix)
    try template.append(values, to: output)
    output.append("}\n")
    try output.flushIfNeeded()
  }

  package func endSection() throws(OutputError) {
    guard !header.totals.isEmpty else { return }
    output.append("{\"section\":")
    try output.append(json: header.section)
    output.append(",\"totals\":")
    try output.append(json: header.totals)
    output.append("}\n")
  }

  package func end(totals: [PrintedTotal]) throws(OutputError) {
    if !totals.isEmpty {
      output.append("{\"totals\":")
      try output.append(json: totals)
      output.append("}\n")
    }
    try output.flush()
  }
}
