import CountedTrees

/// A provider of another provider's rows, without those that a predicate rejects.
///
/// The sections are the same; a section without accepted rows stays, and is empty. Titles and totals are those of the
/// base, for all of its rows, and so are the updates of sections. When the base changes, only inserted, moved and
/// updated items are read again.
///
/// ```swift
/// let short = try FilteredDataProvider(tracks) { $0.seconds < 60 }
/// try short.setFilter { $0.title.contains(searchText) }
/// ```
///
/// It is the observer of the base. A row whose item cannot be read is shown, since the predicate cannot decide on it:
/// reading the row throws its error. If the predicate throws, the provider has no sections, and notifies its own
/// observer of that and of the error. It recovers with the next change of the base. A row is inserted into the base
/// before the row that is next in this list, or at the end of the section. Not Sendable: use it on the actor of its
/// base.
public final class FilteredDataProvider<Base: ViewModelDataProvider>: DerivedDataProvider {
  /// An item of the base.
  public typealias Item = Base.Item

  /// Notified of changes. The reference is weak.
  public weak var observer: (any TableChangesObserver)?
  /// The provider of all rows.
  public let base: Base
  /// The sections of the base, with the numbers of accepted rows.
  public private(set) var sections: [SectionInfo] = []

  private let gate = ChangeGate()
  private var isIncluded: (Item) throws -> Bool
  /// For each section of the base, and for each of its rows: 1 if the row is accepted, else 0.
  private var rows: [PrefixSums] = [] {
    didSet { showSections() }
  }

  /// Makes a filter. O(n): all items are read.
  ///
  /// - Parameter isIncluded: whether an item is accepted. It is called again only if the base says that the item has
  ///   changed.
  /// - Throws: `TableDataError` with code `.alreadyObserved` if the base has an observer; any error of `isIncluded`.
  public init(_ base: Base, isIncluded: @escaping (Item) throws -> Bool) throws {
    self.base = base
    self.isIncluded = isIncluded
    rows = try allRows(isIncluded)
    showSections()
    try base.setObserver(self)
  }

  /// Sets another filter, and notifies the observer of the rows that appear and disappear. O(n): all items are read.
  ///
  /// - Throws: any error of `isIncluded`, and `TableDataError` with code `.changeInProgress` in `contentWillChange`. Then
  ///   nothing has changed.
  @discardableResult
  public func setFilter(_ isIncluded: @escaping (Item) throws -> Bool) throws -> TableChanges {
    try gate.requireOpen()
    let new = try allRows(isIncluded)
    return try gate.make(changes(to: new), for: self) {
      self.isIncluded = isIncluded
      rows = new
    }
  }

  /// The changes of another filter. Rows that stay keep their order.
  private func changes(to new: [PrefixSums]) -> TableChanges {
    guard new.count == rows.count else {
      return .reset(oldSectionCount: rows.count, newSectionCount: new.count)
    }
    var changes = TableChanges()
    for (section, pair) in zip(rows, new).enumerated() {
      var row = (old: 0, new: 0)
      for isShown in zip(pair.0.elements(), pair.1.elements()) {
        if isShown == (1, 0) { changes.deletedRows.append([section, row.old]) }
        if isShown == (0, 1) { changes.insertedRows.append([section, row.new]) }
        row.old += isShown.0
        row.new += isShown.1
      }
    }
    changes.deletedRows.reverse()
    return changes
  }

  private func showSections() {
    sections = zip(base.sections, rows).map { info, rows in info.with(numberOfRows: rows.weight) }
  }

  /// The index path in the base of a row of this list, or of the end of a section. O(log n).
  public func baseIndexPath(for indexPath: IndexPath) -> IndexPath? {
    guard indexPath.count == 2, rows.indices.contains(indexPath.section) else { return nil }
    let section = rows[indexPath.section]
    guard 0...section.weight ~= indexPath.row else { return nil }
    let row =
      indexPath.row == section.weight
      ? section.count : section.position(containingWeight: indexPath.row).position
    return IndexPath(row: row, section: indexPath.section)
  }

