/// A provider of another provider's sections that can fold each of them. A folded section has no rows.
///
/// ```swift
/// let albums = try FoldedDataProvider(tracksByAlbum)
/// try albums.setFolded(true, section: 2)
/// ```
///
/// It is the observer of the base, whose changes are applied in folded sections too. The header of a folded section
/// is shown, so updates of sections are passed on. A row that is moved or inserted into a folded section becomes its
/// first, and is hidden. A section that is deleted, and inserted again later or after a reset, is folded as it was
/// before. It is found by its identity. Not Sendable: use it on the actor of its base.
public final class FoldedDataProvider<Base: ViewModelDataProvider>: DerivedDataProvider {
  /// An item of the base.
  public typealias Item = Base.Item

  /// Notified of changes. The reference is weak.
  public weak var observer: (any TableChangesObserver)?
  /// The provider of all rows.
  public let base: Base
  /// Whether inserted sections are folded at first.
  package var foldsNewSections: Bool
  /// The sections of the base; folded ones have no rows.
  public private(set) var sections: [SectionInfo] = []

  private let gate = ChangeGate()
  private var folded: [Bool] = []
  /// The identity of each section; nil if it has none.
  private var identities: [AnyHashable?] = []
  /// Whether sections that do not exist now are folded.
  private var absent: [AnyHashable: Bool] = [:]

  /// Makes a provider of foldable sections. `isFolded` says whether they, and those that are inserted later, are
  /// folded at first.
  ///
  /// - Throws: `TableDataError` with code `.alreadyObserved` if the base has an observer.
  public convenience init(_ base: Base, isFolded: Bool = false) throws {
    try self.init(base, isFolded: isFolded, absent: [:])
  }

  /// Makes a provider whose sections are folded as those of another one, which it replaces: an array is swapped for a
  /// database, for example.
  ///
  /// - Throws: `TableDataError` with code `.alreadyObserved` if the base has an observer.
  public convenience init<Other>(
    _ base: Base, replacing other: FoldedDataProvider<Other>
  ) throws {
    var absent = other.absent
    for (identity, isFolded) in zip(other.identities, other.folded) {
      if let identity { absent[identity] = isFolded }
    }
    try self.init(base, isFolded: other.foldsNewSections, absent: absent)
  }

  private init(_ base: Base, isFolded: Bool, absent: [AnyHashable: Bool]) throws {
    self.base = base
    self.absent = absent
    foldsNewSections = isFolded
    for section in base.sections.indices { insertSection(section) }
    showSections()
    try base.setObserver(self)
  }

  /// Whether a section is folded.
  public func isFolded(section: Int) throws -> Bool {
    try TableDataError.requireSection(section, count: folded.count)
    return folded[section]
  }

  /// Folds or unfolds a section, which deletes or inserts its rows. O(rows of the section + sections).
  ///
  /// - Throws: `TableDataError` with code `.sectionOutOfRange`, and with code `.changeInProgress` in
  ///   `contentWillChange`.
  @discardableResult
  public func setFolded(_ isFolded: Bool, section: Int) throws -> TableChanges {
    guard try self.isFolded(section: section) != isFolded else { return TableChanges() }
    let count = try base.numberOfRows(inSection: section)
    let rows = Array(IndexPath.rows(count, inSection: section))
    let changes =
      isFolded ? TableChanges(deletedRows: rows.reversed()) : TableChanges(insertedRows: rows)
    return try gate.make(changes, for: self) {
      folded[section] = isFolded
      showSections()
    }
  }

  private func showSections() {
    sections = zip(base.sections, folded).map { info, isFolded in
      isFolded ? info.with(numberOfRows: 0) : info
    }
  }

  /// The same index path; nil if its section is folded. The end of a folded section is its start.
  public func indexPath(forBase indexPath: IndexPath) -> IndexPath? {
    // The base may already show a section before this list is notified of it.
    guard indexPath.count == 2, folded.indices.contains(indexPath.section) else { return nil }
    guard folded[indexPath.section] else { return indexPath }
    let end = try? base.numberOfRows(inSection: indexPath.section)
    return indexPath.row == end ? IndexPath(row: 0, section: indexPath.section) : nil
  }

  package func checkInvariants() throws {
    try BrokenInvariant.check(
      identities == (0..<identities.count).map(base.identityForSection),
      "the identities are not those of the sections of the base")
    try BrokenInvariant.check(
      folded.count == base.numberOfSections && identities.count == folded.count,
      "\(folded.count) sections, but the base has \(base.numberOfSections)")
  }

  // MARK: Changes of the base

  /// The base calls it.
  public func contentWillChange(of sender: any TableChangesSender) { gate.notifyWill(self) }

  /// Applies the changes of the base; if the section numbers do not fit, as a reset. Complexity: O(k + sections +
  /// inserted and deleted sections × sections) for k events.
  public func follow(_ changes: TableChanges) -> TableChanges {
    gate.isClosed = false
    let old = folded
    let count = base.numberOfSections
    defer { showSections() }
    guard changes.reset == nil, changes.hasSections(old: old.count, new: count) else {
      for section in old.indices.reversed() { removeSection(section) }
      for section in 0..<count { insertSection(section) }
      return .reset(oldSectionCount: old.count, newSectionCount: count)
    }
    for section in changes.deletedSections { removeSection(section) }
    for section in changes.insertedSections { insertSection(section) }
    // A row that is shown has the same index path in the base.
    return changes.converted(
      old: { old[$0.section] ? nil : $0 }, new: { folded[$0.section] ? nil : $0 })
  }

  private func removeSection(_ section: Int) {
    let isFolded = folded.remove(at: section)
    guard let identity = identities.remove(at: section) else { return }
    absent[identity] = isFolded == foldsNewSections ? nil : isFolded
  }

  private func insertSection(_ section: Int) {
    // A section whose identity cannot be read is folded as any new one.
    let identity = (try? base.identityForSection(section)) ?? nil
    identities.insert(identity, at: section)
    let isFolded = identity.flatMap { absent.removeValue(forKey: $0) }
    folded.insert(isFolded ?? foldsNewSections, at: section)
  }
}

extension FoldedDataProvider: EditableDataProvider where Base: EditableDataProvider {}
