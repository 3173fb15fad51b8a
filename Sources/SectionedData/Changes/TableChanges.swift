/// The section and row changes between two states of a list, as one batch.
///
/// Deletes, and the sources of moves and updates, are in the coordinates of the old state. Inserts, and the targets
/// of moves and updates, are in the coordinates of the new state. That is what `performBatchUpdates` of a table view
/// expects. ``staged`` and ``sequential`` give the forms that other views expect.
///
/// ```swift
/// let changes = TableChanges(
///   deletedRows: [IndexPath(row: 3, section: 0)],
///   insertedRows: [IndexPath(row: 0, section: 1)])
/// ```
///
/// - A section that stays, but whose title, index title, footer or totals are new, is in ``updatedSections``: draw
///   its header and footer again. Its rows have no event for that.
/// - The rows of a deleted section are also in ``deletedRows``, and the rows of an inserted section are also in
///   ``insertedRows``; ``compacted`` leaves them out.
/// - No row moves out of a deleted section or into an inserted one: it is deleted and inserted.
/// - Otherwise a row is in at most one of the four lists. A row that only shifts because of its neighbours is in
///   none.
///
/// The lists are not checked when they are set; `validate(oldCounts:newCounts:)` of *TableDataTesting* checks them.
/// ``offset(old:new:)`` and ``combined(_:)`` make one batch of the changes of several parts of a list. Sendable: a
/// plain value.
public struct TableChanges: Hashable, Codable, Sendable {
  /// A section that stays and has a new title, index title, footer or totals.
  public struct SectionUpdate: Hashable, Codable, Sendable {
    /// The number in the old state.
    public let old: Int
    /// The number in the new state. It differs if sections before it were inserted or deleted.
    public let new: Int

    /// Makes an update of a section.
    public init(old: Int, new: Int) {
      self.old = old
      self.new = new
    }
  }

  /// A row that moved. Its content may have changed too.
  public struct Move: Hashable, Codable, Sendable {
    /// The index path in the old state.
    public let from: IndexPath
    /// The index path in the new state.
    public let to: IndexPath
    /// Whether the content is known to be the same. So a list that is made of this one, and in which the row has not
    /// moved, has no event for it; otherwise that is an update. Moves are compared without it.
    public let keepsContent: Bool

    /// Makes a move.
    public init(from: IndexPath, to: IndexPath, keepsContent: Bool = false) {
      self.from = from
      self.to = to
      self.keepsContent = keepsContent
    }

    /// Whether both lead from the same index path to the same one.
    public static func == (lhs: Self, rhs: Self) -> Bool {
      (lhs.from, lhs.to) == (rhs.from, rhs.to)
    }

    /// Hashes the index paths.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(from)
      hasher.combine(to)
    }
  }

  /// A row that has new content, and did not move.
  public struct Update: Hashable, Codable, Sendable {
    /// The index path in the old state.
    public let old: IndexPath
    /// The index path in the new state. It differs if rows before it were inserted or deleted.
    public let new: IndexPath

    /// Makes an update.
    public init(old: IndexPath, new: IndexPath) {
      self.old = old
      self.new = new
    }
  }

  /// Set if everything may have changed: read the list again. Then the lists below are empty.
  public private(set) var reset: Reset?

  /// The numbers of deleted sections in the old state, descending.
  public var deletedSections: [Int] = []
  /// The numbers of inserted sections in the new state, ascending.
  public var insertedSections: [Int] = []
  /// The updated sections, ascending by new number.
  public var updatedSections: [SectionUpdate] = []
  /// The index paths of deleted rows in the old state, descending.
  public var deletedRows: [IndexPath] = []
  /// The index paths of inserted rows in the new state, ascending.
  public var insertedRows: [IndexPath] = []
  /// The moved rows, ascending by target.
  public var movedRows: [Move] = []
  /// The updated rows, ascending by new index path.
  public var updatedRows: [Update] = []
  /// Whether the totals of the whole list are new.
  public var updatesTotals = false

  /// Makes a batch of changes. Each list must be in its order.
  public init(
    deletedSections: [Int] = [], insertedSections: [Int] = [],
    updatedSections: [SectionUpdate] = [], deletedRows: [IndexPath] = [],
    insertedRows: [IndexPath] = [], movedRows: [Move] = [], updatedRows: [Update] = []
  ) {
    self.deletedSections = deletedSections
    self.insertedSections = insertedSections
    self.updatedSections = updatedSections
    self.deletedRows = deletedRows
    self.insertedRows = insertedRows
    self.movedRows = movedRows
    self.updatedRows = updatedRows
  }

  /// A list that may have nothing in common with the old state.
  public struct Reset: Hashable, Codable, Sendable {
    /// The number of sections in the old state.
    public let oldSectionCount: Int
    /// The number of sections in the new state.
    public let newSectionCount: Int
  }

  /// Changes that may concern everything.
  public static func reset(oldSectionCount: Int, newSectionCount: Int) -> TableChanges {
    var changes = TableChanges()
    changes.reset = Reset(oldSectionCount: oldSectionCount, newSectionCount: newSectionCount)
    return changes
  }

  /// Whether there are no changes.
  public var isEmpty: Bool {
    // Each step of each list asks. A comparison with an empty batch would make one.
    reset == nil && !updatesTotals
      && deletedSections.isEmpty && insertedSections.isEmpty && updatedSections.isEmpty
      && deletedRows.isEmpty && insertedRows.isEmpty && movedRows.isEmpty && updatedRows.isEmpty
  }

  /// The number of row events.
  public var rowCount: Int {
    deletedRows.count + insertedRows.count + movedRows.count + updatedRows.count
  }
}