  /// The index path in this list of a row of the base, or of the end of a section; nil if the row is not accepted, or
  /// does not exist. O(log n).
  public func indexPath(forBase indexPath: IndexPath) -> IndexPath? {
    Self.indexPath(forBase: indexPath, in: rows)
  }

  private static func indexPath(
    forBase indexPath: IndexPath, in rows: [PrefixSums]
  ) -> IndexPath? {
    guard indexPath.count == 2, rows.indices.contains(indexPath.section) else { return nil }
    let section = rows[indexPath.section]
    guard 0...section.count ~= indexPath.row,
      indexPath.row == section.count || section[indexPath.row] == 1
    else { return nil }
    return IndexPath(row: section.weight(before: indexPath.row), section: indexPath.section)
  }

  private func allRows(_ isIncluded: (Item) throws -> Bool) throws -> [PrefixSums] {
    try base.sections.indices.map { try allRows(inSection: $0, isIncluded) }
  }

  private func allRows(
    inSection section: Int, _ isIncluded: (Item) throws -> Bool
  ) throws -> PrefixSums {
    let rows = IndexPath.rows(try base.numberOfRows(inSection: section), inSection: section)
    return PrefixSums(try rows.map { try isShown($0, isIncluded) })
  }

  private func isShown(
    _ indexPath: IndexPath, _ isIncluded: (Item) throws -> Bool
  ) throws -> Int {
    let item: Item
    do {
      item = try base.itemForRow(at: indexPath)
    } catch let error as TableDataError {
      // The base does not have the rows that it says.
      throw error
    } catch {
      // The error of that row alone: it is thrown again where the row is read.
      return 1
    }
    return try isIncluded(item) ? 1 : 0
  }

  /// Checks that exactly the accepted rows of the base are shown. O(n), and all items are read.
  package func checkInvariants() throws {
    let expected = try allRows(isIncluded).map { Array($0.elements()) }
    for section in rows { try section.checkInvariants() }
    let shown = rows.map { Array($0.elements()) }
    try BrokenInvariant.check(
      shown == expected, "shown rows of the base: \(shown), accepted rows: \(expected)")
  }

  /// The base calls it.
  public func contentWillChange(of sender: any TableChangesSender) { gate.notifyWill(self) }

  /// Applies the changes of the base. If they are not legal, or follow a failure, the result is a reset. Complexity:
  /// O(sections + k log n) for k events; k items are read.
  public func follow(_ changes: TableChanges) throws -> TableChanges {
    gate.isClosed = false
    let old = rows
    do {
      let counts = base.sections.map(\.numberOfRows)
      guard changes.reset == nil, changes.lead(from: old.map(\.count), to: counts) else {
        rows = try allRows(isIncluded)
        return .reset(oldSectionCount: old.count, newSectionCount: rows.count)
      }
      rows = try rows(after: changes)
    } catch {
      rows = []
      throw error
    }
    return changes.converted(
      old: { Self.indexPath(forBase: $0, in: old) }, new: indexPath(forBase:))
  }

  /// The accepted rows after the changes of the base.
  private func rows(after changes: TableChanges) throws -> [PrefixSums] {
    var rows = rows
    for path in (changes.deletedRows + changes.movedRows.map(\.from)).sorted(by: >) {
      rows[path.section].remove(at: path.row)
    }
    for section in changes.deletedSections { rows.remove(at: section) }
    for section in changes.insertedSections { rows.insert(PrefixSums(), at: section) }
    for path in (changes.insertedRows + changes.movedRows.map(\.to)).sorted() {
      rows[path.section].insert(try isShown(path, isIncluded), at: path.row)
    }
    // The changes may not list the rows of these sections.
    for section in changes.insertedSections where rows[section].count == 0 {
      rows[section] = try allRows(inSection: section, isIncluded)
    }
    for path in changes.updatedRows.map(\.new) {
      let isShown = try isShown(path, isIncluded)
      rows[path.section].update(at: path.row) { $0 = isShown }
    }
    return rows
  }
}

extension FilteredDataProvider: EditableDataProvider where Base: EditableDataProvider {}
