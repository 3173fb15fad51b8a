public import TableData

/// A screen with an injected factory, which makes its data source when the screen is first shown.
///
/// ```swift
/// let screen = ConfigurableTableViewController(factory: StoredCovers(database), onError: report)
/// try screen.loadDataSource()
///
/// try screen.configure(with: SampleCovers())  // the same screen, other rows
/// ```
///
/// Not Sendable: use it on the actor of its table, in an app the main actor.
open class ConfigurableTableViewController: TableViewController {
  /// The factory of the data source; ``configure(with:)`` sets it.
  public private(set) var factory: any TableViewDataSourceFactory

  /// Makes a screen without rows. ``loadDataSource()`` loads them.
  ///
  /// - Parameters:
  ///   - factory: makes the data source.
  ///   - selection: shared with the other screens that show it.
  ///   - router: shows the destinations of the rows.
  ///   - height: the number of rows that fit into the window.
  ///   - onError: as for a ``TableViewController``.
  public init(
    factory: any TableViewDataSourceFactory, selection: Selection = Selection(),
    router: (any TableRouter)? = nil, height: Int = 10,
    onError: ((any Error) -> Void)? = nil
  ) {
    self.factory = factory
    super.init(selection: selection, router: router, height: height, onError: onError)
  }

  /// Makes and shows the data source, unless there is one. Call it when the screen appears.
  ///
  /// - Throws: any error of the factory and of ``TableViewController/setDataSource(_:)``.
  public func loadDataSource() throws {
    guard dataSource == nil else { return }
    try setDataSource(try factory.makeDataSource())
  }

  /// Shows the rows of another factory, scrolled to the top.
  ///
  /// - Throws: any error of the factory; then nothing has changed. Any error of
  ///   ``TableViewController/setDataSource(_:)``.
  public func configure(with factory: any TableViewDataSourceFactory) throws {
    let dataSource = try factory.makeDataSource()
    self.factory = factory
    try setDataSource(dataSource)
  }
}
