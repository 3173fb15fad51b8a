import CountedTrees
import LiveQueries
import SQLiteStorage
import TableData

@testable import FetchedResults

extension ResultsVersion {
  /// Checks that the index is what an ordered scan of its snapshot gives, and that the cached sort
  /// keys are those of the rows. O(n) rows are read, and each row with a cached sort key.
  func checkInvariants() throws {
    try index.layout.checkInvariants()
    try index.layout.checkSections(plan.parts.sectioning)
    if let packed { return try checkPacked(packed) }
    try snapshot.read { connection in
      try index.rows.checkInvariants(
        rowCount: index.layout.rowCount, plan.order, plan.parts.chunkPolicy)
      try checkScan(in: connection)
      try index.layout.checkTotals(TotalsReader(plan, in: connection), plan.parts.totals.terms)
      if case .chunks(let chunks) = index.rows { try checkSeparators(of: chunks, in: connection) }
      let sortKeys = takeSortKeys()
      defer { checkIn(sortKeys) }
      // A new cache, so that each sort key is read.
      let search = try RowSearch(self, in: connection, SortKeyCache())
      defer { search.finish() }
      try sortKeys.checkInvariants(search.sortKey)
      try checkHeldGroups(in: connection)
    }
  }

  /// Checks that the rows in memory, their digests and their order are what the SELECT returns, if the snapshot can still
  /// be read; and that no number is used twice. O(n).
  private func checkPacked(_ packed: PackedRows) throws {
    try index.rows.checkInvariants(
      rowCount: index.layout.rowCount, plan.order, plan.parts.chunkPolicy)
    let keys = try keys(at: 0..<layout.count)
    if let highestNumber {
      try BrokenInvariant.check(
        keys.allSatisfy { 1...max(1, highestNumber) ~= $0.identity.int64 ?? 0 },
        "a number is not between 1 and \(highestNumber)")
    }
    guard !snapshot.isExpired else { return }
    let fetched = try ResultsVersion.fetching(source, isTracked: index.isWhole)
    try BrokenInvariant.check(
      fetched.packed?.hasSameRows(as: packed) == true, "other rows in memory than in the database")
    try BrokenInvariant.check(
      fetched.digests?.observed == digests?.observed && fetched.digests?.shown == digests?.shown,
      "other digests than those of the rows")
    try BrokenInvariant.check(
      try plan.isWithoutKey || fetched.keys(at: 0..<fetched.layout.count) == keys,
      "other keys than those of the rows")
    try snapshot.read { connection in
      try index.layout.checkTotals(TotalsReader(plan, in: connection), plan.parts.totals.terms)
    }
  }

  private func checkScan(in connection: Connection) throws {
    let rowCount = index.layout.rowCount
    let keys = try index.rows.keys(at: 0..<rowCount, plan, in: connection)
    let columns = plan.parts.scanKeyColumns
    let statement = try plan.statement(for: plan.statements.scan, in: connection, isShared: false)
    defer { statement.reset() }
    var position = 0
    while try statement.step() {
      // The rows beyond a limit are not held.
      if position == rowCount, !index.isWhole { return }
      try BrokenInvariant.check(
        position < rowCount && RowKey(statement.currentRow, columns: columns) == keys[position],
        "another key than in the scan at position \(position) of \(rowCount)")
      position += 1
    }
    try BrokenInvariant.check(
      position == rowCount, "\(rowCount) rows in the index, \(position) in the scan")
  }

  private func checkSeparators(of chunks: CountedTree<RowChunk>, in connection: Connection) throws {
    try BrokenInvariant.check(
      plan.followingRows != nil, "chunks of rows that cannot be read in order")
    guard let following = plan.followingRows else { return }
    var position = 0
    try following.forEach(from: nil, in: connection) { row in
      // The rows beyond a limit are not held.
      if position == chunks.weight, !index.isWhole { return false }
      let sortKey = KeyTuple(packing: row, columns: following.sortKey)
      let chunk = chunks.position(of: sortKey, in: plan.order)
      try BrokenInvariant.check(
        chunk == chunks.position(containingWeight: position).position,
        "position \(position) is outside of the separators of its chunk")
      position += 1
      return true
    }
  }

  /// Checks that what is held is what the groups have. Each held group is read.
  private func checkHeldGroups(in connection: Connection) throws {
    guard let queries = plan.maintenance.held else { return }
    let held = takeHeldGroups()
    defer { checkIn(held) }
    for (key, group) in held.all {
      let row = queries.row(group)
      let counted = queries.row(try queries.group(of: key, in: connection))
      try BrokenInvariant.check(
        row == .unknown || row == counted,
        "\(row) is held of the group \(key.identity), which has \(counted)")
    }
  }
}

extension SortKeyCache {
  /// Checks that each cached sort key is that of its row.
  ///
  /// - Parameter sortKey: reads the sort key of a row; nil if the row is not in the result.
  fileprivate func checkInvariants(_ sortKey: (RowKey) throws -> KeyTuple?) throws {
    for (key, cached) in all {
      try BrokenInvariant.check(
        try sortKey(key) == cached, "another sort key than the cached one of \(key.identity)")
    }
  }
}

