import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

extension ResultsVersion {
  /// The identities of all rows, in order, also of those beyond a window.
  func identities() throws -> [Key] {
    try snapshot.read { try index.rows.keys(at: 0..<index.layout.rowCount, plan, in: $0) }
  }

  /// Whether the index holds chunks.
  var hasChunks: Bool { if case .chunks = index.rows { true } else { false } }

  /// Throws unless the trees are as they must be, and each chunk holds the rows from its fence on.
  func checkInvariants() throws {
    try index.layout.sections.checkInvariants()
    switch index.rows {
    case .identities(let identities):
      try identities.checkInvariants()
      try #require(identities.count == index.layout.rowCount)
    case .chunks(let chunks):
      try chunks.checkInvariants()
      try #require(chunks.weight == index.layout.rowCount)
      try snapshot.read { try checkRows(of: chunks, in: $0) }
    }
  }

  private func checkRows(of chunks: CountedTree<RowChunk>, in connection: Connection) throws {
    let following = try #require(plan.followingRows)
    var sortKeys: [KeyTuple] = []
    try following.forEach(from: nil, in: connection, plan.parameters) { row in
      sortKeys.append(KeyTuple(packing: row, columns: following.sortKey))
      return true
    }
    try #require(sortKeys.count == chunks.weight)
    var start = 0
    for (position, chunk) in chunks.elements().enumerated() {
      let rows = sortKeys[start..<(start + chunk.rowCount)]
      for sortKey in rows {
        try #require(chunks.position(of: sortKey, in: plan.order) == position)
      }
      try #require((chunk.fence == nil) == (position == 0))
      try #require(chunk.rowCount <= 2 * plan.parts.chunkPolicy.chunkSize)
      start += chunk.rowCount
    }
  }
}

extension ResultLoader {
  /// A version with keys of a given type.
  func version<Key: RowKey>(
    of snapshot: Snapshot, isTracked: Bool = true
  ) throws -> ResultsVersion<Key> {
    try ResultsVersion(fetching: try source(of: snapshot), isTracked: isTracked)
  }
}

extension FetchRequest {
  /// The plan of the request for a store.
  func plan(by key: SectionKey<Record>? = nil, in store: Database) throws -> QueryPlan {
    let loader = ResultLoader(database: store, request: self, sectionKey: key)
    return try store.read { try loader.plan(in: $0) }
  }

  /// The same, with an index of small chunks as soon as there are so many rows.
  func chunked(above identityLimit: Int, size: Int) -> FetchRequest {
    var request = self
    request.chunkPolicy = ChunkPolicy(identityLimit: identityLimit, chunkSize: size)
    return request
  }
}
