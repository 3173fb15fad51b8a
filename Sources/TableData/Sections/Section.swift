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

/// What a list says of one of its sections: its name, its entry in the index, its size.
///
/// ```swift
/// let section = SectionInfo(name: "Rock", numberOfRows: 1_297)
/// print(section.indexTitle)  // "R"
/// ```
///
/// Sendable: a plain value.
public struct SectionInfo: Hashable, Sendable {
  /// The name, which is also the header's title; nil for a list that is not divided.
  public let name: String?
  /// The title in the index beside the list; nil for a section that has no place in it.
  public let indexTitle: String?
  /// The number of rows.
  public let numberOfRows: Int

  /// Describes a section with an index title of its own.
  public init(name: String?, indexTitle: String?, numberOfRows: Int) {
    self.name = name
    self.indexTitle = indexTitle
    self.numberOfRows = numberOfRows
  }

  /// Describes a section with the default index title.
  public init(name: String?, numberOfRows: Int) {
    self.init(
      name: name, indexTitle: name.flatMap(SectionInfo.indexTitle(forName:)),
      numberOfRows: numberOfRows)
  }

  /// The default index title: the capitalised first character of the name, as in Core Data; nil
  /// for an empty name.
  public static func indexTitle(forName name: String) -> String? {
    name.first.map { String($0).uppercased() }
  }
}

/// The index beside a list: its titles, and the section that each of them leads to.
///
/// Several sections may have one title; the title appears once, where the first of them is, and
/// leads there. So a title's position is not a section number, and this is what translates.
///
/// ```swift
/// let index = SectionIndex(sections: provider.sections)
/// let section = index.sections[index.titles.firstIndex(of: "R") ?? 0]
/// ```
public struct SectionIndex: Hashable, Sendable {
  /// The titles without repetition, in the order of the sections.
  public let titles: [String]
  /// For each title the number of the first section that has it.
  public let sections: [Int]

  /// Collects the titles of `sections`.
  ///
  /// Complexity: O(sections).
  public init(sections infos: some Sequence<SectionInfo>) {
    var titles: [String] = []
    var sections: [Int] = []
    var seen: Set<String> = []
    for (number, info) in infos.enumerated() {
      guard let title = info.indexTitle, seen.insert(title).inserted else { continue }
      titles.append(title)
      sections.append(number)
    }
    self.titles = titles
    self.sections = sections
  }

  /// The first section of the title at `position`.
  ///
  /// - Parameter title: the title shown there. It decides: a list that changed since the titles
  ///   were read may have it at another position.
  /// - Throws: `TableDataError` of code `.unknownIndexTitle` where no section has that title.
  public func section(forTitle title: String, at position: Int) throws -> Int {
    if titles.indices.contains(position), titles[position] == title { return sections[position] }
    guard let position = titles.firstIndex(of: title) else {
      throw TableDataError.unknownIndexTitle(title, titles: titles)
    }
    return sections[position]
  }
}
