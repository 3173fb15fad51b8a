/// The identity of a section among the sections of its list: the value that its rows have in common.
///
/// It is the same for an array and for a database: a list keeps what is folded when one is swapped for the other.
/// Texts are compared byte by byte, as SQLite does.
///
/// ```swift
/// let rock = Section(name: "Rock", items: tracks)  // as a section of a fetched list with the key 'Rock'
/// let year = Section(id: 1997, name: "The year 1997", items: tracks)
/// ```
/// Sendable: a plain value.
public struct SectionID: Hashable, Sendable {
  /// A value as SQLite distinguishes values. A text has its bytes, which need not be valid UTF-8.
  package enum Key: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])
  }

  private let key: Key

  package init(_ key: Key) { self.key = key }

  /// The identity of a section whose rows have a text in common: by default its name.
  public init(_ text: String) { key = .text(Array(text.utf8)) }

  /// The identity of a section whose rows have a number in common.
  public init(_ number: Int64) { key = .integer(number) }

  /// The identity of the section whose rows have no value.
  public static let null = SectionID(.null)
}

extension SectionID: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// The identity of a section whose rows have a text in common.
  public init(stringLiteral text: String) { self.init(text) }
  /// The identity of a section whose rows have a number in common.
  public init(integerLiteral number: Int64) { self.init(number) }
}

extension SectionID: CustomStringConvertible {
  /// The value.
  public var description: String {
    switch key {
    case .null: "NULL"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let bytes): String(decoding: bytes, as: UTF8.self)
    case .blob(let bytes): "\(bytes)"
    }
  }
}

/// A section with its items, for content in memory.
public struct Section<Item> {
  /// The identity of the section among the sections of its list, which stays the same if it is renamed: its first
  /// name, unless it was made with another one.
  public let id: SectionID?
  /// The name, which is also the title of the header; nil for a list without sections. If the index title is the
  /// default one, it follows the name.
  public var name: String? {
    didSet {
      let isDefault = indexTitle == oldValue.flatMap(SectionInfo.indexTitle(forName:))
      if isDefault { indexTitle = name.flatMap(SectionInfo.indexTitle(forName:)) }
    }
  }
  /// The title in the section index; nil for a section that is not in the index.
  public var indexTitle: String?
  /// The title of the footer; nil for none.
  public var footer: String?
  /// The items of the rows, in order.
  public var items: [Item]

  /// Makes a section with an index title. Its identity is by default its name.
  public init(
    id: SectionID? = nil, name: String?, indexTitle: String?, footer: String? = nil,
    items: [Item]
  ) {
    self.id = id ?? name.map { SectionID($0) }
    self.name = name
    self.indexTitle = indexTitle
    self.footer = footer
    self.items = items
  }

  /// Makes a section with the default index title, which ``SectionInfo/indexTitle(forName:)`` gives.
  public init(id: SectionID? = nil, name: String?, footer: String? = nil, items: [Item]) {
    self.init(
      id: id, name: name, indexTitle: name.flatMap(SectionInfo.indexTitle(forName:)),
      footer: footer, items: items)
  }

  /// The description of the section, without its items.
  public var info: SectionInfo {
    SectionInfo(name: name, indexTitle: indexTitle, footer: footer, numberOfRows: items.count)
  }
}

extension Section: Sendable where Item: Sendable {}
extension Section: Equatable where Item: Equatable {}
extension Section: Hashable where Item: Hashable {}

/// The description of a section: its titles and its number of rows. Sendable: a plain value.
public struct SectionInfo: Hashable, Sendable {
  /// The name, which is also the title of the header; nil for a list without sections.
  public let name: String?
  /// The title in the section index; nil for a section that is not in the index.
  public let indexTitle: String?
  /// The title of the footer; nil for none.
  public let footer: String?
  /// The number of rows.
  public private(set) var numberOfRows: Int

  /// Describes a section with an index title.
  public init(name: String?, indexTitle: String?, footer: String? = nil, numberOfRows: Int) {
    self.name = name
    self.indexTitle = indexTitle
    self.footer = footer
    self.numberOfRows = numberOfRows
  }

  /// Describes a section with the default index title.
  public init(name: String?, footer: String? = nil, numberOfRows: Int) {
    self.init(
      name: name, indexTitle: name.flatMap(SectionInfo.indexTitle(forName:)), footer: footer,
      numberOfRows: numberOfRows)
  }

  package func with(numberOfRows: Int) -> SectionInfo {
    var info = self
    info.numberOfRows = numberOfRows
    return info
  }

  package func hasSameTitles(as other: SectionInfo) -> Bool {
    with(numberOfRows: other.numberOfRows) == other
  }

  /// The default index title: the capitalised first character of the name, as in Core Data; nil for an empty name.
  public static func indexTitle(forName name: String) -> String? {
    name.first.map { String($0).uppercased() }
  }
}

/// The section index of a list: its titles, and the section that each title leads to.
///
/// If several sections have the same title, the index has it once, and it leads to the first of them. So the position
/// of a title is not the number of a section. This type converts one to the other.
public struct SectionIndex: Hashable, Sendable {
  /// The titles, without repetition, in the order of the sections.
  public let titles: [String]
  /// For each title, the number of the first section that has it.
  public let sections: [Int]

  /// Collects the titles of `sections`. O(sections).
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

  /// The first section with an index title.
  ///
  /// - Parameter position: the position of the title in ``titles``. The title has priority, because the list may have
  ///   changed since they were read.
  /// - Throws: `TableDataError` with code `.unknownIndexTitle` if no section has the title.
  public func section(forTitle title: String, at position: Int) throws(TableDataError) -> Int {
    if titles.indices.contains(position), titles[position] == title { return sections[position] }
    guard let position = titles.firstIndex(of: title) else {
      throw TableDataError.unknownIndexTitle(title, titles: titles)
    }
    return sections[position]
  }
}
