import CountedTrees

extension TableChanges {
  /// The same changes as up to three batches. Each is legal by itself, and they are applied one after the other.
  ///
  /// It is for a view that handles mixed batches wrongly:
  ///
  /// 1. deletes of rows and sections, in old coordinates;
  /// 2. inserts of sections and rows, and moves: `to` in new coordinates, `from` in the coordinates after the first
  ///    batch;
  /// 3. updates of sections and rows, with both positions in new coordinates.
  ///
  /// Between two batches the content is neither the old nor the new one, and no provider has it. A view that asks for
  /// it needs a copy that takes part in the batches. A batch without events is left out; a reset is the only batch.
  /// Complexity: O(k log k) for k events.
  public var staged: [TableChanges] {
    guard reset == nil else { return [self] }
    var deletes = TableChanges()
    deletes.deletedSections = deletedSections
    deletes.deletedRows = deletedRows

    let removedSections = PositionSet(deletedSections)
    let removedRows = RowSet(deletedRows)
    var inserts = TableChanges()
    inserts.insertedSections = insertedSections
    inserts.insertedRows = insertedRows
    inserts.movedRows = movedRows.map { move in
      let row = removedRows.rank(of: move.from.row, inSection: move.from.section)
      let from = IndexPath(row: row, section: removedSections.rank(of: move.from.section))
      return Move(from: from, to: move.to, keepsContent: move.keepsContent)
    }

    var updates = TableChanges()
    updates.updatesTotals = updatesTotals
    updates.updatedSections = updatedSections.map { SectionUpdate(old: $0.new, new: $0.new) }
    updates.updatedRows = updatedRows.map { Update(old: $0.new, new: $0.new) }
    return [deletes, inserts, updates].filter { !$0.isEmpty }
  }

  /// One step of ``sequential``.
  ///
  /// `at`, `from` and `to` are in the coordinates of that moment: the list after all steps before. `new` is the index
  /// path in the new state, which a provider has.
  public enum Operation: Hashable, Sendable {
    /// Everything may have changed: read the list again.
    case reset(Reset)
    /// Delete a row.
    case deleteRow(at: IndexPath)
    /// Delete a section. Its rows are already deleted, or the changes do not list them.
    case deleteSection(at: Int)
    /// Insert a section. Its rows follow one by one, or the changes do not list them.
    case insertSection(at: Int)
    /// Draw the header and the footer of a section again. The number is the same in the new state.
    case updateSection(at: Int)
    /// Insert a row.
    case insertRow(at: IndexPath, new: IndexPath)
    /// Move a row, whose content may have changed too. `to` is counted without the row: first take it out, then
    /// insert it, as `NSTableView.moveRow(at:to:)` does.
    case moveRow(from: IndexPath, to: IndexPath, new: IndexPath)
    /// Update a row. The index path is the same in the new state.
    case updateRow(at: IndexPath)
  }

  /// The same changes as single steps, each in the coordinates of its moment. `NSTableView`, for example, takes one
  /// operation at a time.
  ///
  /// Deletes come first, then inserts and updates of sections, then inserts and moves of rows, then their updates.
  /// The rows of a deleted section are deleted before it, those of an inserted one are inserted after it.
  ///
  /// There are as many operations as events. O(k log k) for k events, however long the list is.
  public var sequential: [Operation] {
    if let reset { return [.reset(reset)] }
    var operations: [Operation] = []
    operations.reserveCapacity(
      deletedSections.count + insertedSections.count + updatedSections.count + rowCount)
    // In descending order a delete does not shift the deletes after it, and in ascending order an insert does not
    // shift the inserts before it. So these keep their old and new numbers.
    operations += deletedRows.sorted(by: >).map(Operation.deleteRow(at:))
    operations += deletedSections.sorted(by: >).map(Operation.deleteSection(at:))
    operations += insertedSections.sorted().map(Operation.insertSection(at:))
    operations += updatedSections.map { Operation.updateSection(at: $0.new) }
    var placing = RowPlacing(self)
    operations += placing.operations()
    operations += updatedRows.map { Operation.updateRow(at: $0.new) }
    return operations
  }
}

