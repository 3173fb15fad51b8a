internal import SQLiteStorage
internal import TableData

extension DeltaEngine {
  /// Subtracts rows from the chunks of the old version and adds rows to the chunks of the new
  /// version. The positions of the rows are read from the two snapshots.
  ///
  /// Complexity: O(log n) and half a chunk to read, for each row or for several rows of one chunk.
  ///
  /// - Parameters:
  ///   - gone: the rows of the old side, ascending.
  ///   - come: the rows of the new side, ascending.
  /// - Throws: `FetchError` and `DatabaseError`.
  func edit(
    _ chunks: CountedTree<RowChunk>, _ gone: [Row], _ come: [Row], _ oldConnection: Connection,
    _ newConnection: Connection
  ) throws -> (RowOrder<Key>, RowDifference<Key>) {
    let plan = old.plan
    // This comes first: in a damaged file a row can be found by its key but be missing from the
    // order.
    let oldPlaces = try ChunkSearch(chunks, plan, in: oldConnection)
      .places(of: gone.map { ($0.key, $0.observed.sortKey) })
    var editor = ChunkEditor(chunks, plan.order, size: plan.chunkPolicy.chunkSize)
    for row in gone { editor.remove(row.observed.sortKey) }
    for row in come { editor.insert(row.observed.sortKey) }
    let inside = ChunkSearch<Key>(chunks, plan, in: newConnection)
    try editor.finish { try inside.fences(inside: $0, every: $1) }
    let difference = RowDifference(
      old: oldPlaces,
      new: try ChunkSearch(editor.chunks, plan, in: newConnection)
        .places(of: come.map { ($0.key, $0.observed.sortKey) }))
    return (.chunks(editor.chunks), difference)
  }
}
