/// A section together with its rows: a piece of content that is held in memory.
///
/// ```swift
/// let section = Section(name: "Fruit", items: ["apple", "pear"])
/// print(section.info.numberOfRows)  // 2
/// ```
public struct Section<Item> {
  /// The name, which is also the header's title; nil for a list that is not divided.
  public var name: String?
  /// The title in the index beside the list; nil for a section that has no place in it.
  public var indexTitle: String?
  /// The content of the rows, in order.
  public var items: [Item]

  /// Makes a section with an index title of its own.
  public init(name: String?, indexTitle: String?, items: [Item]) {
    self.name = name
    self.indexTitle = indexTitle
    self.items = items
  }

  /// Makes a section with the default index title, as ``SectionInfo/indexTitle(forName:)`` gives.
  public init(name: String?, items: [Item]) {
    self.init(
      name: name, indexTitle: name.flatMap(SectionInfo.indexTitle(forName:)), items: items)
  }

  /// What the section says of itself.
  public var info: SectionInfo {
    SectionInfo(name: name, indexTitle: indexTitle, numberOfRows: items.count)
  }
}

extension Section: Sendable where Item: Sendable {}
extension Section: Equatable where Item: Equatable {}
extension Section: Hashable where Item: Hashable {}
