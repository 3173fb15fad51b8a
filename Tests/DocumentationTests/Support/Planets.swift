import TableData

// The view models and cells of the articles.
struct Planet: ItemViewModel, Equatable {
  let id: Int
  var name: String
}

struct Moon: ItemViewModel {
  let id: Int
  var name: String
}

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
    try source.registerCell(class: PlanetCell.self, identifier: "planet", for: Planet.self)
    return source
  }
}

/// A flat list with a title.
func planets(_ title: String? = nil, _ names: String...) throws -> ArrayDataProvider<Planet> {
  try ArrayDataProvider(
    title: title,
    items: names.enumerated().map { Planet(id: $0.offset + 1, name: $0.element) })
}
