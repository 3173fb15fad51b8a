#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  /// Shows a data source in a UICollectionView, as a list.
  ///
  /// ```swift
  /// list.registerCell(TrackCell.self)
  /// let adapter = try UIKitCollectionViewAdapter(list, in: collectionView)
  /// collectionView.collectionViewLayout = adapter.makeListLayout(appearance: .plain)
  /// ```
  ///
  /// It is the observer of the data source, and the data source and delegate of the collection view, which keeps no
  /// strong reference. The cells are those of the rows; they are often subclasses of UICollectionViewListCell.
  @MainActor
  public final class UIKitCollectionViewAdapter {
    /// The data source of the rows.
    public var source: any ComposableTableViewDataSource { collection.source }
    /// The selection, which other screens may share.
    public var selection: Selection { collection.screen.selection }
    /// The title of the button that deletes a row without trailing actions.
    public var deleteTitle: String {
      get { collection.deleteTitle }
      set { collection.deleteTitle = newValue }
    }

    private let collection: UIKitCollection

    /// Shows a data source. The reference to the router, which shows the destinations of the rows, is weak.
    ///
    /// - Parameter onError: called with errors that no method can throw; prints them by default.
    /// - Throws: `TableDataError` with code `.alreadyObserved`.
    public init(
      _ source: any ComposableTableViewDataSource, in collectionView: UICollectionView,
      selection: Selection = Selection(), router: (any TableRouter)? = nil,
      onError: ((any Error) -> Void)? = nil
    ) throws {
      collection = try UIKitCollection(
        source, in: collectionView, screen: TableScreen(selection: selection, router: router),
        onError: onError ?? TableScreen.printError)
    }

    /// Registers the destination of the rows of a type. With a second one, selecting a row reports
    /// `.duplicateRegistration`.
    public func register<ViewModel>(destination: String, for viewModel: ViewModel.Type) {
      collection.screen.register(destination, for: viewModel)
    }

    /// A layout that shows the rows as a list, with a header or footer where the data source has a title. A row that
    /// is swiped has its actions; if it has no trailing ones, and can be deleted, a button for that.
    public func makeListLayout(
      appearance: UICollectionLayoutListConfiguration.Appearance
    ) -> UICollectionViewLayout { collection.makeListLayout(appearance: appearance) }
  }

  /// The data source and delegate of an adapter's collection view.
  @MainActor
  final class UIKitCollection: NSObject {
    var source: any ComposableTableViewDataSource { updater.source }
    var deleteTitle = "Delete"

    let updater: TableUpdater
    let screen: TableScreen
    weak var collectionView: UICollectionView?
    /// The classes of the views of headers and footers that are registered, by kind.
    private var preparedHeadings: [String: PreparedCells] = [:]
    let headerIdentifier = "FetchedResults.header"
    let footerIdentifier = "FetchedResults.footer"
    let emptyIdentifier = "FetchedResults.empty"

    init(
      _ source: any ComposableTableViewDataSource, in collectionView: UICollectionView,
      screen: TableScreen, onError: @escaping (any Error) -> Void
    ) throws {
      self.collectionView = collectionView
      self.screen = screen
      weak var adapter: UIKitCollection?
      updater = try TableUpdater(
        source, onError: onError, show: { try adapter?.show($0) },
        showAgain: { try adapter?.showAgain(rowsAt: $0) })
      super.init()
      adapter = self
      updater.didShow = { adapter?.showSelection() }
      updater.didDefer = { adapter?.updater.showPendingLater() }
      collectionView.allowsMultipleSelection = screen.selection.allowsMultipleSelection
      for (kind, identifier) in [
        (UICollectionView.elementKindSectionHeader, headerIdentifier),
        (UICollectionView.elementKindSectionFooter, footerIdentifier),
      ] {
        collectionView.register(
          UICollectionViewListCell.self, forSupplementaryViewOfKind: kind,
          withReuseIdentifier: identifier)
      }
      collectionView.register(
        UICollectionViewCell.self, forCellWithReuseIdentifier: emptyIdentifier)
      collectionView.dataSource = self
      collectionView.delegate = self
      screen.selection.addObserver(self)
      showSelection()
    }

    private func showSelection() {
      guard let collectionView else { return }
      updater.reporting { try screen.showSelection(in: collectionView, of: source) }
    }

    func makeListLayout(
      appearance: UICollectionLayoutListConfiguration.Appearance
    ) -> UICollectionViewLayout {
      UICollectionViewCompositionalLayout { [weak self] section, environment in
        var configuration = UICollectionLayoutListConfiguration(appearance: appearance)
        guard let self else {
          return NSCollectionLayoutSection.list(
            using: configuration, layoutEnvironment: environment)
        }
        configuration.headerMode =
          isEmpty(updater.heading(\.header, section)) ? .none : .supplementary
        configuration.footerMode =
          isEmpty(updater.heading(\.footer, section)) ? .none : .supplementary
        #if !os(tvOS)
          configuration.leadingSwipeActionsConfigurationProvider = { [weak self] indexPath in
            guard let updater = self?.updater else { return nil }
            return updater.answer([], at: indexPath) { try $0.actions.leading }
              .swipeConfiguration(updater.answer)
          }
          configuration.trailingSwipeActionsConfigurationProvider = { [weak self] indexPath in
            guard let self else { return nil }
            return updater.trailingActions(at: indexPath, deleteTitle: deleteTitle)
              .swipeConfiguration(updater.answer)
          }
        #endif
        return NSCollectionLayoutSection.list(using: configuration, layoutEnvironment: environment)
      }
    }

    private func isEmpty(_ heading: TableHeading) -> Bool {
      heading.title == nil && heading.cell == nil
    }

    /// The view of a header or footer: one that its generator builds, or a list cell with the title.
    func makeHeading(
      _ heading: TableHeading, of kind: String, in view: UICollectionView, at path: IndexPath
    ) -> UICollectionReusableView {
      let isHeader = kind == UICollectionView.elementKindSectionHeader
      var identifier = isHeader ? headerIdentifier : footerIdentifier
      if let cell = heading.cell {
        updater.reporting {
          if try preparedHeadings[kind, default: PreparedCells()].add(cell) {
            view.register(
              cell.cellClass, forSupplementaryViewOfKind: kind,
              withReuseIdentifier: cell.identifier)
          }
          identifier = cell.identifier
        }
      }
      let made = view.dequeueReusableSupplementaryView(
        ofKind: kind, withReuseIdentifier: identifier, for: path)
      show(heading, in: made, isHeader: isHeader)
      return made
    }

    private func show(_ heading: TableHeading, in view: UICollectionReusableView, isHeader: Bool) {
      if let cell = heading.cell, let viewModel = heading.viewModel {
        return updater.reporting { try cell.show(viewModel, in: view) }
      }
      guard let view = view as? UICollectionViewListCell else { return }
      var content: UIListContentConfiguration = isHeader ? .groupedHeader() : .groupedFooter()
      content.text = heading.title
      view.contentConfiguration = content
    }
  }

  extension UIKitCollection: @MainActor TableUpdating {
    package func reloadData() { collectionView?.reloadData() }

    package func showBatch(_ changes: TableChanges) { collectionView?.showBatch(changes) }

    package func showAgain(rowsAt indexPaths: [IndexPath]) throws {
      guard let collectionView else { return }
      try updater.showAgain(rowsAt: indexPaths, in: collectionView)
    }

    package func showAgain(headersOfSections sections: [Int]) {
      guard let collectionView else { return }
      // A section may have got its first title, or lost its last one.
      collectionView.collectionViewLayout.invalidateLayout()
      for section in sections {
        let path = IndexPath(item: 0, section: section)
        for (kind, heading) in [
          (UICollectionView.elementKindSectionHeader, \TableSection.header),
          (UICollectionView.elementKindSectionFooter, \TableSection.footer),
        ] {
          guard let view = collectionView.supplementaryView(forElementKind: kind, at: path)
          else { continue }
          let isHeader = kind == UICollectionView.elementKindSectionHeader
          show(updater.heading(heading, section), in: view, isHeader: isHeader)
        }
      }
    }
  }

  extension UIKitCollection: @MainActor SelectionObserver {
    func selectionDidChange(_ selection: Selection) { showSelection() }
  }
#endif
