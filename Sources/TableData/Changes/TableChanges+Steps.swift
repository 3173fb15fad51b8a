#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension TableChanges {
  /// The same changes as single steps, each in the coordinates of its moment: for `NSTableView` and
  /// whatever else takes one operation after the other.
  ///
  /// First everything goes, then everything comes or moves, then everything is updated. Rows of a
  /// deleted section go before it, rows of an inserted section come after it.
  ///
  /// ```swift
  /// for operation in changes.sequential {
  ///   switch operation {
  ///   case .deleteRow(let place): view.removeRow(at: place)
  ///   case .insertRow(let place, let new): view.insertRow(try provider.object(at: new), at: place)
  ///   …
  ///   }
  /// }
  /// ```
  ///
  /// A step too many is never told: with m events there are m operations.
  ///
  /// Complexity: O(k log k) for k events, however long the list is.
  public var sequential: [Operation] {
    if let reset { return [.reset(reset)] }
    var operations: [Operation] = []
    operations.reserveCapacity(deletedSections.count + insertedSections.count + rowCount)
    // Downwards nothing that goes displaces what goes after it, and upwards nothing that comes
    // displaces what came before it: so the numbers are still the old and already the new ones.
    operations += deletedRows.sorted(by: >).map(Operation.deleteRow(at:))
    operations += deletedSections.sorted(by: >).map(Operation.deleteSection(at:))
    operations += insertedSections.sorted().map(Operation.insertSection(at:))
    var arrivals = Arrivals(self)
    operations += arrivals.operations()
    operations += updatedRows.map { Operation.updateRow(at: $0.new) }
    return operations
  }
}

/// The step in which rows are put into their new places, when all that goes is gone and all sections
/// that come are there.
///
/// At any moment of it a section consists of the rows that stay, of those *placed* already and of
/// the movers still *pending* at their old place. The rows that stay divide the section into gaps,
/// which are the same in old and in new places. Targets are placed ascending, and within a gap
/// before all pending movers. So:
///
/// - before target t are the rows that will be there in the end, all placed or staying, and the
///   pending movers of smaller gaps;
/// - before a pending mover of gap g are g staying rows, the rows placed in gaps up to g, and the
///   pending movers that were before it.
private struct Arrivals {
  private struct Mover {
    /// The new number of the section it comes from.
    let section: Int
    let gap: Int
  }

  private struct Placement {
    let target: IndexPath
    /// Which of the movers comes here; nil for a row that is new.
    let mover: Int?
  }

  /// Ascending by old place, so those of a section are next to each other and their gaps ascend.
  private let movers: [Mover]
  private let moversOfSection: [Int: Range<Int>]
  private var pending: PresenceCounts
  /// Ascending by target.
  private let placements: [Placement]
  /// The gaps of the rows placed so far, for each section. They ascend.
  private var placedGaps: [Int: [Int]] = [:]

  init(_ changes: TableChanges) {
    let goneSections = PlaceSet(changes.deletedSections)
    let newSections = PlaceSet(changes.insertedSections)
    let goneRows = PlaceSet.bySection(changes.deletedRows + changes.movedRows.map(\.from))
    let moves = changes.movedRows.sorted { $0.from < $1.from }
    let movers = moves.map { move in
      let section = newSections.place(atGap: goneSections.gap(of: move.from.section))
      let gap = goneRows[move.from.section]?.gap(of: move.from.row) ?? move.from.row
      return Mover(section: section, gap: gap)
    }
    var ranges: [Int: Range<Int>] = [:]
    for (index, mover) in movers.enumerated() {
      ranges[mover.section] = (ranges[mover.section]?.lowerBound ?? index)..<index + 1
    }
    self.movers = movers
    moversOfSection = ranges
    pending = PresenceCounts(count: movers.count)
    let placements =
      changes.insertedRows.map { Placement(target: $0, mover: nil) }
      + moves.enumerated().map { Placement(target: $1.to, mover: $0) }
    self.placements = placements.sorted { $0.target < $1.target }
  }

