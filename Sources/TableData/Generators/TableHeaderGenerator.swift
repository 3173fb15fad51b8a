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
/// Its `id` is its identity: the object itself by default. The titles are read when the header is added, and again by
/// ``refresh()``. Not Sendable: use it on the actor of its display manager.
public protocol TableHeaderGenerator: AnyObject, Identifiable {
  /// The title of the section's header; nil for none.
  var title: String? { get }
  /// The title of the section's footer; nil, the default, for none.
  var footerTitle: String? { get }
  /// The title in the section index; nil for a section that is not in the index. The default is that of a
  /// ``SectionInfo``.
  var indexTitle: String? { get }

  /// The generator of the section's footer; nil, the default, for a footer with a title only, or none.
  var footer: (any TableFooterGenerator)? { get }

  /// What the table shows above the rows: by default the title, and for a ``ViewBuilding`` the view that it builds.
  var heading: TableHeading { get }

  /// The list that has the header, as ``TableCellGenerator/displayManager``. ``refresh()`` needs it.
  var displayManager: DataDisplayManager? { get set }
}

/// The footer of a section of a ``DataDisplayManager``.
///
/// Not Sendable: use it on the actor of its display manager.
public protocol TableFooterGenerator: AnyObject {
  /// The title of the footer; nil for none.
  var title: String? { get }

  /// What the table shows below the rows: by default the title, and for a ``ViewBuilding`` the view that it builds.
  var heading: TableHeading { get }
}

extension TableFooterGenerator {
  /// The title.
  public var heading: TableHeading { TableHeading(title, viewModel: self) }
}

extension TableFooterGenerator where Self: ViewBuilding {
  /// The title, and a view of the class `View`.
  public var heading: TableHeading {
    TableHeading(title, viewModel: self, cell: TableCell(builtBy: Self.self))
  }
}

extension TableHeaderGenerator where Self: ViewBuilding {
  /// The title, and a view of the class `View`.
  public var heading: TableHeading {
    TableHeading(title, viewModel: self, cell: TableCell(builtBy: Self.self))
  }
}

extension TableHeaderGenerator {
  /// Shows the header and the footer again after a change: the section is reported as updated, and its rows have no
  /// event.
  ///
  /// - Throws: the same as ``TableCellGenerator/refresh()``.
  @discardableResult
  public func refresh() throws -> TableChanges {
    guard let displayManager else { throw TableDataError.noDisplayManager(self) }
    return try displayManager.update(header: self)
  }

  /// Nil: no footer, or one with a title only.
  public var footer: (any TableFooterGenerator)? { nil }

  /// The title.
  public var heading: TableHeading { TableHeading(title, viewModel: self) }

  /// Nil: the header does not know its list.
  public var displayManager: DataDisplayManager? {
    get { nil }
    set {}
  }

  /// The title of ``footer``.
  public var footerTitle: String? { footer?.title }

  /// The capitalised first character of the title.
  public var indexTitle: String? { title.flatMap(SectionInfo.indexTitle(forName:)) }

  var identity: AnyHashable { AnyHashable(id) }
}

/// A section header with a title. Not Sendable: use it on the actor of its display manager.
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

struct GeneratorSection: ContentSection {
  /// Nil for rows before the first header.
  let header: (any TableHeaderGenerator)?
  var items: [any TableCellGenerator]
  /// The titles of the header, as they were read last.
  private var titles: SectionInfo

  init(header: (any TableHeaderGenerator)?, items: [any TableCellGenerator]) {
    self.header = header
    self.items = items
    titles = Self.titles(of: header)
  }

  var info: SectionInfo { titles.with(numberOfRows: items.count) }

  /// Reads the titles of the header, which may have changed.
  mutating func readTitles() { titles = Self.titles(of: header) }

  private static func titles(of header: (any TableHeaderGenerator)?) -> SectionInfo {
    SectionInfo(
      name: header?.title, indexTitle: header?.indexTitle, footer: header?.footerTitle,
      numberOfRows: 0)
  }

  var identity: AnyHashable? { header?.identity }
}
