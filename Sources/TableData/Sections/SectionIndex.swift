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
