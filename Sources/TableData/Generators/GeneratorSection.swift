/// A header and the rows that follow it.
struct GeneratorSection: ContentSection {
  /// Nil for rows that come before any header.
  let header: (any TableHeaderGenerator)?
  var items: [any TableCellGenerator]

  var info: SectionInfo {
    SectionInfo(
      name: header?.title, indexTitle: header?.indexTitle, numberOfRows: items.count)
  }

  var identity: AnyHashable { header?.identity ?? AnyHashable(NoHeader()) }

  private struct NoHeader: Hashable {}
}
