internal import SQLiteStorage

/// Finds the difference between a version that has expired and a newer one: the digests of the old rows are compared with
/// those of the new rows, which are read once, in order.
///
/// Rows with the same digest have the same sort key, so they have the same order in both versions. All others differ.
///
/// Complexity: O(n) time; memory for the new index, for a digest of each row, and for the rows that differ.
struct DigestEngine {
  private let old: ResultsVersion
  private let digests: RowDigests

  /// - Parameter old: the version to start from.
  /// - Returns: nil if its digests are not known.
  init?(from old: ResultsVersion) {
    guard let digests = old.digests else { return nil }
    self.old = old
    self.digests = digests
  }

  /// Advances to a new version. The rows that show the same are found too.
  ///
  /// - Parameter new: where its rows are read from. Its plan has the same order and key.
  func advance(to new: ResultSource) throws -> (ResultsVersion, RowDifference) {
    try new.snapshot.read { connection in
      try new.plan.refuseDuplicates(in: connection)
      let sortKeys = SortKeyCache()
      var rows = IndexedRows(new.plan, .observation(new.plan), sortKeys: sortKeys)
      // Only an index of chunks does not hold them.
      var builder = RowDigests.Builder(new.plan, keepsKeys: new.plan.followingRows != nil)
      var comparison = Comparison(digests, old.index)
      let statement = try new.plan.statement(
        for: new.plan.parts.observationOfAll, in: connection, isShared: false)
      try statement.forEachRow { row in
        let position = builder.count
        let (observed, shown) = builder.add(row)
        // It is in the section of the row before it, which may differ.
        let dependsOnRowBefore = try !rows.add(row)
        if comparison.passes(observed, dependsOnRowBefore: dependsOnRowBefore) { return }
        comparison.add(
          RowDifference.KeyPosition(
            key: RowKey(row, columns: new.plan.statements.observedKey), position: position),
          showing: shown)
      }
      let index = try rows.finish(new.plan, in: connection)
      let next = ResultsVersion(
        new, index, sortKeys: sortKeys, digests: builder.finish(index))
      return (next, comparison.finish())
    }
  }

  /// The comparison of new rows, one after the other, with the old ones.
  private struct Comparison {
    private let digests: RowDigests
    private let index: ResultsIndex
    /// The position of the next old row.
    private var position = 0
    /// The digests of the old rows from some position on; nil before the first row that differs.
    private var rest: Set<UInt64>?
    private var difference = RowDifference()
    /// What is shown of the new rows that differ.
    private var shown: [UInt64] = []

    init(_ digests: RowDigests, _ index: ResultsIndex) {
      (self.digests, self.index) = (digests, index)
    }

    /// Whether the next new row is equal to an old one. The old rows before that differ.
    ///
    /// - Parameter dependsOnRowBefore: whether its section may be another one although it is equal.
    @inline(__always)
    mutating func passes(_ digest: UInt64, dependsOnRowBefore: Bool) -> Bool {
      let isNext = position < digests.observed.count && digests.observed[position] == digest
      guard let found = isNext ? position : laterPosition(of: digest) else { return false }
      addOld(upTo: found)
      position = found + 1
      if dependsOnRowBefore { addOld(found) }
      return !dependsOnRowBefore
    }

    /// The position of an equal row behind those that differ. It is not before them, since equal rows keep their order.
    private mutating func laterPosition(of digest: UInt64) -> Int? {
      let known = rest ?? Set(digests.observed[position...])
      rest = known
      return known.contains(digest) ? digests.observed[position...].firstIndex(of: digest) : nil
    }

    private mutating func addOld(upTo end: Int) {
      for position in position..<end { addOld(position) }
    }

    private mutating func addOld(_ position: Int) {
      if let row = digests.row(at: position, index) { difference.old.append(row) }
    }

    /// Adds a new row that differs.
    ///
    /// - Parameter digest: of what it shows.
    mutating func add(_ row: RowDifference.KeyPosition, showing digest: UInt64) {
      difference.new.append(row)
      shown.append(digest)
    }

    mutating func finish() -> RowDifference {
      addOld(upTo: digests.observed.count)
      var oldDigests: [RowKey: UInt64] = [:]
      for row in difference.old { oldDigests[row.key] = digests.ofShown(at: row.position) }
      for (row, digest) in zip(difference.new, shown) where oldDigests[row.key] == digest {
        difference.alike.insert(row.key)
      }
      return difference
    }
  }
}
