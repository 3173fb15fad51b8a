/// A list reduced to who is where: an identity for each section and each row.
///
/// ```swift
/// let old = IdentityList([("A", [1, 2]), ("B", [3])])
/// let new = IdentityList([("A", [1, 2, 3])])
/// print(old.difference(to: new) { _, _ in true })  // -[1] -[1,0] +[0,2]
/// ```
///
/// No two sections and no two rows have one identity; of those that do only the first counts.
public struct IdentityList<SectionID: Hashable, RowID: Hashable>: Hashable {
  /// A section and its rows.
  public struct Section: Hashable {
    /// What the section is, wherever it is.
    public var id: SectionID
    /// What the rows are, in order.
    public var rows: [RowID]

    /// Makes a section.
    public init(id: SectionID, rows: [RowID]) {
      self.id = id
      self.rows = rows
    }
  }

  /// The sections, in order.
  public var sections: [Section]

  /// Makes a list of sections.
  public init(_ sections: [(id: SectionID, rows: [RowID])]) {
    self.sections = sections.map { Section(id: $0.id, rows: $0.rows) }
  }
}

extension IdentityList: Sendable where SectionID: Sendable, RowID: Sendable {}
extension IdentityList.Section: Sendable where SectionID: Sendable, RowID: Sendable {}
