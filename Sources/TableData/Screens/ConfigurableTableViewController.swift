/// A screen that is configured from outside: a factory makes its data source, when it is shown first.
///
/// ```swift
/// let screen = ConfigurableTableViewController(factory: StoredCovers(database), onError: report)
/// try screen.loadDataSource()
///
/// try screen.configure(with: SampleCovers())  // the same screen, other rows
/// ```
///
/// Not Sendable: it belongs where its table belongs, the main actor in an app.
open class ConfigurableTableViewController: TableViewController {
  /// Who makes the data source; ``configure(with:)`` sets it.
  public private(set) var factory: any TableViewDataSourceFactory

  /// Makes a screen without rows, which ``loadDataSource()`` brings.
  ///
  /// - Parameters:
  ///   - factory: makes the data source.
  ///   - selection: shared with the other screens that show it.
  ///   - router: who shows what the rows lead to.
  ///   - height: the number of rows that fit into the window.
  ///   - onError: as for a ``TableViewController``.
  public init(
    factory: any TableViewDataSourceFactory, selection: Selection = Selection(),
    router: (any TableRouter)? = nil, height: Int = 10, onError: @escaping (any Error) -> Void
  ) {
    self.factory = factory
    super.init(selection: selection, router: router, height: height, onError: onError)
  }

  /// Shows the factory's rows, unless it does already: when the screen appears.
  ///
  /// - Throws: what the factory throws, and ``TableViewController/setDataSource(_:)``.
  public func loadDataSource() throws {
    guard dataSource == nil else { return }
    try setDataSource(try factory.makeDataSource())
  }

  /// Shows the rows of another factory, from their beginning.
  ///
  /// - Throws: what the factory throws: then nothing has changed. What
  ///   ``TableViewController/setDataSource(_:)`` throws.
  public func configure(with factory: any TableViewDataSourceFactory) throws {
    let dataSource = try factory.makeDataSource()
    self.factory = factory
    try setDataSource(dataSource)
  }
}

/// Makes the data source of a screen: the one who knows where the content is.
///
/// A screen is given a factory and knows nothing of arrays and databases. In a test it is given
/// another one.
///
/// ```swift
/// struct StoredCovers: TableViewDataSourceFactory {
///   let database: Database
///   func makeDataSource() throws -> any ComposableTableViewDataSource {
///     let covers = try FetchedResultsProvider(database: database, request: Cover.all)
///     try covers.performFetch()
///     let source = try TableViewDataSource(dataProvider: covers)
///     try source.registerCell(class: CoverCell.self, identifier: "cover", for: Cover.self)
///     return source
///   }
/// }
/// ```
public protocol TableViewDataSourceFactory {
  /// A new data source, which has no observer.
  ///
  /// - Throws: what is wrong with the content; the screen then shows none.
  func makeDataSource() throws -> any ComposableTableViewDataSource
}
