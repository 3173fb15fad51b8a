internal import SQLiteStorage

extension UserOrder {
  /// Finds a free position between rows, and makes room if there is none.
  ///
  /// The neighbours that the caller saw may have been deleted or moved since. On each side, the
  /// nearest row that is still in the section is used. If those two rows have changed their order,
  /// the previous row decides.
  ///
  /// - Parameters:
  ///   - moved: the row to move, which is ignored as a neighbour; nil for a new row.
  ///   - previous: the rows before, the nearest first, looked up lazily.
  ///   - next: the rows after, the nearest first, looked up lazily.
  /// - Throws: `DatabaseError`, and the error of a row that cannot be found.
  func place(
    for moved: OrderedRow?, in section: KeyTuple?,
    after previous: some Sequence<Result<RowIdentity, any Error>>,
    before next: some Sequence<Result<RowIdentity, any Error>>
  ) throws -> Place {
    let previous = try firstSurvivor(of: previous, in: section)
    let next = try firstSurvivor(of: next, in: section)
    let position = try freePosition(for: moved, in: section, after: previous, before: next)
    if let position, position.rawValue.utf8.count <= UserOrder.longest {
      return Place(position: position, rewrittenCount: 0)
    }
    return try makeRoom(for: moved, in: section, after: previous, before: next)
  }

  private func firstSurvivor(
    of identities: some Sequence<Result<RowIdentity, any Error>>, in section: KeyTuple?
  ) throws -> OrderedRow? {
    for identity in identities {
      guard let (row, current) = try find(identity.get()), isSameSection(current, section) else {
        continue
      }
      return row
    }
    return nil
  }

  /// A position between two rows; nil if their positions leave none.
  private func freePosition(
    for moved: OrderedRow?, in section: KeyTuple?, after previous: OrderedRow?,
    before next: OrderedRow?
  ) throws -> Position? {
    // From here on in ascending order of the texts.
    let (low, high) =
      isDescending
      ? (next?.position, previous?.position)
      : (previous?.position, next?.position)
    if let low, let high {
      if low == high { return nil }
      if low < high { return try position(.above, low, for: moved, in: section) }
      return try isDescending
        ? position(.below, high, for: moved, in: section)
        : position(.above, low, for: moved, in: section)
    }
    if let low { return try position(.above, low, for: moved, in: section) }
    if let high { return try position(.below, high, for: moved, in: section) }
    return nil
  }

  /// The position directly above or below a position, before the next row in that direction.
  private func position(
    _ direction: Direction, _ neighbor: Position, for moved: OrderedRow?, in section: KeyTuple?
  ) throws -> Position? {
    let other = try nearest(direction, neighbor, in: section, without: moved?.key)
    // If the next row has a text that is not a position, there may be no room before it. Values of
    // other types sort before or after all texts.
    if case .text? = other?.value, other?.position == nil { return nil }
    return direction == .above
      ? .between(neighbor, other?.position) : .between(other?.position, neighbor)
  }
}

// MARK: - Making room

extension UserOrder {
  /// Gives new positions to the rows around a place, to as few as possible.
  ///
  /// Complexity: O(rows of the section), plus the writes.
  private func makeRoom(
    for moved: OrderedRow?, in section: KeyTuple?, after previous: OrderedRow?,
    before next: OrderedRow?
  ) throws -> Place {
    var rows = try rows(of: section, without: moved?.key)
    var place =
      rows.firstIndex { $0.key == previous?.key }.map { $0 + 1 }
      ?? rows.firstIndex { $0.key == next?.key } ?? rows.count
    if isDescending {
      rows.reverse()
      place = rows.count - place
    }
    var (window, positions) = room(around: place, in: rows)
    // One position more than needed: until the moved row is written, no other row may get its old
    // position.
    positions.remove(at: positions.firstIndex { $0 == moved?.position } ?? window.count + 1)
    let position = positions.remove(at: place - window.lowerBound)
    return Place(position: position, rewrittenCount: try write(positions, to: rows[window]))
  }

  /// The rows around a place that get new positions, and positions for them and two more.
  ///
  /// If only missing or equal positions are the problem, only those rows. Otherwise as many rows as
  /// needed for short positions. The more rows are written, the shorter the positions must get, so
  /// that the next rewrite is later.
  private func room(
    around place: Int, in rows: [OrderedRow]
  ) -> (window: Range<Int>, positions: [Position]) {
    var (count, longest) = (0, UserOrder.longest - UserOrder.shortening)
    while true {
      let window = window(of: count, around: place, in: rows)
      let lower = window.lowerBound > 0 ? rows[window.lowerBound - 1].position : nil
      let upper = window.upperBound < rows.count ? rows[window.upperBound].position : nil
      let positions = Position.series(window.count + 2, between: lower, and: upper)
      if window == rows.indices || positions.allSatisfy({ $0.rawValue.utf8.count <= longest }) {
        return (window, positions)
      }
      if count > 0 { longest -= UserOrder.shortening }
      count = max(UserOrder.leastWindow, count * 8)
    }
  }

  /// At least `count` rows around a place, if there are as many, between two rows with positions.
  private func window(of count: Int, around place: Int, in rows: [OrderedRow]) -> Range<Int> {
    var lower = max(0, min(place - count / 2, rows.count - count))
    var upper = min(rows.count, lower + count)
    if count == 0 { (lower, upper) = (place, place) }
    while upper < rows.count, rows[upper].position == nil { upper += 1 }
    while lower > 0 {
      let position = rows[lower - 1].position
      if position != nil, upper == rows.count || position != rows[upper].position { break }
      lower -= 1
    }
    return lower..<upper
  }

  /// Writes ascending positions to rows in ascending order. No two rows have the same position at
  /// any time, since the column may be `UNIQUE`.
  ///
  /// Rows that move up are written from last to first, then rows that move down from first to last.
  ///
  /// - Returns: the number of rows written.
  private func write(_ positions: [Position], to rows: ArraySlice<OrderedRow>) throws -> Int {
    let changes = zip(rows, positions).filter { $0.position != $1 }
    let isUp = { (row: OrderedRow, position: Position) in row.position.map { $0 < position } ?? true
    }
    for (row, position) in changes.reversed() where isUp(row, position) {
      try write(position, to: row.key)
    }
    for (row, position) in changes where !isUp(row, position) {
      try write(position, to: row.key)
    }
    return changes.count
  }

  /// Writes the position of a row, and its section unless nil.
  ///
  /// - Throws: `FetchError` with code `.noSuchRow` if no row was written, and with code `.invalidKey` if several
  ///   were: their key is NULL.
  func write(_ position: Position, section: Value? = nil, to key: KeyTuple) throws {
    var sql = "UPDATE \(table.sql) SET \(columns.position.quotedIdentifier) = ?"
    var values = [position.columnValue]
    if let section, let column = columns.section {
      sql += ", \(column.quotedIdentifier) = ?"
      values.append(section)
    }
    let identity = RowIdentity(key: key)
    let statement = try table.statement(sql, in: connection)
    let count = try table.changedCount(statement, values, identity, in: connection)
    guard count > 0 else {
      throw FetchError(
        .noSuchRow,
        "row \(identity) of \(table.name) was not written: a trigger left it out",
        nextStep: "Look at the triggers of \(table.name)")
    }
    guard count == 1 else {
      throw FetchError.duplicateKey(identity, columns: table.key.map(\.name))
    }
  }
}
