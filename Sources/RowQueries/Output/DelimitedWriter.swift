package import SQLiteStorage

/// CSV and TSV: a header line, then a line for each row. With sections the first column is
/// `section` and contains the section's key.
///
/// Both: lines end in LF, as Unix tools expect (RFC 4180 has CRLF); blobs are base64; infinity is
/// `Inf` and `-Inf`, as in SQLite's shell; duplicate column names stay as they are.
///
/// - CSV quotes by RFC 4180: fields with a comma, a quote, CR or LF. NULL is an empty field and the
///   empty string is `""`, so that the two differ; but if there is only one column, NULL is `""` too:
///   readers skip an empty line.
/// - TSV never quotes. Tab, LF, CR and backslash are `\t`, `\n`, `\r` and `\\`. NULL and the empty
///   string are both an empty field.
package final class DelimitedWriter: ResultWriter {
  package enum Dialect {
    case csv, tsv
  }

  private let dialect: Dialect
  private let separator: UInt8
  private let output: OutputBuffer
  private var columnCount = 0
  /// The key of the current section; nil if the result has no sections.
  private var section: Value?

  package init(_ dialect: Dialect, to output: OutputBuffer) {
    self.dialect = dialect
    separator = UInt8(ascii: dialect == .csv ? "," : "\t")
    self.output = output
  }

  package func begin(
    columns: [String], isSectioned: Bool, indexTitles: [String]?, hasTotals: Bool
  ) {
    columnCount = columns.count
    section = isSectioned ? .null : nil
    for (index, name) in (isSectioned ? ["section"] + columns : columns).enumerated() {
      if index > 0 { output.append(separator) }
      append(name)
    }
    output.append("\n")
  }

  package func beginSection(_ header: SectionHeader) {
    if section != nil { section = header.section }
  }

  package func row(_ values: [Value]) throws(OutputError) {
    precondition(values.count == columnCount, "A row has as many values as there are columns.")
    var isFirst = true
    if let section {
      try append(section)
      isFirst = false
    }
    for value in values {
      if !isFirst { output.append(separator) }
      isFirst = false
      try append(value)
    }
    if isLineOfNull(values) { append(String()) }
    output.append("\n")
    try output.flushIfNeeded()
  }

  package func endSection() {}

  /// Writes rows only: nothing would distinguish a total from a row.
  package func end(totals: [PrintedTotal]) throws(OutputError) {
    try output.flush()
  }
}

// MARK: - Fields

extension DelimitedWriter {
  /// Whether the line of a row would be empty, although it is not that of an empty text.
  private func isLineOfNull(_ values: [Value]) -> Bool {
    guard section == nil, values.count == 1 else { return false }
    return switch values[0] {
    case .null: true
    case .real(let real): real.isNaN
    case .integer, .text, .blob: false
    }
  }

  private func append(_ value: Value) throws(OutputError) {
    switch value {
    case .null: break
    case .integer(let integer): output.append(integer)
    case .real(let real): append(real)
    case .text(let text): append(text)
    case .blob(let bytes): try append(bytes)
    }
  }

  private func append(_ real: Double) {
    if real.isFinite {
      output.append(real)
    } else if !real.isNaN {
      // SQLite has no NaN; it stores NULL.
      output.append(real < 0 ? "-Inf" : "Inf")
    }
  }

  private func append(_ blob: [UInt8]) throws(OutputError) {
    // An empty blob is not NULL: in CSV its text is quoted.
    guard !blob.isEmpty else { return append(String()) }
    try output.append(base64: blob)
  }

  private func append(_ text: String) {
    switch dialect {
    case .csv: text.withUTF8Bytes(appendQuotedIfNeeded)
    case .tsv: text.withUTF8Bytes(appendEscaped)
    }
  }

  private func appendQuotedIfNeeded(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.isEmpty || bytes.contains(where: needsQuotes) else {
      output.append(bytes: bytes[...])
      return
    }
    let quote = UInt8(ascii: "\"")
    output.append(quote)
    var plain = bytes.startIndex
    for index in bytes.indices where bytes[index] == quote {
      // Up to and including the quote. The next piece starts with the quote again, which doubles
      // it.
      output.append(bytes: bytes[plain...index])
      plain = index
    }
    output.append(bytes: bytes[plain...])
    output.append(quote)
  }

  private func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>) {
    var plain = bytes.startIndex
    for index in bytes.indices {
      let escape: StaticString
      switch bytes[index] {
      case UInt8(ascii: "\t"): escape = "\\t"
      case UInt8(ascii: "\n"): escape = "\\n"
      case UInt8(ascii: "\r"): escape = "\\r"
      case UInt8(ascii: "\\"): escape = "\\\\"
      default: continue
      }
      output.append(bytes: bytes[plain..<index])
      output.append(escape)
      plain = index + 1
    }
    output.append(bytes: bytes[plain...])
  }
}

private func needsQuotes(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
  default: false
  }
}
