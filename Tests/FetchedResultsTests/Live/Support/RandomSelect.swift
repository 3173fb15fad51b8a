import TableDataTesting

/// Random SELECTs of the tables of ``JoinCase``: two to four of them in a row, some in a SELECT of
/// their own, joined and left out by conditions that NULLs meet or do not meet.
struct RandomSelect {
  private var generator: SeededGenerator

  init(_ generator: SeededGenerator) { self.generator = generator }

  /// What a SELECT has of a table.
  private struct Item {
    let id: String
    let reference: String
    let number: String
    let text: String
  }

  private static let tables = [
    "artist": ("id", "mentor", "mentor", "name"), "album": ("id", "artist", "year", "title"),
    "track": ("id", "album", "rank", "name"),
  ]

  /// A SELECT, and the columns that make its key.
  mutating func next() -> (select: String, key: [String]) {
    var items: [Item] = []
    var from = ""
    for index in 0..<Int.random(in: 2...4, using: &generator) {
      let (source, item) = item("t\(index)")
      if index > 0 {
        from += one(of: ["\nLEFT JOIN ", "\nLEFT JOIN ", "\nJOIN "])
        from += "\(source) ON \(joining(item, one(of: items)))"
      } else {
        from = source
      }
      items.append(item)
    }
    let key = items.indices.map { "k\($0)" }
    let columns = zip(items, key).map { item, key in
      "\(key == "k0" ? item.id : "ifnull(\(item.id), -1)") AS \(key)"
    }
    let condition = one(of: ["", "\nWHERE \(self.condition(items))"])
    let texts = items.enumerated().map { "\($1.text) AS x\($0)" }
    let list = (columns + texts).joined(separator: ", ")
    return ("SELECT \(list)\nFROM \(from)\(condition)", key)
  }

  /// A table or a SELECT with an alias.
  private mutating func item(_ alias: String) -> (source: String, Item) {
    let name = table()
    let columns = Self.tables[name] ?? ("", "", "", "")
    guard Int.random(in: 0..<4, using: &generator) == 0 else {
      return (
        "\(name) \(alias)",
        Item(
          id: "\(alias).\(columns.0)", reference: "\(alias).\(columns.1)",
          number: "\(alias).\(columns.2)", text: "\(alias).\(columns.3)")
      )
    }
    let other = table()
    let text = Self.tables[other]?.3 ?? ""
    let source = one(of: [
      "(SELECT id, \(columns.1) AS ref, \(columns.2) AS num, \(columns.3) AS txt FROM \(name)"
        + " WHERE num > 1) AS \(alias)",
      "(SELECT a.id, a.\(columns.1) AS ref, a.\(columns.2) AS num, b.\(text) AS txt FROM \(name) a"
        + " JOIN \(other) b ON b.id = a.\(columns.1) WHERE num < 4) \(alias)",
      "(SELECT a.id, a.\(columns.1) AS ref, a.\(columns.2) AS num, b.\(text) AS txt FROM \(name) a"
        + " LEFT JOIN \(other) b ON b.id = a.\(columns.1) WHERE b.id IS NULL OR num < 3) \(alias)",
    ])
    return (
      source,
      Item(
        id: "\(alias).id", reference: "\(alias).ref", number: "\(alias).num", text: "\(alias).txt")
    )
  }

  private mutating func joining(_ item: Item, _ other: Item) -> String {
    let equation = one(of: [
      "\(item.id) = \(other.reference)", "\(item.id) = \(other.reference)",
      "\(other.id) = \(item.reference)", "\(item.reference) == \(other.reference)",
      "(\(other.reference) = \(item.id))", "\(item.id) IS \(other.reference)",
      "\(item.id) = \(other.reference) OR \(item.reference) = \(other.id)",
      "\(item.id) = ifnull(\(other.reference), 3)",
    ])
    guard Int.random(in: 0..<3, using: &generator) == 0 else { return equation }
    return "(\(equation)) AND \(condition([item, other]))"
  }

  private mutating func condition(_ items: [Item]) -> String {
    let item = one(of: items)
    return one(of: [
      "\(item.id) IS NULL", "\(item.number) > 1", "\(item.text) IS NULL",
      "ifnull(\(item.text), '') <> 'x'", "\(item.number) IS NOT \(one(of: items).number)",
      "(\(item.number) = 2 OR \(one(of: items).text) IS NULL)",
    ])
  }

  private mutating func table() -> String { one(of: ["artist", "album", "track"]) }

  private mutating func one<Element>(of elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &generator)]
  }
}
