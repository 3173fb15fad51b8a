/// Makes the data source of a screen.
///
/// A screen with an injected factory does not depend on arrays or databases, and a test can inject another one:
/// <doc:ConfigurableScreens>.
public protocol TableViewDataSourceFactory {
  /// A new data source, which has no observer.
  ///
  /// - Throws: any error of reading the content; then the screen shows none.
  func makeDataSource() throws -> any ComposableTableViewDataSource
}
