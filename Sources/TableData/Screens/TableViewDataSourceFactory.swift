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
