import FetchedResults
import RowQueries
import SQLiteStorage
import SectionedData

/// Writes the changes of a result as JSON, one event a line. The caller flushes the output.
///
/// All keys of an event are always present, with empty arrays if nothing happened. Deletes, `from`
/// and `at` are index paths of the old version; inserts and `to` are index paths of the new one.
///
/// With old rows, each row that is deleted, moved or updated comes with its values in the old version,
/// so that the events are a feed of what was changed. The order of the changes within a transaction
/// is not known.
///
/// With several lists an event has the name of its list.
///
/// Sections with a new header are in `update`, with their new numbers, which is absent if there are none: the
/// first row has another spelling of the value, as `A` for `a`. With totals, sections and events with all
/// rows carry `totals`, `update` is always there and has the sections with new ones too, and changes
/// have the totals of all rows if they are new.
final class EventWriter {
  private let output: OutputBuffer
  private let query: RowQuery
  private let list: String?
  private let writesOldRows: Bool
  private var columns: [String] = []
  private var template = JSONObjectTemplate(columns: [])

  /// - Parameters:
  ///   - list: the name of the list; nil if it is the only one.
  ///   - writesOldRows: whether changes have the rows of the old version too.
  init(
    _ query: RowQuery, to output: OutputBuffer, list: String? = nil, writesOldRows: Bool = false
  ) {
    self.query = query
    self.output = output
    self.list = list
    self.writesOldRows = writesOldRows
  }

  /// Writes all rows of a version: a snapshot if it is the first, number 0, or else a reset.
  ///
  /// After an error nothing of the event has been written. The snapshot of the only list may be written in
  /// part: it is written while it is read.
  func write(_ snapshot: FetchedSnapshot<Row>, version: Int) throws {
    let isFirst = version == 0
    let line = isFirst && list == nil ? output : OutputBuffer()
    try line.object {
      line.member("event", isFirst ? "snapshot" : "reset")
      writeVersion(version, to: line)
      line.member("sections")
      try line.append(array: 0..<snapshot.numberOfSections) { section in
        try write(section: section, of: snapshot, to: line)
      }
      try writeTotals(snapshot.totals.values, to: line)
    }
    line.append("\n")
    if line !== output { output.append(bytes: line.bytes) }
  }

  private func writeVersion(_ version: Int, to line: OutputBuffer) {
    if let list { line.member("list", list) }
    line.member("version", version)
  }

  private func write(
    section number: Int, of snapshot: FetchedSnapshot<Row>, to line: OutputBuffer
  ) throws {
    let section = query.header(of: number, in: snapshot)
    try line.object {
      try line.append(
        membersOf: section, hasTotals: !query.totals.isEmpty, value: line.append(json:))
      line.member("rows")
      try line.append(array: 0..<section.count) { row in
        try Interruption.check()
        try write(try snapshot.object(at: IndexPath(row: row, section: number)), to: line)
        try line.flushIfNeeded()
      }
    }
  }

  /// Writes the changes from a version to the next.
  ///
  /// After an error nothing of the line has been written.
  func write(
    _ changes: TableChanges, from old: FetchedSnapshot<Row>, to snapshot: FetchedSnapshot<Row>,
    version: Int
  ) throws {
    // Completed in memory first: reading a row may fail, and half a line must not be written.
    let line = OutputBuffer()
    try line.object {
      line.member("event", "changes")
      writeVersion(version, to: line)
      line.member("sections")
      try line.object { try write(sectionsOf: changes, snapshot, to: line) }
      line.member("rows")
      try line.object {
        try write(rowsOf: changes, from: writesOldRows ? old : nil, to: snapshot, line)
      }
      if changes.updatesTotals { try writeTotals(snapshot.totals.values, to: line) }
    }
    line.append("\n")
    output.append(bytes: line.bytes)
  }

  private func write(
    sectionsOf changes: TableChanges, _ snapshot: FetchedSnapshot<Row>, to line: OutputBuffer
  ) throws {
    line.member("delete")
    line.append(array: changes.deletedSections) { line.append(Int64($0)) }
    line.member("insert")
    try line.append(array: changes.insertedSections) { section in
      try write(headerOf: section, of: snapshot, to: line)
    }
    guard !query.totals.isEmpty || !changes.updatedSections.isEmpty else { return }
    line.member("update")
    try line.append(array: changes.updatedSections) { section in
      try write(headerOf: section.new, of: snapshot, to: line)
    }
  }

  private func write(
    rowsOf changes: TableChanges, from old: FetchedSnapshot<Row>?, to new: FetchedSnapshot<Row>,
    _ line: OutputBuffer
  ) throws {
    line.member("delete")
    try line.append(array: changes.deletedRows) { place in
      guard old != nil else { return line.append(place: place) }
      try line.object {
        line.member("at", place)
        try write(oldRowAt: place, of: old, to: line)
      }
    }
    line.member("insert")
    try line.append(array: changes.insertedRows) { place in
      try line.object { try write(rowAt: place, of: new, to: line) }
    }
    line.member("move")
    try line.append(array: changes.movedRows) { move in
      try line.object {
        line.member("from", move.from)
        try write(rowAt: move.to, of: new, to: line)
        try write(oldRowAt: move.from, of: old, to: line)
      }
    }
    line.member("update")
    try line.append(array: changes.updatedRows) { update in
      try line.object {
        line.member("at", update.old)
        try write(rowAt: update.new, of: new, to: line)
        try write(oldRowAt: update.old, of: old, to: line)
      }
    }
  }

  private func write(
    headerOf section: Int, of snapshot: FetchedSnapshot<Row>, to line: OutputBuffer
  ) throws {
    let header = SectionHeader(of: section, in: snapshot)
    try line.object {
      line.member("at", section)
      line.member("section")
      try line.append(json: header.section)
      line.member("title", header.title)
      try writeTotals(snapshot.totals(at: section).values, to: line)
    }
  }

  private func writeTotals(_ values: [Value], to line: OutputBuffer) throws {
    guard !query.totals.isEmpty else { return }
    line.member("totals")
    try line.append(json: query.printed(values))
  }

  private func write(
    rowAt place: IndexPath, of snapshot: FetchedSnapshot<Row>, to line: OutputBuffer
  ) throws {
    line.member("to", place)
    line.member("row")
    try write(try snapshot.object(at: place), to: line)
  }

  /// Writes the row at a place of the old version; nothing if `snapshot` is nil.
  private func write(
    oldRowAt place: IndexPath, of snapshot: FetchedSnapshot<Row>?, to line: OutputBuffer
  ) throws {
    guard let snapshot else { return }
    line.member("old")
    try write(try snapshot.object(at: place), to: line)
  }

  private func write(_ row: Row, to line: OutputBuffer) throws {
    // The columns may change after a reset.
    let names = row.columnNames.names
    if names.exact != columns.exact {
      columns = names
      template = JSONObjectTemplate(columns: names)
    }
    try template.append(row.values, to: line)
  }
}

extension OutputBuffer {
  fileprivate func member(_ name: StaticString, _ place: IndexPath) {
    member(name)
    append(place: place)
  }

  /// Appends an index path as `[section,row]`.
  fileprivate func append(place: IndexPath) { append(array: place) { append(Int64($0)) } }
}
