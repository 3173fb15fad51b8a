import FetchedResults
import RowQueries
import SQLiteStorage

/// What a change log has to print: the changes up to a version, or only a gap before it.
struct LogBatch: Sendable {
  /// Counted from 1.
  let number: Int
  /// When it was seen, in UTC.
  let time: String
  let gap: ChangeGap?
  /// Nil if only the gap is known.
  let changes: DatabaseChanges?

  var schemaChanges: [SchemaChange] { changes?.schemaChanges ?? [] }
}

/// An output for a change log.
///
/// The calls are made one after the other by the task that follows the file.
protocol LogOutput: Sendable {
  /// The log has begun.
  ///
  /// - Parameters:
  ///   - tables: the tables whose rows are told.
  ///   - omitted: the virtual tables, whose rows are not.
  func begin(tables: [String], omitted: [String], time: String) async throws

  /// Prints a batch, completely or not at all: after an error it is called again with the same batch, or with more.
  ///
  /// - Returns: whether there was anything to print of it.
  func write(_ batch: LogBatch) async throws -> Bool
}

/// The columns to print.
struct LoggedColumns: Sendable {
  /// Nil for all.
  private let names: Set<ExactText>?

  init(_ names: [String]) {
    self.names = names.isEmpty ? nil : Set(names.map(\.sqliteFolded))
  }

  func contains(_ name: String) -> Bool { names?.contains(name.sqliteFolded) ?? true }

  /// The columns of a change that have another value; empty if it is not printed.
  func changed(in change: TableRowChange) -> [String] {
    change.changedColumns.filter(contains)
  }
}

// MARK: - For programs

/// Writes batches as lines of JSON.
actor EventLogOutput: LogOutput {
  private let output = OutputBuffer.standardOutput()
  private let writer: LogEventWriter

  init(_ columns: LoggedColumns) { writer = LogEventWriter(columns) }

  func begin(tables: [String], omitted: [String], time: String) async throws {
    output.append(bytes: writer.beginning(omitted: omitted, time: time))
    try output.flush()
  }

  func write(_ batch: LogBatch) async throws -> Bool {
    guard let line = try writer.line(of: batch) else { return false }
    output.append(bytes: line)
    try output.flush()
    return true
  }
}

/// Makes the line of JSON of a batch.
final class LogEventWriter {
  private let columns: LoggedColumns
  /// The templates of the rows that were written last, by their names.
  private var templates: [[ExactText]: JSONObjectTemplate] = [:]

  init(_ columns: LoggedColumns) { self.columns = columns }

  func beginning(omitted: [String], time: String) -> [UInt8] {
    let line = OutputBuffer()
    line.object {
      line.member("batch", 0)
      line.member("time", time)
      if !omitted.isEmpty { line.member("omitted", omitted) }
    }
    line.append("\n")
    return line.bytes
  }

  /// The line of a batch; nil if there is nothing to print of it.
  func line(of batch: LogBatch) throws -> [UInt8]? {
    let line = OutputBuffer()
    var isEmpty = batch.gap?.isBridged != false && batch.schemaChanges.isEmpty
    try line.object {
      line.member("batch", batch.number)
      line.member("time", batch.time)
      line.member("commits")
      line.append(text: batch.changes?.commitCount.map(String.init) ?? "null")
      if let gap = batch.gap {
        line.member("gap")
        line.object {
          line.member("reason", gap.reason)
          line.member("bridged", gap.isBridged)
        }
      }
      if let omitted = batch.changes?.omittedTables, !omitted.isEmpty {
        line.member("omitted", omitted)
      }
      if !batch.schemaChanges.isEmpty {
        line.member("schema")
        line.append(array: batch.schemaChanges) { append($0, to: line) }
      }
      line.member("changes")
      line.append("[")
      var isFirst = true
      try batch.changes?.forEachRow { change in
        try Interruption.check()
        guard !columns.changed(in: change).isEmpty else { return }
        isEmpty = false
        if !isFirst { line.append(",") }
        isFirst = false
        try append(change, to: line)
      }
      line.append("]")
    }
    line.append("\n")
    return isEmpty ? nil : line.bytes
  }

  private func append(_ change: SchemaChange, to line: OutputBuffer) {
    line.object {
      line.member("op", change.kind.rawValue)
      line.member("type", change.object.rawValue)
      line.member("name", change.name)
      if let old = change.oldName { line.member("old_name", old) }
      line.member("old_sql", change.oldSQL)
      line.member("sql", change.newSQL)
    }
  }

