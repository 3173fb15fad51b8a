#if canImport(UIKit) && !os(watchOS)
  import TableData
  import UIKit

  final class PlanetView: UITableViewCell, @MainActor Configurable {
    func configure(with planet: Planet) { textLabel?.text = planet.name }
  }

  @MainActor func log(_ error: any Error) { print(error) }

  @MainActor func show(
    _ source: TableViewDataSource<ArrayDataProvider<Planet>>, in tableView: UITableView
  ) throws -> UIKitTableViewAdapter {
    let adapter = try UIKitTableViewAdapter(source, in: tableView) { error in log(error) }
    try adapter.registerCell(class: PlanetView.self, identifier: "planet", for: Planet.self)
    return adapter
  }
#endif
