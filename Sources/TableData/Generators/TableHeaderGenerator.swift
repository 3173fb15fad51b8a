/// The header of a section of a ``DataDisplayManager``: the section is the rows that follow it.
///
/// ```swift
/// final class PlaylistHeader: TableHeaderGenerator {
///   let playlist: Playlist
///   init(_ playlist: Playlist) { self.playlist = playlist }
///   var title: String? { playlist.name }
///   var footerTitle: String? { "\(playlist.minutes) minutes" }
/// }
/// ```
///
/// Its `id` is what it is: the object itself, unless it has another one.
///
/// Not Sendable: it belongs where its display manager belongs.
public protocol TableHeaderGenerator: AnyObject, Identifiable {
  /// The title of the section's header; nil for none.
  var title: String? { get }
  /// The title of the section's footer; nil, the default, for none.
  var footerTitle: String? { get }
  /// The title in the index beside the list; nil for a section that has no place in it. The default
  /// is that of a ``SectionInfo``.
  var indexTitle: String? { get }
}

extension TableHeaderGenerator {
  /// Nil: no footer.
  public var footerTitle: String? { nil }

  /// The capitalised first character of the title.
  public var indexTitle: String? { title.flatMap(SectionInfo.indexTitle(forName:)) }

  /// Its `id`, of whatever type.
  var identity: AnyHashable { AnyHashable(id) }
}

/// A section header that is a title.
///
/// ```swift
/// try manager.addSectionHeaderGenerator(TitleHeaderGenerator(title: "Sound"))
/// ```
///
/// Not Sendable: it belongs where its display manager belongs.
public final class TitleHeaderGenerator: TableHeaderGenerator {
  /// The title of the section's header.
  public let title: String?
  /// The title of the section's footer; nil for none.
  public let footerTitle: String?

  /// Makes a header.
  public init(title: String, footerTitle: String? = nil) {
    self.title = title
    self.footerTitle = footerTitle
  }
}

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
