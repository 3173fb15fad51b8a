internal import CountedTrees
internal import SQLiteStorage

/// A digest of each row of a version, in order. By them the rows are found that differ in a later version, if those of the
/// old one can no longer be read, or are packed in memory.
///
/// A digest has 64 bits, of SipHash with a key that each process draws. Two different rows of a million have the same one
/// in one of 40 million versions, and nobody can prepare rows that have.
///
/// Memory: 8 bytes a row; 8 more if the order, the sections or the totals depend on what is not shown; and the keys, if the
/// index does not hold them.
struct RowDigests: Sendable {
  /// Of what is observed of each row. If there is a key, it is among it, so that no two rows have the same.
  private(set) var observed: ContiguousArray<UInt64> = []
  /// Of what is shown of each row; empty if nothing else is observed.
  private(set) var shown: ContiguousArray<UInt64> = []
  /// The keys; nil if the index holds them.
  private var keys: KeyList?

  /// Reads the rows of a version.
  ///
  /// Complexity: O(n).
  ///
  /// - Parameters:
  ///   - index: the index of the version.
  ///   - connection: a connection that sees the version.
  init(of index: ResultsIndex, _ plan: QueryPlan, in connection: Connection) throws {
    var builder = Builder(plan, keepsKeys: !index.holdsAllKeys)
    let statement = try plan.statement(
      for: plan.parts.observationOfAll, in: connection, isShared: false)
    try statement.forEachRow { row in _ = builder.add(row) }
    self = builder.finish(index)
  }

  private init() {}

  /// The row at a position of the whole order.
  ///
  /// - Parameter index: the index of the version.
  func row(at position: Int, _ index: ResultsIndex) -> RowDifference.KeyPosition? {
    let list: KeyList? = if case .keys(let held) = index.rows, keys == nil { held } else { keys }
    return list.map { RowDifference.KeyPosition(key: $0[position], position: position) }
  }

  /// The digest of what is shown of the row at a position of the whole order.
  func ofShown(at position: Int) -> UInt64 {
    shown.isEmpty ? observed[position] : shown[position]
  }

  /// The digests of what is shown of the rows at some positions of the whole order.
  func ofShown(at positions: Range<Int>) -> [UInt64] {
    Array(shown.isEmpty ? observed[positions] : shown[positions])
  }

  /// Collects the digests of the rows of ``RequestParts/observationOfAll``.
  struct Builder {
    private let plan: QueryPlan
    /// Those that are shown.
    private let columns: Range<Int>
    /// Those that are only observed.
    private let otherColumns: Range<Int>
    private let digestsWhatIsShown: Bool
    private var digests = RowDigests()
    private var keys: RowOrder.Builder?
    private var packer = RowPacker()
    /// The number of bytes of what is shown of the last row.
    private(set) var shownLength = 0

    /// - Parameter keepsKeys: whether the index of the rows may not hold their keys.
    init(_ plan: QueryPlan, keepsKeys: Bool) {
      self.plan = plan
      columns = 0..<plan.parts.columns.count
      otherColumns = columns.upperBound..<plan.statements.observedTotals.upperBound
      // Without a key what is shown is compared, also that of requests with another order or other sections.
      let showsOtherwise = plan.isWithoutKey && !otherColumns.isEmpty
      digestsWhatIsShown = plan.observesWhatIsNotShown || showsOtherwise
      keys = keepsKeys ? RowOrder.Builder(nil) : nil
    }

    /// What is observed of the last row, packed. It begins with what is shown.
    var packedRow: [UInt8] { packer.bytes }

    /// Adds the next row.
    ///
    /// - Returns: the digests of what is observed and of what is shown of it.
    @inline(__always)
    mutating func add(_ row: borrowing RowView) -> (observed: UInt64, shown: UInt64) {
      keys?.append(RowKey(row, columns: plan.statements.observedKey))
      packer.removeAll()
      packer.append(row, columns: columns)
      shownLength = packer.bytes.count
      packer.append(row, columns: otherColumns)
      let observed = Builder.digest(packer.bytes[...])
      digests.observed.append(observed)
      guard digestsWhatIsShown else { return (observed, observed) }
      let shown = Builder.digest(packer.bytes[..<shownLength])
      digests.shown.append(shown)
      return (observed, shown)
    }

    /// Returns the digests. No row may be added afterwards.
    ///
    /// - Parameter index: the index of the same rows.
    mutating func finish(_ index: ResultsIndex) -> RowDigests {
      if !index.holdsAllKeys, case .keys(let list)? = keys?.finish({ _ in KeyTuple([]) }) {
        digests.keys = list
      }
      return digests
    }
  }
}

extension ResultsIndex {
  /// Whether it holds the key of each row of the whole order.
  fileprivate var holdsAllKeys: Bool {
    if case .keys = rows { isWhole } else { false }
  }
}

extension RowDigests.Builder {
  @inline(__always)
  static func digest(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    var hasher = Hasher()
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    let digest = UInt64(UInt(bitPattern: hasher.finalize()))
    #if _pointerBitWidth(_64)
      return digest
    #else
      var other = Hasher()
      other.combine(true)
      bytes.withUnsafeBytes { other.combine(bytes: $0) }
      return digest << 32 | UInt64(UInt(bitPattern: other.finalize()))
    #endif
  }
}
