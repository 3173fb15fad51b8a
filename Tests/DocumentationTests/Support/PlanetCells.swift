import TableData
import TableDataTesting

// The cells of the articles, for a headless table.
final class PlanetCell: TableViewCell, Configurable {
  private(set) var text = ""
  func configure(with planet: Planet) { text = planet.name }
}

final class MoonCell: TableViewCell, Configurable {
  private(set) var text = ""
  func configure(with moon: Moon) { text = moon.name }
}

extension ArrayDataProvider<Planet> {
  /// A data source that shows the planets.
  func source() throws -> TableViewDataSource<ArrayDataProvider<Planet>> {
    let source = try TableViewDataSource(dataProvider: self)
    source.registerCell(PlanetCell.self)
    return source
  }
}
