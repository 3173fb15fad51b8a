extension TableViewDataSource: TableChangesObserver {
  /// The provider calls it. A section whose title is another one now is an updated section.
  public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    observer?.contentDidChange(of: self, by: titleUpdates(in: changes))
  }

  /// Updates the sections whose ``headerTitle`` or ``footerTitle`` is different now. Call it if the titles show
  /// anything that is not in the provider, such as a date.
  @discardableResult
  public func updateTitles() -> TableChanges { setTitles(makeTitle) }

  /// Sets the closures that make the titles, and notifies the observer of other titles.
  @discardableResult
  func setTitles(_ new: MakeTitle) -> TableChanges {
    let old = makeTitle
    makeTitle = new
    let changes = titleUpdates(in: TableChanges())
    guard !changes.isEmpty else { return changes }
    makeTitle = old
    observer?.contentWillChange(of: self)
    makeTitle = new
    observer?.contentDidChange(of: self, by: changes)
    return changes
  }

  func header(_ section: Int, _ info: SectionInfo) throws -> String? {
    guard let headerTitle else { return info.name }
    return try headerTitle(section)
  }

  func footer(_ section: Int, _ info: SectionInfo) throws -> String? {
    guard let footerTitle else { return info.footer }
    return try footerTitle(section)
  }

  /// The changes, with updates of the sections that have other titles than those that were given last.
  ///
  /// The provider itself reports the titles that it gives. If there are no changes, the closures may have been
  /// replaced, and all titles are compared. Complexity: O(sections + t) for t sections whose titles were given.
  func titleUpdates(in changes: TableChanges) -> TableChanges {
    guard changes.reset == nil else {
      (givenHeaders, givenFooters) = ([:], [:])
      return changes
    }
    let map = IndexPathMap(
      TableChanges(
        deletedSections: changes.deletedSections, insertedSections: changes.insertedSections))
    var updates = Set(changes.updatedSections)
    let sections = dataProvider.sections
    func move(
      _ given: inout [Int: String?], isOwn: Bool, _ title: (Int, SectionInfo) throws -> String?
    ) {
      var moved: [Int: String?] = [:]
      for (old, shown) in given {
        guard let new = map.newSection(of: old) else { continue }
        moved[new] = .some(shown)
        guard isOwn || changes.isEmpty, sections.indices.contains(new) else { continue }
        let current: String?
        do {
          current = try title(new, sections[new])
        } catch {
          // It is thrown where the title is shown.
          continue
        }
        guard current != shown else { continue }
        moved[new] = .some(current)
        updates.insert(TableChanges.SectionUpdate(old: old, new: new))
      }
      given = moved
    }
    move(&givenHeaders, isOwn: headerTitle != nil, header)
    move(&givenFooters, isOwn: footerTitle != nil, footer)
    var changes = changes
    changes.updatedSections = updates.sorted { $0.new < $1.new }
    return changes
  }
}
