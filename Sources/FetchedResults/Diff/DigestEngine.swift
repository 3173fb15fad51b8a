internal import SQLiteStorage

/// Finds the difference between two versions of which the old one can no longer be read, or one is packed in memory: the
/// digests of the old rows are compared with those of the new rows, which are read once, in order.
///
/// Rows with the same digest have the same sort key, so they have the same order in both versions. All others differ.
///
/// Complexity: O(n) time; memory for the new version, for a digest of each row, and for the rows that differ.
struct DigestEngine {
  private let old: ResultsVersion
  private let digests: RowDigests

  /// Reads the digests of the old version, if it can be read and they are not known.
  ///
  /// - Parameter old: the version to start from. Its rows have a key.
  /// - Returns: nil if its digests are not known, and can no longer be read.
  init?(from old: ResultsVersion) throws {
    self.old = old
    if let digests = old.digests {
      self.digests = digests
    } else if !old.isReleased {
      digests = try old.snapshot.readAll { try RowDigests(of: old.index, old.plan, in: $0) }
    } else {
      return nil
    }
  }

  /// Advances to a new version. The rows that show the same are found too.
  ///
  /// - Parameter new: where its rows are read from. Its plan has the same order and key.
  func advance(to new: ResultSource) throws -> (ResultsVersion, RowDifference) {
    try new.snapshot.readAll { connection in
      try new.plan.refuseDuplicates(in: connection)
      var builder = try VersionBuilder(new, in: connection, sharing: old.packed)
      var comparison = Comparison(digests, old.index)
      let statement = try new.plan.statement(
        for: new.plan.parts.observationOfAll, in: connection, isShared: false)
      try statement.forEachRow { row in
        let position = builder.count
        let (observed, shown, hasOwnSection) = try builder.add(row)
        // Else it is in the section of the row before it, which may differ.
        if comparison.passes(observed, dependsOnRowBefore: !hasOwnSection) { return }
        comparison.add(
          RowDifference.KeyPosition(
            key: RowKey(row, columns: new.plan.statements.observedKey), position: position),
          showing: shown)
      }
      let next = try builder.finish(in: connection)
      let difference = comparison.finish()
      return (difference.isEmpty ? old.unchanged(in: new, or: next) : next, difference)
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

extension ResultsVersion {
  /// Keeps the rows in memory, if those of a newer version are the same: two versions then share them.
  ///
  /// - Parameter next: the newer version, whose observed rows have the same digests, in the same order.
  func unchanged(in new: ResultSource, or next: ResultsVersion) -> ResultsVersion {
    guard let packed, let nextRows = next.packed, new.plan === plan,
      index.isWhole == next.index.isWhole
    else { return next }
    assert(packed.hasSameRows(as: nextRows), "different rows have the same digest")
    return unchanged(in: new)
  }
}
