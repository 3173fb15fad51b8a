import TableData

// The view models of the articles.
struct Planet: ItemViewModel, Equatable {
  let id: Int
  var name: String
}

struct Moon: ItemViewModel {
  let id: Int
  var name: String
}

/// A flat list with a title.
func planets(_ title: String? = nil, _ names: String...) throws -> ArrayDataProvider<Planet> {
  try ArrayDataProvider(
    title: title,
    items: names.enumerated().map { Planet(id: $0.offset + 1, name: $0.element) })
}
