/// Makes the data source of a screen.
///
/// A screen with an injected factory does not depend on arrays or databases. A test can inject another
/// factory.
///
/// ```swift
/// struct StoredCovers: TableViewDataSourceFactory {
///   let database: Database
///   func makeDataSource() throws -> any ComposableTableViewDataSource {
///     let covers = try FetchedResultsProvider(database: database, request: Cover.all)
///     try covers.performFetch()
///     let source = try TableViewDataSource(dataProvider: covers)
///     source.registerCell(CoverCell.self)
///     return source
///   }
/// }
/// ```
public protocol TableViewDataSourceFactory {
  /// A new data source, which has no observer.
  ///
  /// - Throws: any error of reading the content; then the screen shows none.
  func makeDataSource() throws -> any ComposableTableViewDataSource
}
