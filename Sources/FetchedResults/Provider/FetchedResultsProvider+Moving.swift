public import SQLiteStorage
public import SectionedData

extension FetchedResultsProvider {
  /// Moves a row of a list that the user orders, in its own transaction.
  ///
  /// ```swift
  /// let provider = try FetchedResultsProvider(
  ///   database: database, request: Task.all.sorted(by: \.position), sectionedBy: \.list)
  /// …
  /// try provider.move(from: [0, 4], to: [1, 0], by: \.position)
  /// ```
  ///
  /// The change is reported as one move, like any other change: by ``refresh()`` or
  /// ``startObserving(isolation:)``. A table view in which the user dragged the row already shows
  /// it at its new index path, and must ignore that one move.
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

  /// Moves a row of a list that the user orders, inside a transaction.
  ///
  /// One row is written: its position and, if the section changes, the column of the section key.
  /// If there is no room between the new neighbours, the rows around them get new positions. That
  /// happens once in several hundred moves to the same place. It also happens if the neighbours
  /// have no ``Position`` or the same one, as rows written by other programs may.
  ///
  /// The index paths are those of the content that is shown. The neighbours are looked up by
  /// identity in the current version of the database. If a neighbour is deleted or in another
  /// section there, the next row is used.
  ///
  /// Complexity: a few look-ups in an index of the section and the position; O(n) without such an
  /// index, and if more rows are written.
  ///
  /// - Parameters:
  ///   - source: the old index path of the row.
  ///   - destination: the new index path, counted without the row at its old index path: as in
  ///     `moveRow(at:to:)` of a table view.
  ///   - property: the property whose column the request is sorted by, ascending or descending,
  ///     first or directly after the sections: a ``Position``, a `String`, or an optional one. Rows
  ///     that the request's conditions exclude have their own order.
  ///   - connection: the connection of a `write` of this provider's database.
  /// - Returns: the number of rows written: 0 if both index paths are the same.
  /// - Throws: `TableDataError` if the row does not exist. `FetchError` with code `.notOrdered` if the
  ///   request is sorted by something else or the property cannot hold a position,
  ///   `.computedProperty` if the section key is not a column and the row would change its section,
  ///   `.noSuchRow` if the row is no longer in the result, `.notWritable` for a SELECT or a view,
  ///   `.notFetched`; `DatabaseError`.
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
        .noSuchRow, "row \(identity) is no longer in the result",
        nextStep: "Call refresh(), and move what is there then")
    }
    let changesSection = !order.isSameSection(section, neighbors.section)
    guard !changesSection || order.columns.section != nil else {
      throw FetchError(
        .computedProperty, "the sections are computed, so row \(identity) cannot move to another",
        nextStep: "Section by a stored property, or move rows only within their section")
    }
    let place = try order.place(
      for: row, in: neighbors.section, after: neighbors.previous, before: neighbors.next)
    try order.write(
      place.position, section: changesSection ? neighbors.section?.values.first : nil, to: row.key)
    return place.rewrittenCount + 1
  }

  /// The position for a new row at an index path of a list that the user orders.
  ///
  /// ```swift
  /// try database.write { connection in
  ///   let position = try provider.position(forInsertionAt: [0, 2], by: \.position, in: connection)
  ///   try connection.insert(Task(id: nil, title: "Buy milk", position: position))
  /// }
  /// ```
  ///
  /// The position is valid in this transaction: no other connection can use it before the
  /// transaction ends. If there is no room, the rows around the index path get new positions. The
  /// caller sets the section.
  ///
  /// - Parameters:
  ///   - indexPath: the new index path of the row. It may be after the last row of a section, or
  ///     `[n, 0]` for a new section after the last of n sections.
  ///   - property: as for ``move(from:to:by:in:)``.
  ///   - connection: the connection of a `write` of this provider's database.
  /// - Throws: the same as ``move(from:to:by:in:)``.
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

  /// The rows before and after a new index path, the nearest first, without the row at `source`.
  private func neighbors(
    of destination: IndexPath, without source: IndexPath?
  ) throws -> (
    section: KeyTuple?, previous: some Sequence<Result<RowIdentity, any Error>>,
    next: some Sequence<Result<RowIdentity, any Error>>
  ) {
    let content = try content(for: destination)
    let source = source?.section == destination.section ? source : nil
    var places = 0..<0
    try destination.requireRow(inSections: content.sectionCount, allowsEnd: true) { section in
      places = content.rows(inSection: section).dropLast(source == nil ? 0 : 1)
      return places.count
    }
    let first = places.lowerBound
    // The old position of the moved row, if it is in this section.
    let moved = source.map { first + $0.row } ?? .max
    let place = first + destination.row
    let identity = { (position: Int) in
      Result { try content.identity(at: position < moved ? position : position + 1) }
    }
    return (
      content.version.layout.section(at: destination.section).key,
      (first..<place).reversed().lazy.map(identity),
      (place..<places.upperBound).lazy.map(identity)
    )
  }
}
