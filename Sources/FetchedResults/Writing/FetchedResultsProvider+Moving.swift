public import SQLiteStorage
internal import TableData

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension FetchedResultsProvider {
  /// Moves a row of a list that the user orders, in a transaction of its own.
  ///
  /// ```swift
  /// let provider = try FetchedResultsProvider(
  ///   database: database, request: Task.all.sorted(by: \.position), sectionNameKeyPath: \.list)
  /// …
  /// try provider.move(from: [0, 4], to: [1, 0], by: \.position)
  /// ```
  ///
  /// It writes; what it changes comes as every change does, by ``refresh()`` or
  /// ``startObserving(isolation:)``, as one move. A table view whose user has dragged the row shows
  /// it at its new place already, and must leave out that one event.
  ///
  /// See ``move(from:to:by:in:)`` for what is written and for the errors.
  ///
  /// - Returns: the number of rows written.
  @discardableResult
  public func move(
    from source: IndexPath, to destination: IndexPath, by property: AnyProperty<Record>
  ) throws -> Int {
    try database.write { try move(from: source, to: destination, by: property, in: $0) }
  }

  /// Moves a row of a list that the user orders, as part of a transaction.
  ///
  /// One row is written: its position and, where it goes to another section, the column of the
  /// sections. More are written where no room is left between its new neighbours: once in several
  /// hundred moves to one spot, and where those have no ``Position`` or the same one, as rows may
  /// that were written by somebody else. Then the rows around get new ones.
  ///
  /// The paths are those of the content that is shown; the neighbours are looked up by identity in
  /// the database as it is now. Where one is gone, or in another section by now, the next one counts.
  ///
  /// Complexity: a few look-ups in an index of the section and the position; O(n) without one, and
  /// where more rows are written.
  ///
  /// - Parameters:
  ///   - source: the place of the row.
  ///   - destination: the place it is to have, once it is gone from the old one: as in
  ///     `moveRow(at:to:)` of a table view.
  ///   - property: the property whose column the request is sorted by, ascending or descending,
  ///     before anything but the sections: a ``Position``, a `String`, or an optional one. Rows that the request's conditions leave out have an order of their own.
  ///   - connection: the one that a `write` of this provider's database gave.
  /// - Returns: the number of rows written: 0 where both places are the same.
  /// - Throws: `TableDataError` where there is no such place. `FetchError` of code `.notOrdered`
  ///   where the request is sorted by something else or the property cannot hold a position,
  ///   `.computedProperty` where the sections are no
  ///   column and the row would have to go to another one, `.noSuchRow` where it is not in the
  ///   result any more, `.notWritable` for a SELECT or a view, `.notFetched`; `DatabaseError`.
  @discardableResult
  public func move(
    from source: IndexPath, to destination: IndexPath, by property: AnyProperty<Record>,
    in connection: Connection
  ) throws -> Int {
    let identity = try identity(at: source)
    let neighbors = try neighbors(of: destination, without: source)
    let order = try UserOrder(of: fetch, by: property, in: connection)
    guard source != destination else { return 0 }
    guard let (row, section) = try order.find(identity) else {
      throw FetchError(
        .noSuchRow, "row \(identity) is not in the result any more",
        nextStep: "Call refresh(), and move what is there then")
    }
    let changesSection = !order.isSameSection(section, neighbors.section)
    guard !changesSection || order.columns.section != nil else {
      throw FetchError(
        .computedProperty, "the sections are computed, so row \(identity) cannot be put in another",
        nextStep: "Section by a stored property, or move rows only within their section")
    }
    let place = try order.place(
      for: row, in: neighbors.section, after: neighbors.previous, before: neighbors.next)
    try order.write(
      place.position, section: changesSection ? neighbors.section?.values.first : nil, to: row.key)
    return place.rewrittenCount + 1
  }

  /// The position for a new row at a place of a list that the user orders.
  ///
  /// ```swift
  /// try database.write { connection in
  ///   let position = try provider.position(forInsertionAt: [0, 2], by: \.position, in: connection)
  ///   try connection.insert(Task(id: nil, title: "Buy milk", position: position))
  /// }
  /// ```
  ///
  /// It is for this transaction: nobody else can take the place before it is over. Where there is no
  /// room, the rows around get new positions. The section is for the caller to set.
  ///
  /// - Parameters:
  ///   - indexPath: the place that the row is to have. One behind the last row of a section is the
  ///     end of it, and the first of a section behind the last one is that of a new section.
  ///   - property: as for ``move(from:to:by:in:)``.
  ///   - connection: the one that a `write` of this provider's database gave.
  /// - Throws: as ``move(from:to:by:in:)``.
  public func position(
    forInsertionAt indexPath: IndexPath, by property: AnyProperty<Record>,
    in connection: Connection
  ) throws -> Position {
    let order = try UserOrder(of: fetch, by: property, in: connection)
    if let content, indexPath == [content.sectionCount, 0] { return .first }
    let neighbors = try neighbors(of: indexPath, without: nil)
    return try order.place(
      for: nil, in: neighbors.section, after: neighbors.previous, before: neighbors.next
    ).position
  }

  /// The rows before and behind a place, the nearest first, when one row is gone.
  private func neighbors(
    of destination: IndexPath, without source: IndexPath?
  ) throws -> (
    section: KeyTuple?, previous: some Sequence<Result<RowIdentity, any Error>>,
    next: some Sequence<Result<RowIdentity, any Error>>
  ) {
    guard let content else {
      throw FetchError(
        .notFetched, "there is no row \(destination): nothing has been fetched",
        nextStep: "Call performFetch() first")
    }
    guard destination.count == 2 else { throw TableDataError.malformedIndexPath(destination) }
    guard 0..<content.sectionCount ~= destination.section else {
      throw TableDataError.sectionOutOfRange(destination, count: content.sectionCount)
    }
    var places = content.rows(inSection: destination.section)
    let first = places.lowerBound
    // The position of the row that goes, where it is one of these.
    var gone = Int.max
    if let source, source.section == destination.section {
      gone = first + source.row
      places = first..<(places.upperBound - 1)
    }
    guard 0...places.count ~= destination.row else {
      throw TableDataError.rowOutOfRange(destination, count: places.count)
    }
    let place = first + destination.row
    let identity = { (position: Int) in
      Result { try content.identity(at: position < gone ? position : position + 1) }
    }
    return (
      content.section(at: destination.section).key,
      (first..<place).reversed().lazy.map(identity),
      (place..<places.upperBound).lazy.map(identity)
    )
  }
}
