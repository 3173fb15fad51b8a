/// A section together with its items, as a ``ContentStore`` holds it.
protocol ContentSection {
  associatedtype Item

  var items: [Item] { get set }
  /// What the section says of itself.
  var info: SectionInfo { get }
  /// What the section is recognised by; of several that have it, by their order.
  var identity: AnyHashable { get }
}

extension Section: ContentSection {
  /// What its header and the index show.
  private struct Titles: Hashable {
    let name: String?
    let indexTitle: String?
  }

  var identity: AnyHashable { Titles(name: name, indexTitle: indexTitle) }
}
