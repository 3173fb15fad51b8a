internal import SQLiteStorage
internal import TableData

extension DeltaEngine {
  /// Removes rows from the keys of the old version and inserts rows at their new positions.
  ///
  /// - Parameters:
  ///   - gone: the rows of the old side.
  ///   - come: the rows of the new side, ascending.
  /// - Throws: `FetchError` and `DatabaseError`.
  @specialized(where Key == Int64)
  func edit(
    _ identities: CountedTree<Key>, _ gone: [Row], _ come: [Row], _ oldConnection: Connection,
    _ newConnection: Connection, _ sortKeys: SortKeyCache<Key>
  ) throws -> (RowOrder<Key>, RowDifference<Key>) {
    var difference = RowDifference<Key>()
    difference.old = try places(of: gone, in: identities, oldConnection, sortKeys)
    var identities = identities
    for row in difference.old.reversed() { identities.remove(at: row.position) }
    for row in gone { sortKeys.forget(row.key) }
    difference.new = try insert(
      come, after: difference.old, into: &identities, newConnection, sortKeys)
    return (.identities(identities), difference)
  }

  /// The old positions of rows, ascending.
  @specialized(where Key == Int64)
  private func places(
    of gone: [Row], in identities: CountedTree<Key>, _ connection: Connection,
    _ sortKeys: SortKeyCache<Key>
  ) throws -> [RowDifference<Key>.Row] {
    // Each search compares with about a dozen rows. For many rows, one pass over all keys costs
    // less.
    if gone.count > identities.count / 512 {
      return identities.places(of: Set(gone.lazy.map { $0.key }))
    }
    let search = try RowSearch(old, in: connection, sortKeys)
    defer { search.finish() }
    var places: [RowDifference<Key>.Row] = []
    places.reserveCapacity(gone.count)
    for row in gone {
      let position = try search.position(
        of: row.key, sortedBy: row.observed.sortKey, in: identities)
      // In a damaged file a row can be found by its key but be missing from the order.
      guard position < identities.count, identities[position] == row.key else {
        throw FetchError.unsteadyOrder
      }
      places.append(RowDifference.Row(key: row.key, position: position))
    }
    places.sort { $0.position < $1.position }
    return places
  }

  /// Inserts rows at their new positions.
  ///
  /// - Parameters:
  ///   - come: the rows, ascending.
  ///   - gone: the removed rows with their old positions.
  /// - Returns: the rows with their new positions, ascending.
  @specialized(where Key == Int64)
  private func insert(
    _ come: [Row], after gone: [RowDifference<Key>.Row], into identities: inout CountedTree<Key>,
    _ connection: Connection, _ sortKeys: SortKeyCache<Key>
  ) throws -> [RowDifference<Key>.Row] {
    let search = try RowSearch(old, in: connection, sortKeys)
    defer { search.finish() }
    // A row with an unchanged sort key still has the same untouched rows before it.
    var ranks: [Key: Int] = [:]
    if come.contains(where: { $0.isAtItsPlace }) {
      for (index, row) in gone.enumerated() { ranks[row.key] = row.position - index }
    }
    var places: [RowDifference<Key>.Row] = []
    places.reserveCapacity(come.count)
    for (index, row) in come.enumerated() {
      let rank = row.isAtItsPlace ? ranks[row.key] : nil
      let position =
        try rank.map { $0 + index }
        ?? search.insertionPosition(of: row.observed.sortKey, in: identities)
      identities.insert(row.key, at: position)
      sortKeys.remember(row.observed.sortKey, of: row.key)
      places.append(RowDifference.Row(key: row.key, position: position))
    }
    return places
  }
}
