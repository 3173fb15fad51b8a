/// The header of a section of a ``DataDisplayManager``. The rows after it are the section's rows.
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
/// Its `id` is its identity: the object itself by default.
///
/// Not Sendable: use it on the actor of its display manager.
public protocol TableHeaderGenerator: AnyObject, Identifiable {
  /// The title of the section's header; nil for none.
  var title: String? { get }
  /// The title of the section's footer; nil, the default, for none.
  var footerTitle: String? { get }
  /// The title in the section index; nil for a section that is not in the index. The default is that
  /// of a ``SectionInfo``.
  var indexTitle: String? { get }
}

extension TableHeaderGenerator {
  /// Nil: no footer.
  public var footerTitle: String? { nil }

  /// The capitalised first character of the title.
  public var indexTitle: String? { title.flatMap(SectionInfo.indexTitle(forName:)) }

  /// The `id`, without its type.
  var identity: AnyHashable { AnyHashable(id) }
}

/// A section header with a title.
///
/// ```swift
/// try manager.addSectionHeaderGenerator(TitleHeaderGenerator(title: "Sound"))
/// ```
///
/// Not Sendable: use it on the actor of its display manager.
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

/// A header and the generators of its rows.
struct GeneratorSection: ContentSection {
  /// Nil for rows before the first header.
  let header: (any TableHeaderGenerator)?
  var items: [any TableCellGenerator]

  var info: SectionInfo {
    SectionInfo(
      name: header?.title, indexTitle: header?.indexTitle, numberOfRows: items.count)
  }

  var identity: AnyHashable? { header?.identity }
}
