extension PagingDataProvider {
  /// Makes a provider that loads pages into an array. An item whose identity is already in the list replaces that one
  /// at its place.
  ///
  /// The parameters are those of the other initialiser.
  ///
  /// - Throws: `TableDataError` with code `.alreadyObserved` if the base has an observer.
  public convenience init<Element: Sendable, Cursor: Sendable>(
    _ base: Base, edges: Set<PageEdge> = [.end], cursors: [PageEdge: Cursor] = [:],
    showsStatus: @escaping (PageStatus) -> Bool = { _ in true },
    load: @escaping @Sendable (PageRequest<Cursor>) async throws -> LoadedPage<Element, Cursor>
  ) throws where Base == ArrayDataProvider<Element> {
    try self.init(
      base, edges: edges, cursors: cursors, showsStatus: showsStatus,
      store: { page, edge in try base.insertPage(page.items, at: edge) }, load: load)
  }
}

extension ArrayDataProvider {
  /// Inserts a page before the first row or after the last one, as one batch. An item whose identity is already in
  /// the list replaces that one at its place; if the page has several with the same identity, the last one counts.
  /// O(n log n) if an item is already there, else O(n).
  @discardableResult
  package func insertPage(_ page: [Item], at edge: PageEdge) throws -> TableChanges {
    let identity = identity
    var items = items
    var rows = [AnyHashable: Int](
      uniqueKeysWithValues: items.enumerated().map { (identity($1), $0) })
    let count = items.count
    for item in page {
      if let row = rows[identity(item)] {
        items[row] = item
      } else {
        rows[identity(item)] = items.count
        items.append(item)
      }
    }
    // Most pages have new items only.
    guard items.count < count + page.count else {
      return try insert(page, at: edge == .start ? 0 : count)
    }
    if edge == .start { items = Array(items[count...] + items[..<count]) }
    return try setItems(items)
  }
}
