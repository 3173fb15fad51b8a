import Foundation
import TableData

/// A provider of items that tells whatever it is told to tell.
final class LyingProvider: ViewModelDataProvider {
  weak var observer: (any TableChangesObserver)?
  var content: [[Int]]

  init(_ content: [[Int]]) { self.content = content }

  var sections: [SectionInfo] {
    content.map { SectionInfo(name: "\($0.count)", numberOfRows: $0.count) }
  }

  func item(at indexPath: IndexPath) -> Item {
    Item(id: content[indexPath.section][indexPath.row])
  }

  func tell(_ changes: TableChanges, isPaired: Bool = true) {
    if isPaired { observer?.contentWillChange(of: self) }
    observer?.contentDidChange(of: self, by: changes)
  }

  /// Changes of one section `[1, 2, 3]` and another one `[4]` that cannot be true.
  static let lies = [
    TableChanges(deletedRows: [[0, 7]]), TableChanges(deletedRows: [[5, 0]]),
    TableChanges(insertedRows: [[2, 0]]), TableChanges(deletedSections: [4], insertedSections: [0]),
    TableChanges(deletedSections: [1, 1], insertedSections: [0, 0]),
    TableChanges(insertedSections: [9]), TableChanges(deletedSections: [1]),
    TableChanges(movedRows: [.init(from: [0, 0], to: [3, 0])]),
    TableChanges(updatedRows: [.init(old: [-1, 0], new: [0, 0])]),
    TableChanges(deletedRows: [[]]), TableChanges(insertedRows: [[0]]),
  ]

  /// Changes of sections that exist.
  static let liesAboutRows = [
    TableChanges(insertedRows: [[0, 0], [0, 0]]), TableChanges(deletedRows: [[0, 1], [0, 1]]),
    TableChanges(movedRows: [.init(from: [0, 0], to: [0, 1]), .init(from: [0, 2], to: [0, 1])]),
    TableChanges(deletedRows: [[0, 0]], movedRows: [.init(from: [0, 0], to: [0, 1])]),
    TableChanges(updatedRows: [.init(old: [0, 3], new: [0, 3])]),
  ]

  /// Changes of the same sections to `[1, 2, 3]`, `[4, 5, 7]` and `[9]`, if the section `[4]` stays or is another one.
  /// They list some rows of an inserted section, or move a row into one, or out of a deleted one.
  static let liesAboutInsertedSections = [
    TableChanges(insertedSections: [1], insertedRows: [[1, 0]]),
    TableChanges(insertedSections: [1], insertedRows: [[1, 1]]),
    TableChanges(insertedSections: [1], insertedRows: [[1, 0], [1, 2]]),
    TableChanges(
      insertedSections: [1], insertedRows: [[2, 0]],
      movedRows: [.init(from: [1, 0], to: [1, 2])]),
    TableChanges(
      insertedSections: [1], insertedRows: [[2, 0]],
      updatedRows: [.init(old: [1, 0], new: [1, 0])]),
    TableChanges(
      deletedSections: [1], insertedSections: [1, 2], deletedRows: [[0, 0]],
      movedRows: [.init(from: [1, 0], to: [0, 0])]),
  ]
}
