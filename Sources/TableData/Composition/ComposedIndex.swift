/// The titles of the index of a composed list, and the component that each of them leads to.
struct ComposedIndex {
  /// Where a title comes from.
  struct Entry {
    let component: Int
    /// The title's position in the component's own index.
    let position: Int
  }

  /// The titles without repetition, in the order of the components.
  private(set) var titles: [String] = []
  private var entries: [String: Entry] = [:]

  /// Collects the titles of the components. O(titles).
  init(_ components: [any ComposableTableViewDataSource]) {
    for (number, component) in components.enumerated() {
      for (position, title) in component.sectionIndexTitles().enumerated()
      where entries[title] == nil {
        entries[title] = Entry(component: number, position: position)
        titles.append(title)
      }
    }
  }

  /// Where a title comes from. Its position does not matter: no title is there twice.
  ///
  /// - Throws: `TableDataError` of code `.unknownIndexTitle`.
  func entry(forTitle title: String) throws -> Entry {
    guard let entry = entries[title] else {
      throw TableDataError.unknownIndexTitle(title, titles: titles)
    }
    return entry
  }
}
