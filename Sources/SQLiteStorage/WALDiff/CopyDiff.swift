internal import CSQLite

/// Reads the pages of two files, which are copies of a database in two versions. Nobody writes them.
final class CopyReader: VersionPageReader {
  private typealias File = UnsafeMutablePointer<sqlite3_file>

  let pageSize: Int
  let changed: [UInt32: Int]
  private let older: File
  private let newer: File
  private let counts: (older: UInt32, newer: UInt32)

  /// Compares all pages.
  ///
  /// - Throws: `.tooManyPages` if more differ than are worth comparing.
  init(from old: Connection, to new: Connection) throws(PageDiffError) {
    guard let older = old.mainFile, let newer = new.mainFile
    else { throw .unreadable }
    (self.older, self.newer) = (older, newer)
    let oldStart = PageBytes(try readBytes(of: older, FileHeader.size, 0))
    let newStart = PageBytes(try readBytes(of: newer, FileHeader.size, 0))
    let header = try FileHeader(oldStart)
    guard try FileHeader(newStart) == header else { throw .malformed }
    pageSize = header.pageSize
    counts = (try FileHeader.pageCount(oldStart), try FileHeader.pageCount(newStart))
    changed = try CopyReader.changed(older, newer, counts, pageSize)
  }

  private static func changed(
    _ older: File, _ newer: File, _ counts: (older: UInt32, newer: UInt32), _ pageSize: Int
  ) throws(PageDiffError) -> [UInt32: Int] {
    var changed: [UInt32: Int] = [:]
    let common = Int(min(counts.older, counts.newer))
    let limit = VersionReader.pageLimit(pageSize: pageSize)
    var first = 0
    while first < common {
      let count = min(common - first, max(1, (1 << 18) / pageSize))
      let old = PageBytes(try readBytes(of: older, count * pageSize, first * pageSize))
      let new = PageBytes(try readBytes(of: newer, count * pageSize, first * pageSize))
      for page in 0..<count {
        let range = page * pageSize..<(page + 1) * pageSize
        if old.hasSameBytes(in: range, as: new, in: range) { continue }
        changed[UInt32(first + page + 1)] = first + page + 1
      }
      first += count
      guard changed.count <= limit else { throw .tooManyPages }
    }
    guard Int(max(counts.older, counts.newer)) - common <= limit else { throw .tooManyPages }
    for page in common..<Int(max(counts.older, counts.newer)) {
      changed[UInt32(page + 1)] = page + 1
    }
    return changed
  }

  func pageCount(in version: VersionReader.Version) -> UInt32 {
    version == .older ? counts.older : counts.newer
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
    case .database(let page): PageBytes(try readBytes(of: older, count, (Int(page) - 1) * pageSize))
    case .frame(let page): PageBytes(try readBytes(of: newer, count, (page - 1) * pageSize))
    }
  }
}

extension Connection {
  /// The rows that may differ between two private copies of a database, whose schema is the same. Both connections are in
  /// a transaction.
  ///
  /// - Complexity: O(size of both files), of which each page is only compared, and O(changed pages).
  /// - Returns: `.unknown` if the pages do not identify the rows.
  package func touchedRows(inCopy newer: Connection) -> Touched {
    do {
      let trees = try schemaTreesInTransaction()
      var comparison = try PageComparison(
        of: try VersionPages(try CopyReader(from: self, to: newer)), trees: trees,
        parents: TreeParents())
      return .rows(try comparison.run())
    } catch {
      return .unknown((error as? PageDiffError)?.reason ?? .logUnreadable)
    }
  }
}
