public import TableData

/// A provider of the rows of a data source, so that the checks for providers can be used for it
/// too.
///
/// ```swift
/// let list = try ComposedTableViewDataSource([form, covers])
/// let harness = try ProviderHarness(DataSourceProvider(list))
/// harness.observe()
/// ```
///
/// It is the observer of the data source.
///
/// Not Sendable: use it where its data source is used.
public final class DataSourceProvider: RowDisplayObserver {
  /// A row's identity and content.
  public struct Item: Identifiable, Equatable {
    /// The identity of the row, which does not depend on its position.
    public let id: AnyHashable
    /// The identity of what the row shows, which it keeps in another component of a composed list.
    public let itemID: AnyHashable?
    /// The view model of the row as text.
    public let text: String
  }

  /// Notified of the data source's changes. Weak.
  public weak var observer: (any TableChangesObserver)?
  /// The data source.
  public let source: any ComposableTableViewDataSource
  private var displayed: [AnyHashable: TableRow] = [:]

  /// Makes a provider for a data source, all of whose rows must have an identity.
  ///
  /// - Throws: `TableDataError` with code `.alreadyObserved` if the data source has another observer, such
  ///   as a screen.
  public init(_ source: any ComposableTableViewDataSource) throws {
    self.source = source
    try source.setObserver(self)
  }

  /// The sections, named by their headers.
  public var sections: [SectionInfo] {
    (0..<source.numberOfSections).map { number in
      do {
        let section = try source.section(number)
        return SectionInfo(
          name: section.header.title, indexTitle: section.indexTitle,
          footer: section.footer.title, numberOfRows: section.numberOfRows)
      } catch {
        // The negative count is reported by the check of the counts.
        return SectionInfo(name: "\(error)", numberOfRows: -1)
      }
    }
  }

  /// The identity of a section, or its title if it has none.
  ///
  /// - Throws: what the data source throws.
  public func identityForSection(_ section: Int) throws -> AnyHashable? {
    let section = try source.section(section)
    return section.identity ?? AnyHashable(section.header.title)
  }

  /// The identity and content of a row.
  ///
  /// - Throws: `ProviderViolation` with code `.wrongIdentity` for a row without an identity; what the
  ///   data source throws.
  public func item(at indexPath: IndexPath) throws -> Item {
    let row = try source.row(at: indexPath)
    guard let id = try row.identity else {
      throw ProviderViolation(.wrongIdentity, "the row \(indexPath.brief) has no identity")
    }
    return Item(
      id: id, itemID: try row.itemIdentity, text: String(describing: row.viewModel))
  }

  /// The identity of a row.
  ///
  /// - Throws: what the data source throws.
  public func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
    try source.row(at: indexPath).identity
  }

  /// The index path of the row with an identity; nil if there is none.
  ///
  /// - Throws: what the data source throws.
  public func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
    try source.indexPath(forIdentity: identity)
  }

  /// Notifies a row that it is displayed.
  ///
  /// - Throws: what the data source throws.
  public func willDisplayRow(at indexPath: IndexPath) throws {
    let row = try source.row(at: indexPath).identified()
    if let identity = try row.identity { displayed[identity] = row }
    try row.willDisplay()
  }

  /// Notifies a row that it is no longer displayed.
  public func didEndDisplayingRow(withIdentity identity: AnyHashable) {
    displayed.removeValue(forKey: identity)?.didEndDisplaying()
  }
}

// The default implementations notify its own observer.
extension DataSourceProvider: TableChangesObserver {}

// MARK: - What a data source must say itself

extension DataSourceProvider {
  /// Checks that both counts of a section are the same, and the errors for sections and rows that do not exist.
  /// For a provider they follow from its sections.
  func checkSource() throws {
    let sections = sections
    for section in [-1, sections.count, Int.max] {
      try expect(.sectionOutOfRange, of: "numberOfRows(inSection: \(section))") {
        try source.numberOfRows(inSection: section)
      }
      try expect(.sectionOutOfRange, of: "section(\(section))") {
        "\(try source.section(section).numberOfRows) rows"
      }
      try expectNoRow(at: IndexPath(row: 0, section: section), .sectionOutOfRange)
    }
    for (number, info) in sections.enumerated() {
      let count = try source.numberOfRows(inSection: number)
      guard count == info.numberOfRows else {
        throw ProviderViolation(
          .counts,
          "section \(number) says that it has \(info.numberOfRows) rows, but "
            + "`numberOfRows(inSection:)` is \(count)")
      }
      for row in [-1, info.numberOfRows, Int.max] {
        try expectNoRow(at: IndexPath(row: row, section: number), .rowOutOfRange)
      }
    }
    for place: IndexPath in [[], [0], [0, 0, 0]] { try expectNoRow(at: place, .malformedIndexPath) }
  }

  private func expectNoRow(at place: IndexPath, _ code: TableDataError.Code) throws {
    try expect(code, of: "row(at: \(place.brief))") { try source.row(at: place).viewModel }
  }

  private func expect<Answer>(
    _ code: TableDataError.Code, of call: String, _ body: () throws -> Answer
  ) throws {
    let result: String
    do {
      result = "gives: \(try body())"
    } catch let error as TableDataError where error.code == code {
      return
    } catch {
      result = "throws: \(error)"
    }
    throw ProviderViolation(
      .missingError, "`\(call)` must throw a TableDataError of code .\(code), and \(result)")
  }
}
