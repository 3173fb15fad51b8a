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
      deferringChanges {
        cell = try updater.makeCell(
          for: source.row(at: indexPath), at: indexPath, in: collectionView)
      }
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
      let heading = updater.heading(isHeader ? \.header : \.footer, indexPath.section)
      return makeHeading(heading, of: kind, in: collectionView, at: indexPath)
    }

    #if !os(tvOS)
      /// The collection view calls it.
      public func indexTitles(for collectionView: UICollectionView) -> [String]? {
        updater.answer(nil) { try source.sectionIndex.titles }
      }

      /// The collection view calls it.
      public func collectionView(
        _ collectionView: UICollectionView, indexPathForIndexTitle title: String, at index: Int
      ) -> IndexPath {
        let section = updater.answer(0) {
          try source.sectionIndex.section(forTitle: title, at: index)
        }
        return IndexPath(item: 0, section: section)
      }
    #endif

    /// The collection view calls it.
    public func collectionView(
      _ collectionView: UICollectionView, canMoveItemAt indexPath: IndexPath
    ) -> Bool { updater.answer(false, at: indexPath) { try $0.canMove } }

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
      updater.willDisplay(cell, at: indexPath)
      showPendingLater()
    }

    /// The collection view calls it.
    public func collectionView(
      _ collectionView: UICollectionView, didEndDisplaying cell: UICollectionViewCell,
      forItemAt indexPath: IndexPath
    ) {
      updater.didEndDisplaying(cell)
      showPendingLater()
    }

    /// The collection view calls it.
    public func collectionView(
      _ collectionView: UICollectionView,
      targetIndexPathForMoveOfItemFromOriginalIndexPath originalIndexPath: IndexPath,
      atCurrentIndexPath currentIndexPath: IndexPath,
      toProposedIndexPath proposedIndexPath: IndexPath
    ) -> IndexPath {
      updater.target(ofMoveFrom: originalIndexPath, to: proposedIndexPath)
    }

    #if !os(tvOS)
      /// The collection view calls it. The menu is that of one row.
      public func collectionView(
        _ collectionView: UICollectionView,
        contextMenuConfigurationForItemsAt indexPaths: [IndexPath], point: CGPoint
      ) -> UIContextMenuConfiguration? {
        guard let indexPath = indexPaths.first, indexPaths.count == 1 else { return nil }
        return updater.answer([], at: indexPath) { try $0.actions.menu }
          .menuConfiguration(updater.reporting)
      }
    #endif
  }
#endif