/// The inserts and moves of rows, after all deletes and after all inserts of sections.
///
/// At each moment a section consists of the rows that stay, the rows that are already *placed*, and the moving rows
/// that are still *pending* at their old position. The rank of a row, the number of staying rows before it, is the
/// same in the old and in the new state. Targets are placed in ascending order, and before all pending rows of the
/// same rank. So:
///
/// - before a target are all the rows that are before it in the new state, which stay or are placed, and the pending
///   rows of smaller rank;
/// - before a pending row are as many staying rows as its rank, the placed rows of its rank or a smaller one, and the
///   pending rows that were before it.
private struct RowPlacing {
  /// The moving rows, by old index path: the new number of their old section, and their rank in it.
  private let movers: [(section: Int, rank: Int)]
  private let moversOfSection: [Int: Range<Int>]
  /// 1 for each moving row that is pending, else 0.
  private var pending: PrefixSums
  /// The targets, ascending, each with the index of its moving row; nil for an inserted row.
  private let placements: [(target: IndexPath, mover: Int?)]
  /// The ranks of the rows placed so far, for each section, ascending.
  private var placedRanks: [Int: [Int]] = [:]

  init(_ changes: TableChanges) {
    let removedSections = PositionSet(changes.deletedSections)
    let insertedSections = PositionSet(changes.insertedSections)
    let removedRows = RowSet(changes.deletedRows + changes.movedRows.map(\.from))
    let moves = changes.movedRows.sorted { $0.from < $1.from }
    movers = moves.map { move in
      let section = insertedSections.position(ofRank: removedSections.rank(of: move.from.section))
      return (section, removedRows.rank(of: move.from.row, inSection: move.from.section))
    }
    var ranges: [Int: Range<Int>] = [:]
    for (index, mover) in movers.enumerated() {
      ranges[mover.section] = (ranges[mover.section]?.lowerBound ?? index)..<index + 1
    }
    moversOfSection = ranges
    pending = PrefixSums(repeatElement(1, count: movers.count))
    let placements =
      changes.insertedRows.map { (target: $0, mover: Int?.none) }
      + moves.enumerated().map { (target: $1.to, mover: $0) }
    self.placements = placements.sorted { $0.target < $1.target }
  }

  mutating func operations() -> [TableChanges.Operation] {
    placements.map { target, mover in
      let from = mover.map { takeOut($0) }
      let to = IndexPath(row: currentRow(ofTarget: target), section: target.section)
      placedRanks[target.section, default: []].append(rank(ofTarget: target))
      guard let from else { return .insertRow(at: to, new: target) }
      return .moveRow(from: from, to: to, new: target)
    }
  }

  /// The current index path of a pending row, which is not pending afterwards.
  private mutating func takeOut(_ index: Int) -> IndexPath {
    let mover = movers[index]
    let start = moversOfSection[mover.section]?.lowerBound ?? index
    let pendingBefore = pendingCount(in: start..<index)
    let placedBefore = placedRanks[mover.section]?.partitionPoint { $0 <= mover.rank } ?? 0
    pending.update(at: index) { $0 = 0 }
    return IndexPath(row: mover.rank + placedBefore + pendingBefore, section: mover.section)
  }

  private func currentRow(ofTarget target: IndexPath) -> Int {
    guard let range = moversOfSection[target.section] else { return target.row }
    let rank = rank(ofTarget: target)
    let smaller = movers[range].partitionPoint { $0.rank < rank }
    return target.row + pendingCount(in: range.lowerBound..<smaller)
  }

  private func pendingCount(in range: Range<Int>) -> Int {
    pending.weight(before: range.upperBound) - pending.weight(before: range.lowerBound)
  }

  /// The number of staying rows before a target: all rows before it but the placed ones.
  private func rank(ofTarget target: IndexPath) -> Int {
    target.row - (placedRanks[target.section]?.count ?? 0)
  }
}
