import FetchedResults
import SQLiteStorage
import TableData

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Writes what differs between two results for people: a line for each change.
///
/// `-` is gone, `+` is new, `>` has moved and `=` has other values; cells that differ show both.
/// Lines come in the order of the changes: sections, then deletes, inserts, moves and updates.
struct DifferenceWriter {
  private let lines: LineWriter
  private let old: SnapshotReader<Row>
  private let new: SnapshotReader<Row>

  init(
    to output: OutputBuffer, options: TerminalOptions, from old: FetchedSnapshot<Row>,
    to new: FetchedSnapshot<Row>
  ) {
    lines = LineWriter(output: output, options: options)
    self.old = SnapshotReader(old)
    self.new = SnapshotReader(new)
  }

  /// Writes the changes, and nothing where there are none.
  func write(_ changes: TableChanges) throws {
    for section in changes.deletedSections { try line("-", sectionCount(section, in: old)) }
    for section in changes.insertedSections { try line("+", sectionCount(section, in: new)) }
    for place in changes.deletedRows {
      try line("-", section(of: place, in: old) + cells(of: try old.record(at: place)))
    }
    for place in changes.insertedRows {
      try line("+", section(of: place, in: new) + cells(of: try new.record(at: place)))
    }
    for move in changes.movedRows { try change(">", from: move.from, to: move.to) }
    for update in changes.updatedRows { try change("=", from: update.old, to: update.new) }
    try lines.output.flush()
  }

  private func change(_ sign: String, from oldPlace: IndexPath, to newPlace: IndexPath) throws {
    let oldTitle = title(oldPlace.section, in: old)
    let newTitle = title(newPlace.section, in: new)
    var texts: [StyledText] = []
    if let oldTitle, let newTitle {
      if oldTitle != newTitle { texts += [oldTitle, StyledText(" → ", .dim)] }
      texts += [newTitle, StyledText(": ", .dim)]
    }
    let oldRow = try old.record(at: oldPlace)
    let newRow = try new.record(at: newPlace)
    for (index, value) in newRow.values.enumerated() {
      if index > 0 { texts.append(StyledText(" · ", .dim)) }
      if oldRow.values[index] != value {
        texts += [cell(oldRow.values[index]), StyledText(" → ", .dim)]
      }
      texts.append(cell(value))
    }
    try line(sign, texts)
  }

  private func line(_ sign: String, _ texts: [StyledText]) throws {
    try Interruption.check()
    lines.writeLine([StyledText(sign + " ", .bold)] + texts)
    try lines.output.flushIfNeeded()
  }

  private func sectionCount(_ section: Int, in reader: SnapshotReader<Row>) -> [StyledText] {
    let count = reader.section(at: section).numberOfRows
    return (title(section, in: reader).map { [$0] } ?? []) + [StyledText(" (\(count))", .dim)]
  }

  private func section(of place: IndexPath, in reader: SnapshotReader<Row>) -> [StyledText] {
    title(place.section, in: reader).map { [$0, StyledText(": ", .dim)] } ?? []
  }

  /// The title of a section; nil in a result that is not divided.
  private func title(_ section: Int, in reader: SnapshotReader<Row>) -> StyledText? {
    guard let key = reader.sectionKey(at: section) else { return nil }
    let header = SectionHeader(
      section: key, title: reader.section(at: section).name, indexTitle: nil, count: 0)
    let title = header.displayTitle
    return StyledText(title.text, title.kind == .placeholder ? .dim : .bold)
  }

  private func cells(of row: Row) -> [StyledText] {
    row.values.enumerated().flatMap { index, value in
      (index > 0 ? [StyledText(" · ", .dim)] : []) + [cell(value)]
    }
  }

  private func cell(_ value: Value) -> StyledText { DisplayCell.value(value).content.styled }
}
