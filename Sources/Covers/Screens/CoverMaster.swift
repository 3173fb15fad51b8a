package import TableData

/// The list of all covers. It sets the selection, and does not know the page that shows it.
///
/// ```swift
/// let master = try CoverMaster(controller, selection: selection) { log.error("\($0)") }
/// try master.start()
/// try master.screen.selectRow(at: [0, 3])
/// ```
///
/// Not Sendable: use it on one actor, the main actor in an app.
package final class CoverMaster {
  /// The covers.
  package let list: CoverList
  /// The screen that shows them.
  package let screen: TableViewController

  /// Makes an empty list.
  ///
  /// - Parameters:
  ///   - controller: the covers.
  ///   - selection: set when the user selects a cover.
  ///   - images: shows the small images; nil for none.
  ///   - height: the number of rows that fit into the window.
  ///   - onError: called if the content cannot be updated.
  /// - Throws: `FetchError` and `DatabaseError` if the database has no covers.
  package init(
    _ controller: DataController, selection: Selection, images: CoverImages? = nil,
    height: Int = 20, onError: @escaping (any Error) -> Void
  ) throws {
    list = try controller.makeList(images: images)
    screen = TableViewController(selection: selection, height: height, onError: onError)
  }

  /// Shows the covers, and starts observing commits of all connections.
  ///
  /// - Throws: `DatabaseError`.
  package func start(isolation: isolated any Actor = #isolation) throws {
    try list.performFetch()
    try screen.setDataSource(try list.makeDataSource())
    list.startObserving(isolation: isolation)
  }
}

extension CoverList {
  /// A data source that shows the list in ``CoverCell``s. It becomes the list's observer.
  ///
  /// - Throws: `TableDataError` of code `.alreadyObserved` if the list already has an observer.
  package func makeDataSource() throws -> TableViewDataSource<CoverList> {
    let source = try TableViewDataSource(dataProvider: self)
    try source.registerCell(class: CoverCell.self, identifier: "cover", for: CoverViewModel.self)
    return source
  }
}

/// A row that shows a cover and its small image.
///
/// ```swift
/// for case let cell as CoverCell in table.visibleCells { draw(cell.cover, cell.image.state) }
/// ```
///
/// It shows the image of its present cover, or none. If the image of a former cover is loaded when
/// the cell is already used for another row, it is not shown.
///
/// Not Sendable: use it on the actor of its table.
package final class CoverCell: TableViewCell, Configurable {
  /// The cover that is shown; nil before the first.
  package private(set) var cover: Cover?
  /// Its image.
  package let image = ImageSlot()

  /// Removes the cover, and stops waiting for its image.
  package override func prepareForReuse() {
    cover = nil
    image.clear()
  }

  /// Shows a cover.
  package func configure(with viewModel: CoverViewModel) {
    cover = viewModel.cover
    if let images = viewModel.images {
      images.show(viewModel.cover.smallImageURL, in: image)
    } else {
      image.clear()
    }
  }
}