  mutating func operations() -> [TableChanges.Operation] {
    placements.map { placement in
      let from = placement.mover.map { takeOut($0) }
      let target = placement.target
      let to = IndexPath(row: currentRow(ofTarget: target), section: target.section)
      placedGaps[target.section, default: []].append(gap(ofTarget: target))
      guard let from else { return .insertRow(at: to, new: target) }
      return .moveRow(from: from, to: to, new: target)
    }
  }

  /// Where a mover is at the moment; from now on it is no longer there.
  private mutating func takeOut(_ index: Int) -> IndexPath {
    let mover = movers[index]
    let start = moversOfSection[mover.section]?.lowerBound ?? index
    let pendingBefore = pending.count(in: start..<index)
    let placedBefore = placedGaps[mover.section]?.partitionPoint { $0 <= mover.gap } ?? 0
    pending.remove(index)
    return IndexPath(row: mover.gap + placedBefore + pendingBefore, section: mover.section)
  }

  private func currentRow(ofTarget target: IndexPath) -> Int {
    guard let range = moversOfSection[target.section] else { return target.row }
    let gap = gap(ofTarget: target)
    let smaller = movers[range].partitionPoint { $0.gap < gap }
    return target.row + pending.count(in: range.lowerBound..<smaller)
  }

  /// How many rows that stay are before a target: all before it but the placed ones.
  private func gap(ofTarget target: IndexPath) -> Int {
    target.row - (placedGaps[target.section]?.count ?? 0)
  }
}

extension TableChanges {
  /// One step of the changes told one after the other. See ``sequential``.
  ///
  /// `at`, `from` and `to` are the coordinates of that moment: what the steps before it have made of
  /// the list. `new` is the row's place in the new state, where a provider has its content.
  public enum Operation: Hashable, Sendable {
    /// Everything may be different: read the list anew.
    case reset(Reset)
    /// A row goes.
    case deleteRow(at: IndexPath)
    /// A section goes; its rows have gone before it, or go with it where the changes don't list them.
    case deleteSection(at: Int)
    /// A section comes. Its rows follow one by one, or come with it where the changes don't list
    /// them.
    case insertSection(at: Int)
    /// A row comes.
    case insertRow(at: IndexPath, new: IndexPath)
    /// A row goes from one place to another, and has new content. `to` counts without the row: first
    /// take it out, then put it in, as `NSTableView.moveRow(at:to:)` has it.
    case moveRow(from: IndexPath, to: IndexPath, new: IndexPath)
    /// A row has new content. The place is also the one in the new state.
    case updateRow(at: IndexPath)
  }
}

extension TableChanges {
  /// The same changes as up to three batches, each legal by itself, one applied after the other.
  ///
  /// For a view that gets mixed batches wrong, or that cannot reload and move at once:
  ///
  /// 1. deletes of rows and sections, in old coordinates;
  /// 2. inserts of sections and rows, in new coordinates, and moves: *to* in new coordinates, *from*
  ///    in those after the first batch;
  /// 3. updates, of which both places are new ones.
  ///
  /// ```swift
  /// for batch in changes.staged { view.perform(batch) }
  /// ```
  ///
  /// Between two batches the content is neither the old nor the new one, which no provider holds: a
  /// view that asks for it has to be answered from a copy that takes part in the batches. A batch
  /// without events is left out; a reset is the only batch.
  ///
  /// Complexity: O(k log k) for k events.
  public var staged: [TableChanges] {
    guard reset == nil else { return [self] }
    var deletes = TableChanges()
    deletes.deletedSections = deletedSections
    deletes.deletedRows = deletedRows

    let goneSections = PlaceSet(deletedSections)
    let goneRows = PlaceSet.bySection(deletedRows)
    var arrivals = TableChanges()
    arrivals.insertedSections = insertedSections
    arrivals.insertedRows = insertedRows
    arrivals.movedRows = movedRows.map { move in
      let row = goneRows[move.from.section]?.gap(of: move.from.row) ?? move.from.row
      let from = IndexPath(row: row, section: goneSections.gap(of: move.from.section))
      return Move(from: from, to: move.to)
    }

    var updates = TableChanges()
    updates.updatedRows = updatedRows.map { Update(old: $0.new, new: $0.new) }
    return [deletes, arrivals, updates].filter { !$0.isEmpty }
  }
}
