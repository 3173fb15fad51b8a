import FetchedResults
import RowQueries
import SQLiteStorage
import SectionedData

/// Writes the differences between two results for people: a line for each change.
///
/// `-` is deleted, `+` inserted, `>` moved and `=` updated; cells that differ show both values.
/// Lines are in the order of the changes: sections, then deletes, inserts, moves and updates.
final class DifferenceWriter {
  private let query: RowQuery
  private let lines: LineWriter
  private let old: FetchedSnapshot<Row>
  private let new: FetchedSnapshot<Row>
  /// The titles of sections that were made, by version.
  private var titles: [ObjectIdentifier: [Int: StyledText]] = [:]

  init(
    _ query: RowQuery, to output: OutputBuffer, options: TerminalOptions,
    from old: FetchedSnapshot<Row>, to new: FetchedSnapshot<Row>
  ) {
    self.query = query
    lines = LineWriter(output: output, options: options)
    self.old = old
    self.new = new
  }

  /// Writes the changes; nothing if there are none.
  func write(_ changes: TableChanges) throws {
    for section in changes.deletedSections { try line("-", try sectionCount(section, in: old)) }
    for section in changes.insertedSections { try line("+", try sectionCount(section, in: new)) }
    for section in changes.updatedSections {
      let totals = change(old.totals(at: section.old).values, new.totals(at: section.new).values)
      let title = try titleChange(section.old, section.new)
      try line("=", title + (totals.isEmpty ? [] : [StyledText(": ", .dim)] + totals))
    }
    for place in changes.deletedRows {
      try line("-", try section(of: place, in: old) + cells(of: try old.object(at: place)))
    }
    for place in changes.insertedRows {
      try line("+", try section(of: place, in: new) + cells(of: try new.object(at: place)))
    }
    for move in changes.movedRows { try change(">", from: move.from, to: move.to) }
    for update in changes.updatedRows { try change("=", from: update.old, to: update.new) }
    if changes.updatesTotals {
      try line("=", [StyledText("Total: ", .bold)] + change(old.totals.values, new.totals.values))
    }
    try lines.output.flush()
  }

  /// The totals that differ, with both values.
  private func change(_ old: [Value], _ new: [Value]) -> [StyledText] {
    zip(query.totals, zip(old, new)).filter { $1.0 != $1.1 }.enumerated().flatMap { index, total in
      [
        StyledText((index > 0 ? " · " : "") + total.0 + ": ", .dim), cell(total.1.0),
        StyledText(" → ", .dim), cell(total.1.1),
      ]
    }
  }

  private func change(_ sign: String, from oldPlace: IndexPath, to newPlace: IndexPath) throws {
    var texts = try titleChange(oldPlace.section, newPlace.section)
    if !texts.isEmpty { texts.append(StyledText(": ", .dim)) }
    let oldValues = try old.object(at: oldPlace).values
    let newValues = try new.object(at: newPlace).values
    for (index, value) in newValues.enumerated() {
      if index > 0 { texts.append(StyledText(" · ", .dim)) }
      // A column that was added in between has no old value.
      if index < oldValues.count, oldValues[index] != value {
        texts += [cell(oldValues[index]), StyledText(" → ", .dim)]
      }
      texts.append(cell(value))
    }
    try line(sign, texts)
  }

  /// The title of a section of the new version, after that of the old one if it differs; empty in a result
  /// without sections.
  private func titleChange(_ oldSection: Int, _ newSection: Int) throws -> [StyledText] {
    guard let oldTitle = try title(oldSection, in: old),
      let newTitle = try title(newSection, in: new)
    else { return [] }
    return oldTitle == newTitle ? [newTitle] : [oldTitle, StyledText(" → ", .dim), newTitle]
  }

  private func line(_ sign: String, _ texts: [StyledText]) throws {
    try Interruption.check()
    lines.writeLine([StyledText(sign + " ", .bold)] + texts)
    try lines.output.flushIfNeeded()
  }

  private func sectionCount(
    _ section: Int, in snapshot: FetchedSnapshot<Row>
  ) throws -> [StyledText] {
    let count = snapshot.section(at: section).numberOfRows
    let title = try title(section, in: snapshot)
    return (title.map { [$0] } ?? []) + [StyledText(" (\(count))", .dim)]
  }

  private func section(
    of place: IndexPath, in snapshot: FetchedSnapshot<Row>
  ) throws -> [StyledText] {
    try title(place.section, in: snapshot).map { [$0, StyledText(": ", .dim)] } ?? []
  }

  /// The title of a section; nil in a result without sections.
  private func title(_ section: Int, in snapshot: FetchedSnapshot<Row>) throws -> StyledText? {
    guard snapshot.sectionKey(at: section) != nil else { return nil }
    if let title = titles[ObjectIdentifier(snapshot.databaseSnapshot)]?[section] { return title }
    let display = SectionHeader(of: section, in: snapshot).displayTitle
    let title = StyledText(display.text, display.kind == .placeholder ? .dim : .bold)
    titles[ObjectIdentifier(snapshot.databaseSnapshot), default: [:]][section] = title
    return title
  }

  private func cells(of row: Row) -> [StyledText] {
    row.values.enumerated().flatMap { index, value in
      (index > 0 ? [StyledText(" · ", .dim)] : []) + [cell(value)]
    }
  }

  private func cell(_ value: Value) -> StyledText { DisplayCell(value).styled }
}
