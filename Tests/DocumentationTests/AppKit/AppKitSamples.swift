#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import Foundation
  import TableData

  final class PlanetLabel: NSTextField, @MainActor Configurable {
    func configure(with planet: Planet) { stringValue = planet.name }
  }

  @MainActor func show(
    _ source: TableViewDataSource<ArrayDataProvider<Planet>>, in tableView: NSTableView,
    selection: Selection
  ) throws -> AppKitTableViewAdapter {
    source.registerCell { PlanetLabel(labelWithString: "") }
    let adapter = try AppKitTableViewAdapter(source, in: tableView, selection: selection)
    return adapter
  }

  @MainActor func showFamily(
    _ parents: [Planet], in tableView: NSTableView
  ) throws -> AppKitTableViewAdapter {
    let form = try DataDisplayManager {
      TitleHeaderGenerator(title: "Family")
      for parent in parents { CellGenerator(PlanetLabel.self, parent) }
    }
    return try AppKitTableViewAdapter(form, in: tableView)
  }

#endif
