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
    /// The title of the button that deletes a row without trailing actions.
    public var deleteTitle = "Delete"

    let updater: TableUpdater
    private let updates: CollectionUpdates
    let screen: TableScreen
    private weak var collectionView: UICollectionView?
    private var cells = ViewCells()
    private var preparedCells = PreparedCells()
    /// The identity of the row that each cell on the screen shows.
    var displayedIdentities: [ObjectIdentifier: AnyHashable] = [:]
    let headerIdentifier = "FetchedResults.header"
    let footerIdentifier = "FetchedResults.footer"
    let emptyIdentifier = "FetchedResults.empty"

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
        refresh: { try adapter?.refresh(at: $0) })
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
    /// themselves. A ``UIKitItemGenerator`` needs none.
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
    /// A row that is swiped has its actions; if it has no trailing ones, and can be deleted, a button for that.
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
          configuration.leadingSwipeActionsConfigurationProvider = { [weak self] indexPath in
            self?.leadingActions(at: indexPath)
          }
          configuration.trailingSwipeActionsConfigurationProvider = { [weak self] indexPath in
            self?.trailingActions(at: indexPath)
          }
        #endif
        return NSCollectionLayoutSection.list(using: configuration, layoutEnvironment: environment)
      }
    }

    func title(ofHeader section: Int) -> String? {
      updater.answer(nil) { try source.titleForHeader(inSection: section) }
    }

    func title(ofFooter section: Int) -> String? {
      updater.answer(nil) { try source.titleForFooter(inSection: section) }
    }

    #if !os(tvOS)
      private func trailingActions(at indexPath: IndexPath) -> UISwipeActionsConfiguration? {
        var actions = updater.answer([]) { try source.actionsForRow(at: indexPath).trailing }
        if actions.isEmpty, updater.answer(false, { try source.canEditRow(at: indexPath) }) {
          let identity = updater.answer(nil) { try source.identityForRow(at: indexPath) }
          actions = [
            RowAction(deleteTitle, style: .destructive) { [source] in
              // The row may have moved since its button was shown.
              let path = try identity.map(source.indexPath(forIdentity:)) ?? indexPath
              if let path { try source.commitDelete(forRowAt: path) }
            }
          ]
        }
        return actions.isEmpty ? nil : actions.swipeConfiguration(updater.answer)
      }

      private func leadingActions(at indexPath: IndexPath) -> UISwipeActionsConfiguration? {
        let actions = updater.answer([]) { try source.actionsForRow(at: indexPath).leading }
        return actions.isEmpty ? nil : actions.swipeConfiguration(updater.answer)
      }
    #endif

    /// Makes a call of the collection view, in which the content may change.
    func deferringChanges(_ body: () throws -> Void) {
      updater.deferringChanges(body)
      showPendingLater()
    }

    func showPendingLater() {
      guard updater.hasPending else { return }
      Task { updater.showPending() }
    }

    // MARK: Headers and footers

    func show(_ title: String?, in view: UICollectionReusableView, isHeader: Bool) {
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

    func makeCell(
      in collectionView: UICollectionView, for indexPath: IndexPath
    ) throws -> UICollectionViewCell {
      let viewModel = try source.viewModelForRow(at: indexPath)
      if let generator = viewModel as? any UIKitItemGenerator {
        return generator.generate(collectionView: collectionView, for: indexPath)
      }
      let viewCell = try cells.cell(for: viewModel, at: indexPath, of: source)
      if try preparedCells.add(viewCell) { _ = viewCell.make(collectionView) }
      let cell = collectionView.dequeueReusableCell(
        withReuseIdentifier: viewCell.identifier, for: indexPath)
      try viewCell.registration.configure(cell, viewModel)
      return cell
    }

    /// Shows the content of a row again, in its current cell if a generator has made it.
    private func refresh(at indexPath: IndexPath) throws {
      guard let cell = collectionView?.cellForItem(at: indexPath) else { return }
      if let generator = try source.viewModelForRow(at: indexPath) as? any UIKitItemGenerator {
        generator.show(in: cell)
      } else {
        updates.reloadRows(at: [indexPath])
      }
    }
  }

  /// A generator whose cell is a UICollectionViewCell.
  @MainActor
  public protocol UIKitItemGenerator: TableCellGenerator {
    /// A cell of the collection view that shows the generator.
    func generate(
      collectionView: UICollectionView, for indexPath: IndexPath
    ) -> UICollectionViewCell
    /// Shows the generator again, in a cell that it has made.
    func show(in cell: UICollectionViewCell)
  }

  // As for a UITableView.
  extension CellGenerator: @MainActor UIKitItemGenerator where Cell: UICollectionViewCell {
    /// A cell of the class. The reuse identifier is the name of the class.
    public func generate(
      collectionView: UICollectionView, for indexPath: IndexPath
    ) -> UICollectionViewCell {
      let identifier = String(reflecting: Cell.self)
      collectionView.register(Cell.self, forCellWithReuseIdentifier: identifier)
      let cell = collectionView.dequeueReusableCell(
        withReuseIdentifier: identifier, for: indexPath)
      show(in: cell)
      return cell
    }

    /// Shows the view model in a cell of the class.
    public func show(in cell: UICollectionViewCell) {
      if let cell = cell as? Cell { build(view: cell) }
    }
  }

  extension UIKitCollectionViewAdapter: @MainActor SelectionObserver {
    /// The selection calls it.
    public func selectionDidChange(_ selection: Selection) { showSelection() }
  }
#endif
