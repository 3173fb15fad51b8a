import GRDB

/// The peer *GRDB*: the records of the whole request, fetched at once.
struct GRDBPeer {
  /// The record, decoded by position: the fastest of the ways that GRDB documents.
  struct Record: FetchableRecord, TableRecord, Equatable, Sendable {
    static let databaseTableName = "item"

    let id: Int64
    let section: String
    let name: String
    let value: Int64

    init(row: Row) {
      id = row[0]
      section = row[1]
      name = row[2]
      value = row[3]
    }
  }

  private let queue: DatabaseQueue

  init(path: String) throws {
    var configuration = Configuration()
    configuration.readonly = true
    queue = try DatabaseQueue(path: path, configuration: configuration)
  }

  /// The records in the order of the list.
  func fetchAll() throws -> [Record] {
    try queue.read { try Self.list.fetchAll($0) }
  }

  /// The first of them.
  func fetchFirst(_ count: Int) throws -> [Record] {
    try queue.read { try Self.list.limit(count).fetchAll($0) }
  }

  private static var list: QueryInterfaceRequest<Record> {
    Record.order(Column("section"), Column("name"), Column("id"))
  }

  /// The records in sections, as a list shows them.
  func fetchSections() throws -> [(name: String, records: ArraySlice<Record>)] {
    let records = try fetchAll()
    return records.chunked { $0.section == $1.section }.map { ($0.first?.section ?? "", $0) }
  }
}

extension Array {
  /// The runs of neighbours that belong together.
  fileprivate func chunked(_ belongTogether: (Element, Element) -> Bool) -> [ArraySlice<Element>] {
    var chunks: [ArraySlice<Element>] = []
    var start = startIndex
    for index in indices.dropFirst() where !belongTogether(self[index - 1], self[index]) {
      chunks.append(self[start..<index])
      start = index
    }
    if start < endIndex { chunks.append(self[start...]) }
    return chunks
  }
}
