#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What happened to a list between two of its states: one batch of section and row changes.
///
/// Everything that goes is told in the coordinates of the old state: deletes, and where a move or
/// an update comes from. Everything that comes is told in those of the new state: inserts, and where
/// a move or an update ends up. That is what `performBatchUpdates` of a table view expects; the
/// forms for others are derived from it: ``staged`` and ``sequential``.
///
/// ```swift
/// let changes = TableChanges(
///   deletedRows: [IndexPath(row: 3, section: 0)],
///   insertedRows: [IndexPath(row: 0, section: 1)])
/// ```
///
/// - Rows of a deleted section are also in ``deletedRows``, rows of an inserted section also in
///   ``insertedRows``; ``compacted`` leaves them out.
/// - No row moves out of a deleted or into an inserted section: it is deleted and inserted instead.
/// - A row is in at most one of the four lists, but for that exception. A row that its neighbours
///   displace is in none.
///
/// The lists are what their maker says: ``validate(oldCounts:newCounts:)`` tells whether they can be
/// true. Changes of several parts of one list become one batch by ``offset(old:new:)`` and
/// ``combined(_:)``.
///
/// Sendable: a plain value.
public struct TableChanges: Hashable, Sendable {
  /// A row whose place changed, which implies new content.
  public struct Move: Hashable, Sendable {
    /// The place in the old state.
    public let from: IndexPath
    /// The place in the new state.
    public let to: IndexPath

    /// Makes a move.
    public init(from: IndexPath, to: IndexPath) {
      self.from = from
      self.to = to
    }
  }

  /// A row whose content changed and whose place among its neighbours did not.
  public struct Update: Hashable, Sendable {
    /// The place in the old state.
    public let old: IndexPath
    /// The place in the new state: other rows may have come or gone before it.
    public let new: IndexPath

    /// Makes an update.
    public init(old: IndexPath, new: IndexPath) {
      self.old = old
      self.new = new
    }
  }

  /// Everything may be different: read the list anew. Then the lists below are empty.
  public private(set) var reset: Reset?

  /// The numbers of deleted sections in the old state, descending.
  public var deletedSections: [Int] = []
  /// The numbers of inserted sections in the new state, ascending.
  public var insertedSections: [Int] = []
  /// The places of deleted rows in the old state, descending.
  public var deletedRows: [IndexPath] = []
  /// The places of inserted rows in the new state, ascending.
  public var insertedRows: [IndexPath] = []
  /// The moved rows, by target, ascending.
  public var movedRows: [Move] = []
  /// The updated rows, by place, ascending.
  public var updatedRows: [Update] = []

  /// No changes.
  public init() {}

  /// Makes a batch of changes; each list must be in its order.
  public init(
    deletedSections: [Int] = [], insertedSections: [Int] = [], deletedRows: [IndexPath] = [],
    insertedRows: [IndexPath] = [], movedRows: [Move] = [], updatedRows: [Update] = []
  ) {
    self.deletedSections = deletedSections
    self.insertedSections = insertedSections
    self.deletedRows = deletedRows
    self.insertedRows = insertedRows
    self.movedRows = movedRows
    self.updatedRows = updatedRows
  }

  /// A list that has nothing in common with what it was.
  public struct Reset: Hashable, Sendable {
    /// The number of sections in the old state.
    public let oldSectionCount: Int
    /// The number of sections in the new state.
    public let newSectionCount: Int
  }

  /// Everything may be different.
  public static func reset(oldSectionCount: Int, newSectionCount: Int) -> TableChanges {
    var changes = TableChanges()
    changes.reset = Reset(oldSectionCount: oldSectionCount, newSectionCount: newSectionCount)
    return changes
  }

  /// Whether nothing happened.
  public var isEmpty: Bool { self == TableChanges() }

  /// The number of row events.
  public var rowCount: Int {
    deletedRows.count + insertedRows.count + movedRows.count + updatedRows.count
  }
}

extension TableChanges {
  /// The changes without the rows of deleted and of inserted sections, which go and come with them.
  ///
  /// Complexity: O(changes).
  public var compacted: TableChanges {
    guard reset == nil else { return self }
    let deleted = Set(deletedSections)
    let inserted = Set(insertedSections)
    var changes = self
    changes.deletedRows.removeAll { deleted.contains($0.section) }
    changes.insertedRows.removeAll { inserted.contains($0.section) }
    return changes
  }
}

extension TableChanges: CustomStringConvertible {
  /// The changes, a kind after the other: `-[3] +[0] -[1,4] +[0,2] [2,0]>[2,5] [0,0]=[0,1]`.
  ///
  /// `-` deletes and `+` inserts a section or a row, `>` moves and `=` updates a row.
  public var description: String {
    if let reset { return "reset \(reset.oldSectionCount)>\(reset.newSectionCount)" }
    let parts =
      deletedSections.map { "-[\($0)]" } + insertedSections.map { "+[\($0)]" }
      + deletedRows.map { "-\($0.brief)" } + insertedRows.map { "+\($0.brief)" }
      + movedRows.map { "\($0.from.brief)>\($0.to.brief)" }
      + updatedRows.map { "\($0.old.brief)=\($0.new.brief)" }
    return parts.isEmpty ? "no changes" : parts.joined(separator: " ")
  }
}

extension IndexPath {
  /// The numbers in brackets.
  fileprivate var brief: String { "[\(map(String.init).joined(separator: ","))]" }
}
