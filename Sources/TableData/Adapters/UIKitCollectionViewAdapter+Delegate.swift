#if canImport(UIKit) && !os(watchOS)
  public import UIKit

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
      var cell: UICollectionViewCell?
      deferringChanges { cell = try makeCell(in: collectionView, for: indexPath) }
      return cell
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
      showPendingLater()
    }

    /// The collection view calls it.
    public func collectionView(
      _ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath
    ) {
      updater.reporting { try screen.selectRow(at: indexPath, in: collectionView, of: source) }
    }

    /// The collection view calls it. The data source may change its content.
    public func collectionView(
      _ collectionView: UICollectionView, willDisplay cell: UICollectionViewCell,
      forItemAt indexPath: IndexPath
    ) {
      deferringChanges {
        displayedIdentities[ObjectIdentifier(cell)] = try source.identityForRow(at: indexPath)
        try source.notifyWillDisplayRow(at: indexPath)
      }
    }

    /// The collection view calls it.
    public func collectionView(
      _ collectionView: UICollectionView, didEndDisplaying cell: UICollectionViewCell,
      forItemAt indexPath: IndexPath
    ) {
      guard let identity = displayedIdentities.removeRow(of: cell) else { return }
      deferringChanges { source.didEndDisplayingRow(withIdentity: identity) }
    }

    /// The collection view calls it.
    public func collectionView(
      _ collectionView: UICollectionView,
      targetIndexPathForMoveOfItemFromOriginalIndexPath originalIndexPath: IndexPath,
      atCurrentIndexPath currentIndexPath: IndexPath,
      toProposedIndexPath proposedIndexPath: IndexPath
    ) -> IndexPath {
      updater.answer(originalIndexPath) {
        try source.targetIndexPathForMove(from: originalIndexPath, toProposed: proposedIndexPath)
      }
    }

    #if !os(tvOS)
      /// The collection view calls it. The menu is that of one row.
      public func collectionView(
        _ collectionView: UICollectionView,
        contextMenuConfigurationForItemsAt indexPaths: [IndexPath], point: CGPoint
      ) -> UIContextMenuConfiguration? {
        guard let indexPath = indexPaths.first, indexPaths.count == 1 else { return nil }
        let actions = updater.answer([]) { try source.actionsForRow(at: indexPath).menu }
        return actions.isEmpty ? nil : actions.menuConfiguration(updater.reporting)
      }
    #endif
  }
#endif
