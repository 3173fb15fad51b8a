#if canImport(UIKit) && !os(watchOS)
  import Foundation
  import TableData
  import UIKit

  final class PlanetView: UITableViewCell, @MainActor Configurable {
    func configure(with planet: Planet) { textLabel?.text = planet.name }
  }

  final class PlanetItem: UICollectionViewListCell, @MainActor Configurable {
    func configure(with planet: Planet) {
      var content = defaultContentConfiguration()
      content.text = planet.name
      contentConfiguration = content
    }
  }

  struct StoredPlanets: @MainActor TableViewDataSourceFactory {
    let planets: ArrayDataProvider<Planet>

    @MainActor func makeDataSource() throws -> any ComposableTableViewDataSource {
      let source = try TableViewDataSource(dataProvider: planets)
      try source.registerCell(class: PlanetView.self, identifier: "planet", for: Planet.self)
      return source
    }
  }

  @MainActor
  final class DiffablePlanets: @MainActor TableChangesObserver {
    private let source: TableViewDataSource<ArrayDataProvider<Planet>>
    private let table: UITableViewDiffableDataSource<DiffableSection, Planet.ID>

    init(
      _ source: TableViewDataSource<ArrayDataProvider<Planet>>,
      _ table: UITableViewDiffableDataSource<DiffableSection, Planet.ID>
    ) {
      self.source = source
      self.table = table
      source.observer = self
    }

    func contentWillChange(of sender: any TableChangesSender) {}
    func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
      do {
        table.apply(try NSDiffableDataSourceSnapshot(source, after: changes))
      } catch { log(error) }
    }
    func content(of sender: any TableChangesSender, didFailWith error: any Error) { log(error) }
  }

  @MainActor func log(_ error: any Error) { print(error) }

  @MainActor func show(
    _ source: TableViewDataSource<ArrayDataProvider<Planet>>, in tableView: UITableView
  ) throws -> UIKitTableViewAdapter {
    try source.registerCell(class: PlanetView.self, identifier: "planet", for: Planet.self)
    let adapter = try UIKitTableViewAdapter(source, in: tableView, onError: log)
    return adapter
  }

  @MainActor func show(
    _ source: TableViewDataSource<ArrayDataProvider<Planet>>, in tableView: UITableView,
    with nib: UINib
  ) throws {
    try source.registerCell(
      class: PlanetView.self, identifier: "planet", for: Planet.self, from: .nib(nib))
  }

  @MainActor func show(
    _ source: TableViewDataSource<ArrayDataProvider<Planet>>, in collectionView: UICollectionView,
    selection: Selection
  ) throws -> UIKitCollectionViewAdapter {
    try source.registerCell(class: PlanetItem.self, identifier: "planet", for: Planet.self)
    let adapter = try UIKitCollectionViewAdapter(
      source, in: collectionView, selection: selection, onError: log)
    collectionView.collectionViewLayout = adapter.makeListLayout(appearance: .insetGrouped)
    return adapter
  }

  @MainActor func makeScreen(
    _ planets: ArrayDataProvider<Planet>, selection: Selection, storyboard: UIStoryboard
  ) throws -> [UIViewController] {
    let screen = UIKitTableViewController(
      selection: selection, factory: StoredPlanets(planets: planets), onError: log)
    let fromStoryboard = storyboard.instantiateViewController(identifier: "planets") { coder in
      UIKitTableViewController(
        coder: coder, selection: selection, factory: StoredPlanets(planets: planets), onError: log)
    }
    try screen.setDataSource(nil)
    return [screen, fromStoryboard]
  }
#endif
