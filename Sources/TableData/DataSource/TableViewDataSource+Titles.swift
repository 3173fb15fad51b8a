extension TableViewDataSource: TableChangesObserver {
  /// The provider calls it. A section whose title is another one now is an updated section.
  public func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    observer?.contentDidChange(of: self, by: titleUpdates(in: changes))
  }

  /// Notifies the observer of the sections whose titles ``headerTitle`` and ``footerTitle`` give
  /// differently now. Call it if the titles show anything that is not in the provider, such as a date.
  ///
  /// - Returns: the changes.
  @discardableResult
  public func updateTitles() -> TableChanges {
    setTitles(makeTitle)
  }

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

  func header(ofSection section: Int) throws -> String? {
    let title = try dataProvider.title(forSection: section)
    guard let headerTitle else { return title }
    return try headerTitle(section)
  }

  func footer(ofSection section: Int, in sections: [SectionInfo]) throws -> String? {
    try TableDataError.requireSection(section, count: sections.count)
    guard let footerTitle else { return sections[section].footer }
    return footerTitle(sections[section])
  }

  /// The changes, with updates of the sections that have other titles than those that were given last.
  ///
  /// The provider itself reports the titles that it gives. If there are no changes, the closures may have
  /// been replaced, and all titles are compared.
  ///
  /// Complexity: O(sections + t) for t sections whose titles were given.
  func titleUpdates(in changes: TableChanges) -> TableChanges {
    guard changes.reset == nil else {
      (givenHeaders, givenFooters) = ([:], [:])
      return changes
    }
    let map = IndexPathMap(
      TableUpdates(
        TableChanges(
          deletedSections: changes.deletedSections, insertedSections: changes.insertedSections)))
    var updates = Set(changes.updatedSections)
    func move(_ given: inout [Int: String?], isOwn: Bool, _ title: (Int) throws -> String?) {
      var moved: [Int: String?] = [:]
      for (old, shown) in given {
        guard let new = map.newSection(of: old) else { continue }
        moved[new] = .some(shown)
        // A title that cannot be read throws its error where it is shown.
        guard isOwn || changes.isEmpty, let current = try? title(new), current != shown else {
          continue
        }
        moved[new] = .some(current)
        updates.insert(TableChanges.SectionUpdate(old: old, new: new))
      }
      given = moved
    }
    move(&givenHeaders, isOwn: headerTitle != nil, header)
    let sections = dataProvider.sections
    move(&givenFooters, isOwn: footerTitle != nil) { try footer(ofSection: $0, in: sections) }
    var changes = changes
    changes.updatedSections = updates.sorted { $0.new < $1.new }
    return changes
  }
}
