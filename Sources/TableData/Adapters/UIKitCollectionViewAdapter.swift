#if canImport(UIKit) && !os(watchOS)
  public import UIKit

  /// Shows a data source in a UICollectionView, as a list.
  ///
  /// ```swift
  /// try list.registerCell(class: TrackCell.self, identifier: "track", for: Track.self)
  /// let adapter = try UIKitCollectionViewAdapter(list, in: collectionView, onError: report)
  /// collectionView.collectionViewLayout = adapter.makeListLayout(appearance: .plain)
  /// ```
  ///
  /// It is the observer of the data source, and the data source and delegate of the collection view, which
  /// keeps no strong reference. The cells are those that are registered in the data source; they are often
  /// subclasses of UICollectionViewListCell.
  @MainActor
  public final class UIKitCollectionViewAdapter: NSObject {
    /// The data source of the rows.
    public var source: any ComposableTableViewDataSource { updater.source }
    /// The selection, which other screens may share.
    public var selection: Selection { screen.selection }
    /// The title of the button that deletes a row.
    public var deleteTitle = "Delete"

    private let updater: TableUpdater
    private let updates: CollectionUpdates
    private let screen: TableScreen
    private weak var collectionView: UICollectionView?
    private var cells = ViewCells()
    private var preparedCells = PreparedCells()
    private let headerIdentifier = "FetchedResults.header"
    private let footerIdentifier = "FetchedResults.footer"
    private let emptyIdentifier = "FetchedResults.empty"

    /// Shows a data source.
    ///
    /// - Parameters:
    ///   - selection: shared with the other screens that show it.
    ///   - router: shows the destinations of the rows. The reference is weak.
    ///   - onError: called with errors that no method can throw.
    /// - Throws: `TableDataError` of code `.alreadyObserved`.
    public init(
      _ source: any ComposableTableViewDataSource, in collectionView: UICollectionView,
      selection: Selection = Selection(), router: (any TableRouter)? = nil,
      onError: @escaping (any Error) -> Void
    ) throws {
      self.collectionView = collectionView
      screen = TableScreen(selection: selection, router: router)
      let updates = CollectionUpdates(collectionView)
      self.updates = updates
      weak var adapter: UIKitCollectionViewAdapter?
      updater = try TableUpdater(
        source, onError: onError, show: { try updates.show($0) },
        refresh: { updates.reloadRows(at: [$0]) })
      super.init()
      adapter = self
      updates.refreshHeaders = { adapter?.refreshHeaders(ofSections: $0) }
      updater.didShow = { adapter?.showSelection() }
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
      selection.addObserver(self)
      showSelection()
    }

    /// Registers the cell class for the view models of a type, for data sources that have no cells
    /// themselves.
    ///
    /// - Throws: `TableDataError` of code `.duplicateRegistration`.
    public func registerCell<Cell: UICollectionViewCell & Configurable>(
      class cellClass: Cell.Type, identifier: String, for viewModel: Cell.ViewModel.Type,
      from origin: UIKitCellOrigin = .code
    ) throws {
      try cells.register(cellClass, identifier: identifier, for: viewModel, from: origin)
    }

    /// Registers the destination of the rows of a type.
    ///
    /// - Throws: `TableDataError` of code `.duplicateRegistration`.
    public func register<ViewModel>(destination: String, for viewModel: ViewModel.Type) throws {
      try screen.register(destination, for: viewModel)
    }

    private func showSelection() {
      guard let collectionView else { return }
      updater.reporting { try screen.showSelection(in: collectionView, of: source) }
    }

    // MARK: Layout

    /// A layout that shows the rows as a list, with a header or footer where the data source has a title.
    /// Rows that can be deleted have a button for it when they are swiped.
    public func makeListLayout(
      appearance: UICollectionLayoutListConfiguration.Appearance
    ) -> UICollectionViewLayout {
      UICollectionViewCompositionalLayout { [weak self] section, environment in
        var configuration = UICollectionLayoutListConfiguration(appearance: appearance)
        guard let self else {
          return NSCollectionLayoutSection.list(
            using: configuration, layoutEnvironment: environment)
        }
        configuration.headerMode = title(ofHeader: section) == nil ? .none : .supplementary
        configuration.footerMode = title(ofFooter: section) == nil ? .none : .supplementary
        #if !os(tvOS)
          configuration.trailingSwipeActionsConfigurationProvider = { [weak self] indexPath in
            self?.swipeActions(at: indexPath)
          }
        #endif
        return NSCollectionLayoutSection.list(using: configuration, layoutEnvironment: environment)
      }
    }

    private func title(ofHeader section: Int) -> String? {
      updater.answer(nil) { try source.titleForHeader(inSection: section) }
    }

    private func title(ofFooter section: Int) -> String? {
      updater.answer(nil) { try source.titleForFooter(inSection: section) }
    }

    #if !os(tvOS)
      private func swipeActions(at indexPath: IndexPath) -> UISwipeActionsConfiguration? {
        guard updater.answer(false, { try source.canEditRow(at: indexPath) }) else { return nil }
        let identity = updater.answer(nil) { try source.identityForRow(at: indexPath) }
        let delete = UIContextualAction(style: .destructive, title: deleteTitle) {
          [weak self] _, _, completion in
          completion(self?.deleteRow(at: indexPath, identity: identity) ?? false)
        }
        return UISwipeActionsConfiguration(actions: [delete])
      }

      /// Deletes the row that the button was shown for. It may have moved since.
      private func deleteRow(at indexPath: IndexPath, identity: AnyHashable?) -> Bool {
        updater.answer(false) {
          let path = try identity.map(source.indexPath(forIdentity:)) ?? indexPath
          guard let path else { return false }
          try source.commitDelete(forRowAt: path)
          return true
        }
      }
    #endif

    // MARK: Headers and footers

    private func show(_ title: String?, in view: UICollectionReusableView, isHeader: Bool) {
      guard let view = view as? UICollectionViewListCell else { return }
      var content: UIListContentConfiguration = isHeader ? .groupedHeader() : .groupedFooter()
      content.text = title
      view.contentConfiguration = content
    }

    private func refreshHeaders(ofSections sections: [Int]) {
      guard let collectionView else { return }
      // A section may have got its first title, or lost its last one.
      collectionView.collectionViewLayout.invalidateLayout()
      for section in sections {
        let path = IndexPath(item: 0, section: section)
        if let view = collectionView.supplementaryView(
          forElementKind: UICollectionView.elementKindSectionHeader, at: path)
        {
          show(title(ofHeader: section), in: view, isHeader: true)
        }
        if let view = collectionView.supplementaryView(
          forElementKind: UICollectionView.elementKindSectionFooter, at: path)
        {
          show(title(ofFooter: section), in: view, isHeader: false)
        }
      }
    }

    private func makeCell(
      in collectionView: UICollectionView, for indexPath: IndexPath
    ) throws -> UICollectionViewCell {
      let viewModel = try source.viewModelForRow(at: indexPath)
      let viewCell = try cells.cell(for: viewModel, at: indexPath, of: source)
      if try preparedCells.add(viewCell) { _ = viewCell.make(collectionView) }
      let cell = collectionView.dequeueReusableCell(
        withReuseIdentifier: viewCell.identifier, for: indexPath)
      try viewCell.registration.configure(cell, viewModel)
      return cell
    }
  }

  extension UIKitCollectionViewAdapter: UICollectionViewDataSource, UICollectionViewDelegate {
    /// The collection view calls it.
    public func numberOfSections(in collectionView: UICollectionView) -> Int {
      source.numberOfSections
    }

    /// The collection view calls it.
    public func collectionView(
      _ collectionView: UICollectionView, numberOfItemsInSection section: Int
    ) -> Int { updater.answer(0) { try source.numberOfRows(inSection: section) } }

    /// The collection view calls it. If there is an error, it is reported, and the cell is empty.
    public func collectionView(
      _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
    ) -> UICollectionViewCell {
      updater.answer(nil) { try makeCell(in: collectionView, for: indexPath) }
        ?? collectionView.dequeueReusableCell(
          withReuseIdentifier: emptyIdentifier, for: indexPath)
    }

    /// The collection view calls it.
    public func collectionView(
      _ collectionView: UICollectionView, viewForSupplementaryElementOfKind kind: String,
      at indexPath: IndexPath
    ) -> UICollectionReusableView {
      let isHeader = kind == UICollectionView.elementKindSectionHeader
      let view = collectionView.dequeueReusableSupplementaryView(
        ofKind: kind, withReuseIdentifier: isHeader ? headerIdentifier : footerIdentifier,
        for: indexPath)
      let section = indexPath.section
      show(
        isHeader ? title(ofHeader: section) : title(ofFooter: section), in: view,
        isHeader: isHeader)
      return view
    }

    #if !os(tvOS)
      /// The collection view calls it.
      public func indexTitles(for collectionView: UICollectionView) -> [String]? {
        source.sectionIndexTitles()
      }

      /// The collection view calls it.
      public func collectionView(
        _ collectionView: UICollectionView, indexPathForIndexTitle title: String, at index: Int
      ) -> IndexPath {
        let section = updater.answer(0) {
          try source.section(forSectionIndexTitle: title, at: index)
        }
        return IndexPath(item: 0, section: section)
      }
    #endif

    /// The collection view calls it.
    public func collectionView(
      _ collectionView: UICollectionView, canMoveItemAt indexPath: IndexPath
    ) -> Bool { updater.answer(false) { try source.canMoveRow(at: indexPath) } }

    /// The collection view calls it. It already shows the row at its new index path.
    public func collectionView(
      _ collectionView: UICollectionView, moveItemAt sourceIndexPath: IndexPath,
      to destinationIndexPath: IndexPath
    ) {
      updater.moveRow(at: sourceIndexPath, to: destinationIndexPath)
      Task { updater.showPending() }
    }

    /// The collection view calls it.
    public func collectionView(
      _ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath
    ) {
      updater.reporting { try screen.selectRow(at: indexPath, in: collectionView, of: source) }
    }
  }

  extension UIKitCollectionViewAdapter: @MainActor SelectionObserver {
    /// The selection calls it.
    public func selectionDidChange(_ selection: Selection) { showSelection() }
  }
#endif
