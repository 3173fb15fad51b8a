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
