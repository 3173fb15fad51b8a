internal import SQLiteStorage

/// Builds a version of a result from its rows, which are read once, in order, by ``RequestParts/observationOfAll``: the
/// index, the digests, and, if the plan says so, the packed rows.
///
/// If no key identifies the rows, they are numbered in order.
struct VersionBuilder {
  private let source: ResultSource
  private let sortKeys = SortKeyCache()
  private var rows: IndexedRows
  private var digests: RowDigests.Builder
  /// Nil if the rows are read from the snapshot.
  private var packed: PackedRows.Builder?
  /// The positions of the rows that are shown.
  private let window: Range<Int>
  /// The number of rows after which no more are needed.
  private let end: Int
  /// The highest number that a row has had.
  private let used: Int64
  /// The number of bytes that the rows may take in memory.
  private let limit: Int

  /// - Parameters:
  ///   - isTracked: whether the version is advanced to later ones.
  ///   - used: the highest number that a row has had, if the rows have no key.
  ///   - others: rows in memory of which many are probably the same. What is equal takes memory once.
  init(
    _ source: ResultSource, in connection: Connection, isTracked: Bool = true,
    numbersAfter used: Int64 = 0, sharing others: PackedRows? = nil
  ) throws {
    self.source = source
    self.used = used
    let plan = source.plan
    limit = plan.parts.packedSizeLimit ?? .max
    window = try plan.window(in: connection)
    rows = IndexedRows(plan, .observation(plan), window: window, sortKeys: sortKeys)
    // Only an index of chunks does not hold them.
    digests = RowDigests.Builder(plan, keepsKeys: plan.followingRows != nil)
    if plan.isPacked {
      packed = PackedRows.Builder(
        ColumnNames(plan.parts.columns.map(\.name)), sharing: others)
    }
    // Rows without a key are compared only as far as they are shown.
    end = isTracked && !plan.isWithoutKey ? Int.max : window.upperBound
  }

  var count: Int { rows.count }

  /// Whether no more rows are needed.
  var hasAllRows: Bool { count >= end }

  /// Adds the next row.
  ///
  /// - Returns: the digests of what is observed and of what is shown of it; and whether it has a section of its own, or is
  ///   in that of the row before it.
  /// - Throws: `FetchError` with code `.tornSection`, and with `.resultTooLarge` if the rows would take more memory than
  ///   the configuration allows.
  @inline(__always)
  mutating func add(
    _ row: borrowing RowView
  ) throws -> (observed: UInt64, shown: UInt64, hasOwnSection: Bool) {
    let position = count
    let (observed, shown) = digests.add(row)
    let hasOwnSection =
      source.plan.isWithoutKey ? try rows.add(row, as: number(at: position)) : try rows.add(row)
    if packed != nil { try pack(at: position, digest: shown) }
    return (observed, shown, hasOwnSection)
  }

  /// The number of a new row. Those before the window are not shown.
  private func number(at position: Int) -> RowKey {
    let number = Int64(position - window.lowerBound)
    return .integer(number < 0 ? number : used + number + 1)
  }

  /// Keeps what is shown of the row that was added last.
  private mutating func pack(at position: Int, digest: UInt64) throws {
    if window.contains(position) {
      packed?.append(digests.packedRow, length: digests.shownLength, digest: digest)
    }
    let byteCount = (packed?.byteCount ?? 0) + count * VersionBuilder.bytesOfEachRow
    if byteCount > limit { throw FetchError.resultTooLarge(limit: limit) }
  }

  /// Of a digest and a key.
  private static var bytesOfEachRow: Int { 16 }

  /// Returns the version. No row may be added afterwards.
  ///
  /// - Parameter connection: a connection that sees it.
  mutating func finish(in connection: Connection) throws -> ResultsVersion {
    let plan = source.plan
    let index = try rows.finish(in: connection, isWhole: !hasAllRows)
    return ResultsVersion(
      source, index, packed: packed?.finish(),
      highestNumber: plan.isWithoutKey ? used + Int64(index.layout.count) : nil,
      sortKeys: sortKeys, digests: digests.finish(index))
  }
}