extension TableChanges {
  /// The changes without the rows of deleted and inserted sections. O(k) for k events.
  public var compacted: TableChanges {
    guard reset == nil else { return self }
    let deleted = Set(deletedSections)
    let inserted = Set(insertedSections)
    var changes = self
    changes.deletedRows.removeAll { $0.first.map(deleted.contains) ?? true }
    changes.insertedRows.removeAll { $0.first.map(inserted.contains) ?? true }
    return changes
  }

  /// These changes, or a reset if not all of their index paths can be those of rows: only a faulty list has others. A
  /// reset gets the given numbers of sections, because those of a faulty list may be wrong.
  package func wellFormed(old oldCount: Int, new newCount: Int) -> TableChanges {
    isWellFormed && reset == nil
      ? self : .reset(oldSectionCount: oldCount, newSectionCount: newCount)
  }

  var isWellFormed: Bool {
    deletedRows.allSatisfy(\.isRow) && insertedRows.allSatisfy(\.isRow)
      && movedRows.allSatisfy { $0.from.isRow && $0.to.isRow }
      && updatedRows.allSatisfy { $0.old.isRow && $0.new.isRow }
  }

  /// The sections that are neither deleted nor inserted, by their old and new numbers.
  package func keptSections(old oldCount: Int, new newCount: Int) -> [SectionUpdate] {
    let deleted = Set(deletedSections)
    let inserted = Set(insertedSections)
    return zip(
      (0..<oldCount).lazy.filter { !deleted.contains($0) },
      (0..<newCount).lazy.filter { !inserted.contains($0) }
    ).map { SectionUpdate(old: $0, new: $1) }
  }

  /// Whether all sections of the events exist, and the numbers of sections agree. It does not check the rows.
  package func hasSections(old oldCount: Int, new newCount: Int) -> Bool {
    guard isWellFormed else { return false }
    let (oldRows, newRows) = self.rows
    let old = deletedSections + updatedSections.map(\.old) + oldRows.map(\.section)
    let new = insertedSections + updatedSections.map(\.new) + newRows.map(\.section)
    return deletedSections.isSorted(by: >) && insertedSections.isSorted(by: <)
      && old.allSatisfy { 0..<oldCount ~= $0 } && new.allSatisfy { 0..<newCount ~= $0 }
      && oldCount + insertedSections.count - deletedSections.count == newCount
  }

  /// Whether the changes lead from some numbers of rows to others: all rows exist, none has two events, and the
  /// numbers agree. Of an inserted section, all rows are inserted, or none is listed.
  package func lead(from oldCounts: [Int], to newCounts: [Int]) -> Bool {
    let (oldRows, newRows) = self.rows
    guard hasSections(old: oldCounts.count, new: newCounts.count),
      Set(oldRows).count == oldRows.count, Set(newRows).count == newRows.count,
      oldRows.allSatisfy({ $0.row >= 0 && $0.row < oldCounts[$0.section] }),
      newRows.allSatisfy({ $0.row >= 0 && $0.row < newCounts[$0.section] })
    else { return false }
    // An update takes a row away and gives it back.
    let (lost, gained) = (oldRows.countsBySection, newRows.countsBySection)
    let inserted = insertedRows.countsBySection
    // No row moves into an inserted section or out of a deleted one.
    guard
      insertedSections.allSatisfy({ section in
        gained[section] == inserted[section]
          && (inserted[section] ?? newCounts[section]) == newCounts[section]
      }), Set(deletedSections).isDisjoint(with: changedRows.lazy.map(\.old.section))
    else { return false }
    return keptSections(old: oldCounts.count, new: newCounts.count).allSatisfy {
      oldCounts[$0.old] - lost[$0.old, default: 0] + gained[$0.new, default: 0] == newCounts[$0.new]
    }
  }

  private var rows: (old: [IndexPath], new: [IndexPath]) {
    (deletedRows + changedRows.map(\.old), insertedRows + changedRows.map(\.new))
  }
}

extension Array {
  /// Whether `areInOrder` is true for each element and the next. O(n).
  package func isSorted(by areInOrder: (Element, Element) -> Bool) -> Bool {
    zip(self, dropFirst()).allSatisfy(areInOrder)
  }
}

extension TableChanges: CustomStringConvertible {
  /// The changes, one kind after the other: `-[3] +[0] [1]=[2] -[1,4] +[0,2] [2,0]>[2,5] [0,0]=[0,1]`.
  ///
  /// `-` deletes, `+` inserts and `=` updates a section or a row, and `>` moves a row. `totals` follows if those of
  /// the whole list are new.
  public var description: String {
    if let reset { return "reset \(reset.oldSectionCount)>\(reset.newSectionCount)" }
    let parts =
      deletedSections.map { "-[\($0)]" } + insertedSections.map { "+[\($0)]" }
      + updatedSections.map { "[\($0.old)]=[\($0.new)]" }
      + deletedRows.map { "-\($0.brief)" } + insertedRows.map { "+\($0.brief)" }
      + movedRows.map { "\($0.from.brief)>\($0.to.brief)" }
      + updatedRows.map { "\($0.old.brief)=\($0.new.brief)" } + (updatesTotals ? ["totals"] : [])
    return parts.isEmpty ? "no changes" : parts.joined(separator: " ")
  }
}

extension [IndexPath] {
  /// The number of index paths in each section that has any.
  package var countsBySection: [Int: Int] {
    reduce(into: [:]) { counts, path in counts[path.section, default: 0] += 1 }
  }
}

extension IndexPath {
  /// The numbers in brackets, as changes show them: `[1,4]`.
  package var brief: String { "[\(map(String.init).joined(separator: ","))]" }
}