extension RowOrder {
  /// Checks the number of rows, that no key is in the order twice, and that the separators of chunks
  /// ascend. O(n).
  func checkInvariants(rowCount: Int, _ order: SortOrder, _ policy: ChunkPolicy) throws {
    switch self {
    case .keys(let keys):
      try keys.checkInvariants()
      try BrokenInvariant.check(
        keys.count == rowCount, "\(keys.count) keys, \(rowCount) rows in sections")
      try BrokenInvariant.check(keys.repeatedKey() == nil, "a key is in the order twice")
    case .chunks(let chunks):
      try chunks.checkInvariants()
      try BrokenInvariant.check(
        chunks.weight == rowCount, "\(chunks.weight) rows in chunks, \(rowCount) in sections")
      var last: KeyTuple?
      for (position, chunk) in chunks.elements().enumerated() {
        try BrokenInvariant.check(
          (chunk.separator == nil) == (position == 0), "the separator of chunk \(position)")
        try BrokenInvariant.check(
          0...(2 * policy.chunkSize) ~= chunk.rowCount,
          "\(chunk.rowCount) rows in chunk \(position)")
        if let last, let separator = chunk.separator {
          try BrokenInvariant.check(
            order.compare(last, separator) < 0, "the separator of chunk \(position) does not ascend"
          )
        }
        last = chunk.separator
      }
    }
  }
}

extension KeyList {
  fileprivate func checkInvariants() throws {
    switch self {
    case .integers(let tree): try tree.checkInvariants()
    case .keys(let tree): try tree.checkInvariants()
    }
  }
}

extension ResultsLayout {
  /// Checks that the totals are those of a scan. O(rows up to the end of the window).
  fileprivate func checkTotals(_ reader: TotalsReader, _ terms: [TotalTerm]) throws {
    guard let totals else {
      return try BrokenInvariant.check(terms.isEmpty, "there are no totals")
    }
    try totals.sections.checkInvariants()
    let scanned = try reader.totals(of: self)
    try BrokenInvariant.check(
      totals.sections.count == sectionCount && totals.sections.weight == 0,
      "totals of \(totals.sections.count) sections, \(totals.sections.weight) are not known")
    let all = Array(totals.sections.elements()) + [totals.whole]
    for (section, other) in zip(all, Array(scanned.sections.elements()) + [scanned.whole]) {
      for (index, term) in terms.enumerated() {
        let (value, other) = (section.values[index], other.values[index])
        try BrokenInvariant.check(
          term.isSame(value, other), "\(term.name) is \(value), and \(other) by a scan")
      }
    }
  }

  /// Checks that no section is shown twice, and that neighbours have different keys. O(sections).
  fileprivate func checkSections(_ sectioning: QueryPlan.Sectioning) throws {
    let comparator = sectioning.comparator
    var seen = SectionKeys(comparator)
    var last: KeyTuple?
    for (position, section) in sections.elements().enumerated() {
      let key = section.comparedKey
      if let last {
        try BrokenInvariant.check(
          !comparator.isSame(last, key), "section \(position) has the key of the one before it")
      }
      last = key
      guard visibleSections.contains(position) else { continue }
      try BrokenInvariant.check(seen.insert(key), "section \(position) is there twice")
    }
  }

  /// Checks that only the section of an undivided result is empty or has no key, and that the
  /// visible sections and their rows make up the window. O(sections).
  func checkInvariants() throws {
    try sections.checkInvariants()
    let isUndivided = sections.count == 1 && sections[0].key == nil
    for (position, section) in sections.elements().enumerated() where !isUndivided {
      try BrokenInvariant.check(
        section.key != nil && section.rowCount > 0, "section \(position) of a divided result")
    }
    try BrokenInvariant.check(
      window.lowerBound >= 0 && window.upperBound <= rowCount,
      "the window \(window) of \(rowCount) rows")
    var start = 0
    for section in 0..<sectionCount {
      let rows = rows(inSection: section)
      try BrokenInvariant.check(
        rows.lowerBound == start && (isUndivided || !rows.isEmpty),
        "the rows \(rows) of section \(section) in the window, after \(start) others")
      for row in Set([rows.lowerBound, rows.upperBound - 1]).intersection(rows) {
        try BrokenInvariant.check(
          place(of: row) == (section, row - start),
          "the index path \(place(of: row)) of position \(row) in section \(section)")
      }
      start = rows.upperBound
    }
    try BrokenInvariant.check(start == count, "\(start) rows in sections, \(count) in the window")
  }
}

extension TotalTerm {
  /// Whether both may be the total: equal values for an extreme, else the same, except for the last
  /// digits of a REAL.
  fileprivate func isSame(_ value: Value, _ other: Value) -> Bool {
    switch (function, value, other) {
    case (.minimum, _, _), (.maximum, _, _):
      comparator.isSame(KeyTuple([value]), KeyTuple([other]))
    case (_, .real(let value), .real(let other)):
      // Infinity minus itself is no number.
      value == other || abs(value - other) <= 1e-9 * max(abs(value), abs(other))
    default: value == other
    }
  }
}