  private func append(_ change: TableRowChange, to line: OutputBuffer) throws {
    try line.object {
      line.member("table", change.table)
      line.member("op", change.kind.rawValue)
      line.member("key")
      try append(change.key, to: line)
      if let old = change.old {
        line.member("old")
        try append(old, isFiltered: true, to: line)
      }
      if let new = change.new {
        line.member("new")
        try append(new, isFiltered: true, to: line)
      }
    }
  }

  private func append(
    _ row: Row, isFiltered: Bool = false, to line: OutputBuffer
  ) throws {
    let all = row.columnNames.names
    let positions = all.indices.filter { !isFiltered || columns.contains(all[$0]) }
    let names = positions.map { all[$0] }
    let template = templates[names.exact] ?? JSONObjectTemplate(columns: names)
    templates[names.exact] = template
    try template.append(positions.map { row.values[$0] }, to: line)
  }
}

// MARK: - For people

/// Writes a line for each changed row. Those of a long batch are written before all are read, so they may be written again
/// after an error.
actor ListLogOutput: LogOutput {
  private let output = OutputBuffer.standardOutput()
  private let columns: LoggedColumns
  private let style: StyleOptions
  /// The reason for which versions were compared last; nil if they were not.
  private var reason: String?

  init(_ columns: LoggedColumns, style: StyleOptions) {
    self.columns = columns
    self.style = style
  }

  func begin(tables: [String], omitted: [String], time: String) async throws {
    if Terminal.standardOutput.isTerminal {
      let names = tables.count > 5 ? "\(tables.count) tables" : tables.joined(separator: ", ")
      line("", [StyledText("following \(names) until Ctrl-C", .dim)])
    }
    if !omitted.isEmpty {
      let names = omitted.joined(separator: ", ")
      line("!", [StyledText("left out, since virtual: \(names)", .dim)])
    }
    try output.flush()
  }

  func write(_ batch: LogBatch) async throws -> Bool {
    let former = reason
    do {
      return try lines(of: batch)
    } catch let error as DatabaseError {
      reason = former
      _ = output.take()
      throw error
    }
  }

  /// - Returns: whether there are any.
  private func lines(of batch: LogBatch) throws -> Bool {
    var hasHeader = false
    func header() {
      if hasHeader { return }
      hasHeader = true
      let count = batch.changes?.commitCount ?? 1
      let commits = count == 1 ? "" : " · \(count) commits"
      line("", [StyledText("\(batch.number) · \(batch.time)\(commits)", .dim)])
      guard let gap = batch.gap else { return }
      defer { reason = gap.reason }
      // Of a file that is not in WAL mode, every batch has the same gap.
      if gap.isBridged, gap.reason == reason { return }
      let text =
        gap.isBridged
        ? "\(gap.reason), so both versions were compared"
        : "gap: \(gap.reason): what has changed is not known"
      line("!", [StyledText(text)])
    }
    if batch.gap?.isBridged == false { header() }
    for change in batch.schemaChanges {
      header()
      let old = change.oldName.map { "\($0) → " } ?? ""
      line(
        "#", [StyledText("\(change.kind.rawValue) \(change.object.rawValue) \(old)\(change.name)")])
    }
    try batch.changes?.forEachRow { change in
      try Interruption.check()
      let changed = columns.changed(in: change)
      guard !changed.isEmpty else { return }
      header()
      write(change, changed)
      try output.flushIfNeeded()
    }
    try output.flush()
    return hasHeader
  }

  private func write(_ change: TableRowChange, _ changed: [String]) {
    let key = change.key.values.flatMap { [StyledText(" "), cell($0)] }
    var texts = [StyledText(change.table, .bold)] + key + [StyledText(": ", .dim)]
    for (number, name) in changed.enumerated() {
      if number > 0 { texts.append(StyledText(" · ", .dim)) }
      texts.append(StyledText("\(name) ", .dim))
      let (old, new) = (cell(change.oldValue(of: name)), cell(change.newValue(of: name)))
      switch change.kind {
      case .update: texts += [old, StyledText(" → ", .dim), new]
      case .insert: texts.append(new)
      case .delete: texts.append(old)
      }
    }
    let sign = change.kind == .insert ? "+" : change.kind == .delete ? "-" : "="
    line(sign, texts)
  }

  private func line(_ sign: String, _ texts: [StyledText]) {
    let lines = LineWriter(output: output, options: style.terminalOptions)
    lines.writeLine((sign.isEmpty ? [] : [StyledText(sign + " ", .bold)]) + texts)
  }

  private func cell(_ value: Value) -> StyledText { DisplayCell(value).styled }
}
