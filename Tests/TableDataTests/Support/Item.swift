import TableData

/// Something in a list.
struct Item: ItemViewModel, Hashable {
  let id: Int
  var text = ""
}

extension Section<Item> {
  /// A section of items with these ids.
  init(_ name: String?, _ ids: [Int]) {
    self.init(name: name, items: ids.map { Item(id: $0) })
  }
}

/// Items of these ids.
func items(_ ids: some Sequence<Int>) -> [Item] { ids.map { Item(id: $0) } }
