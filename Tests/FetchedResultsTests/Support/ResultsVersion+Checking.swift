import SQLiteStorage

@testable import FetchedResults

extension ResultsVersion {
  /// The keys of all rows, in order, also of those beyond a window.
  func keys() throws -> [RowKey] {
    try snapshot.read { try index.rows.keys(at: 0..<index.layout.rowCount, plan, in: $0) }
  }

  /// Whether the rows can no longer be read.
  var isExpired: Bool { packed == nil && snapshot.isExpired }

  /// Whether the index holds chunks.
  var hasChunks: Bool { if case .chunks = index.rows { true } else { false } }
}

extension ResultLoader {
  func version(of snapshot: Snapshot, isTracked: Bool = true) throws -> ResultsVersion {
    try ResultsVersion.fetching(try source(of: snapshot), isTracked: isTracked)
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

extension RowKey: ExpressibleByIntegerLiteral {
  /// Makes the key of a rowid.
  public init(integerLiteral value: Int64) { self = .integer(value) }
}
