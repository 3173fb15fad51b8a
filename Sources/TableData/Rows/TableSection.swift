/// What a table shows of one section. Not Sendable: use it on the actor of its table.
public struct TableSection {
  /// The number of rows.
  public var numberOfRows: Int
  /// The identity, which does not depend on the section's position or titles: an immutable value. Nil for none.
  public var identity: AnyHashable?
  /// What is shown above the rows.
  public var header: TableHeading
  /// What is shown below the rows.
  public var footer: TableHeading
  /// The title in the section index; nil for a section that is not in the index.
  public var indexTitle: String?

  /// Makes a section.
  public init(
    numberOfRows: Int, identity: AnyHashable? = nil, header: TableHeading = TableHeading(),
    footer: TableHeading = TableHeading(), indexTitle: String? = nil
  ) {
    self.numberOfRows = numberOfRows
    self.identity = identity
    self.header = header
    self.footer = footer
    self.indexTitle = indexTitle
  }
}

/// The header or the footer of a section: a title, or a view that shows a view model. Not Sendable: use it on the
/// actor of its table.
public struct TableHeading {
  /// The title; nil for none.
  public var title: String?
  /// What the view shows; nil for a title only.
  public var viewModel: Any?
  /// The view; nil for a title only.
  public var cell: TableCell?

  /// Makes a header or a footer.
  public init(_ title: String? = nil, viewModel: Any? = nil, cell: TableCell? = nil) {
    self.title = title
    self.viewModel = viewModel
    self.cell = cell
  }
}
