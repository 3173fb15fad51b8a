/// Reads the pages of two versions of a database, between which no log tells what was written: at least one is a private copy.
final class CopyReader: VersionPageReader {
  let changed: [UInt32: Int]
  private let older: PageSource
  private let newer: PageSource

  var pageSize: Int { older.header.pageSize }

  /// Compares all pages.
  ///
  /// - Parameter arePinned: whether both versions can still be read. If not, the comparison ends.
  /// - Throws: `.tooManyPages` if more differ than are worth comparing.
  init(
    from older: PageSource, to newer: PageSource, while arePinned: () -> Bool
  ) throws(PageDiffError) {
    guard older.header == newer.header else { throw .malformed }
    (self.older, self.newer) = (older, newer)
    changed = try CopyReader.changed(older, newer, while: arePinned)
  }

  private static func changed(
    _ older: PageSource, _ newer: PageSource, while arePinned: () -> Bool
  ) throws(PageDiffError) -> [UInt32: Int] {
    var changed: [UInt32: Int] = [:]
    let common = min(older.pageCount, newer.pageCount)
    let pageSize = older.header.pageSize
    let limit = VersionReader.pageLimit(pageSize: pageSize)
    for first in stride(from: 0, to: common, by: older.blockCount) {
      guard arePinned() else { throw .unreadable }
      let count = min(older.blockCount, common - first)
      let old = PageBytes(try older.block(from: first, count: count))
      let new = PageBytes(try newer.block(from: first, count: count))
      for page in 0..<count {
        let range = page * pageSize..<(page + 1) * pageSize
        if old.hasSameBytes(in: range, as: new, in: range) { continue }
        changed[UInt32(first + page + 1)] = first + page + 1
      }
      guard changed.count <= limit else { throw .tooManyPages }
    }
    let longest = max(older.pageCount, newer.pageCount)
    guard longest - common <= limit else { throw .tooManyPages }
    for page in common..<longest { changed[UInt32(page + 1)] = page + 1 }
    return changed
  }

  func pageCount(in version: VersionReader.Version) -> UInt32 {
    UInt32(version == .older ? older.pageCount : newer.pageCount)
  }

  func place(
    of page: UInt32, in version: VersionReader.Version
  ) throws(PageDiffError) -> VersionReader.Place {
    guard page > 0, page <= pageCount(in: version) else { throw .malformed }
    return version == .newer && changed[page] != nil ? .frame(Int(page)) : .database(page: page)
  }

  func read(
    _ count: Int, at place: VersionReader.Place, of page: UInt32
  ) throws(PageDiffError) -> PageBytes {
    switch place {
    case .database: try older.bytes(count, of: page)
    case .frame: try newer.bytes(count, of: page)
    }
  }
}

extension Connection {
  /// The rows that may differ between two versions of a database, whose schema is the same and of which at least one is a
  /// private copy. Both connections are in a transaction.
  ///
  /// - Parameters:
  ///   - version: the header of the log that the version of this connection has; nil for a copy.
  ///   - newer: a connection that sees the newer version, with its header.
  ///   - arePinned: whether both versions can still be read.
  /// - Returns: `.unknown` if the pages do not identify the rows.
  /// - Complexity: O(size of both files), of which each page is only compared, and O(changed pages).
  func touchedRows(
    at version: WALHeader?, to newer: (connection: Connection, version: WALHeader?),
    while arePinned: () -> Bool = { true }
  ) -> Touched {
    var reason = Touched.Reason.logUnreadable
    // Once more if the log was reset meanwhile.
    for _ in 0..<2 where reason == .logUnreadable {
      do {
        return .rows(try compare(at: version, to: newer, while: arePinned))
      } catch {
        reason = (error as? PageDiffError)?.reason ?? .logUnreadable
      }
    }
    return .unknown(reason)
  }

  private func compare(
    at version: WALHeader?, to newer: (connection: Connection, version: WALHeader?),
    while arePinned: () -> Bool
  ) throws -> TouchedRows {
    let reader = try CopyReader(
      from: pageSource(at: version), to: newer.connection.pageSource(at: newer.version),
      while: arePinned)
    var comparison = try PageComparison(
      of: try VersionPages(reader), trees: schemaTrees(), parents: TreeParents())
    return try comparison.run(while: arePinned)
  }

  private func pageSource(at version: WALHeader?) throws(PageDiffError) -> PageSource {
    if let version { try PageSource(of: self, at: version) } else { try PageSource(copy: self) }
  }
}
