/// A version of the result and its records in batches, of which the ones used last are kept.
///
/// Not Sendable: it belongs to its provider.
final class IndexedContent<Record: Sendable, Key: RowKey>: ResultsContent {
  private let version: ResultsVersion<Key>
  private let description: RecordDescription<Record>
  private var batches = LeastRecentlyUsed<Int, [Record]>(capacity: 16)

  init(_ version: ResultsVersion<Key>, _ description: RecordDescription<Record>) {
    self.version = version
    self.description = description
  }

  var count: Int { version.index.count }
  var sectionCount: Int { version.index.sectionCount }

  func section(at section: Int) -> SectionEntry { version.index.section(at: section) }
  func rows(inSection section: Int) -> Range<Int> { version.index.rows(inSection: section) }
  func place(of position: Int) -> (section: Int, row: Int) { version.index.place(of: position) }
  func identity(at position: Int) -> RowIdentity { version.index[position].identity }
  func identity(of record: Record) throws -> RowIdentity {
    try description.identity(of: record, key: version.plan.key)
  }

  func position(of identity: RowIdentity) throws -> Int? {
    guard let key = Key(identity) else { return nil }
    return try version.position(of: key)
  }

  func record(at position: Int) throws -> Record {
    let size = version.plan.fetchBatchSize
    let (batch, offset) = position.quotientAndRemainder(dividingBy: size)
    let records = try batches.value(for: batch) {
      let start = batch * size
      let positions = start..<min(start + size, count)
      var records: [Record] = []
      records.reserveCapacity(positions.count)
      try version.read(positions) { records.append(try description.decode($0)) }
      return records
    }
    return records[offset]
  }
}
