#if canImport(UIKit) && !os(watchOS)
  import UIKit

  extension UIKitCollection: UICollectionViewDataSource, UICollectionViewDelegate {
    func numberOfSections(in collectionView: UICollectionView) -> Int { source.numberOfSections }

    func collectionView(
      _ collectionView: UICollectionView, numberOfItemsInSection section: Int
    ) -> Int { updater.answer(0) { try source.numberOfRows(inSection: section) } }

    /// If there is an error, it is reported, and the cell is empty.
    func collectionView(
      _ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath
    ) -> UICollectionViewCell {
      var cell: UICollectionViewCell?
      updater.deferringChanges {
        cell = try updater.makeCell(
          for: source.row(at: indexPath), at: indexPath, in: collectionView)
      }
      return cell
        ?? collectionView.dequeueReusableCell(
          withReuseIdentifier: emptyIdentifier, for: indexPath)
    }

    func collectionView(
      _ collectionView: UICollectionView, viewForSupplementaryElementOfKind kind: String,
      at indexPath: IndexPath
    ) -> UICollectionReusableView {
      let isHeader = kind == UICollectionView.elementKindSectionHeader
      let heading = updater.heading(isHeader ? \.header : \.footer, indexPath.section)
      return makeHeading(heading, of: kind, in: collectionView, at: indexPath)
    }

    #if !os(tvOS)
      func indexTitles(for collectionView: UICollectionView) -> [String]? {
        updater.answer(nil) { try source.sectionIndex.titles }
      }

      func collectionView(
        _ collectionView: UICollectionView, indexPathForIndexTitle title: String, at index: Int
      ) -> IndexPath {
        let section = updater.answer(0) {
          try source.sectionIndex.section(forTitle: title, at: index)
        }
        return IndexPath(item: 0, section: section)
      }
    #endif

    func collectionView(
      _ collectionView: UICollectionView, canMoveItemAt indexPath: IndexPath
    ) -> Bool { updater.answer(false, at: indexPath) { try $0.canMove } }

    /// It already shows the row at its new index path.
    func collectionView(
      _ collectionView: UICollectionView, moveItemAt sourceIndexPath: IndexPath,
      to destinationIndexPath: IndexPath
    ) { updater.moveRow(at: sourceIndexPath, to: destinationIndexPath) }

    func collectionView(
      _ collectionView: UICollectionView, didSelectItemAt indexPath: IndexPath
    ) { updater.reporting { try screen.selectRow(at: indexPath, in: collectionView, of: source) } }

    func collectionView(
      _ collectionView: UICollectionView, didDeselectItemAt indexPath: IndexPath
    ) {
      updater.reporting { try screen.deselectRow(at: indexPath, in: collectionView, of: source) }
    }

    func collectionView(
      _ collectionView: UICollectionView, willDisplay cell: UICollectionViewCell,
      forItemAt indexPath: IndexPath
    ) { updater.willDisplay(cell, at: indexPath) }

    func collectionView(
      _ collectionView: UICollectionView, didEndDisplaying cell: UICollectionViewCell,
      forItemAt indexPath: IndexPath
    ) { updater.didEndDisplaying(cell) }

    func collectionView(
      _ collectionView: UICollectionView,
      targetIndexPathForMoveOfItemFromOriginalIndexPath originalIndexPath: IndexPath,
      atCurrentIndexPath currentIndexPath: IndexPath,
      toProposedIndexPath proposedIndexPath: IndexPath
    ) -> IndexPath { updater.target(ofMoveFrom: originalIndexPath, to: proposedIndexPath) }

    #if !os(tvOS)
      /// The menu is that of one row.
      func collectionView(
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
