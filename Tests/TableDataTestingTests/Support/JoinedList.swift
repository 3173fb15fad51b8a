import Foundation
import TableData
import TableDataTesting
import TestLists

/// The sections of one list, and then those of another one. How it forwards display events can be replaced
/// by something wrong.
final class JoinedList: RowDisplayObserver, TableChangesObserver {
  typealias Part = DisplayRecorder<ListProvider>

  weak var observer: (any TableChangesObserver)?
  let first: Part
  let second: Part

  var display: (JoinedList, IndexPath) throws -> Void = { list, path in
    let (part, path) = list.part(at: path)
    try part.willDisplayRow(at: path)
  }
  var endDisplay: (JoinedList, AnyHashable) throws -> Void = { list, identity in
    try list.part(of: identity).didEndDisplayingRow(withIdentity: identity)
  }

  init(_ first: ListProvider, _ second: ListProvider) throws {
    self.first = try Part(first)
    self.second = try Part(second)
    self.first.observer = self
    self.second.observer = self
  }

  var sections: [SectionInfo] { first.sections + second.sections }

  /// The part that has a row, and the index path there.
  func part(at path: IndexPath) -> (Part, IndexPath) {
    let offset = first.sections.count
    guard path.count == 2, path.section >= offset else { return (first, path) }
    return (second, IndexPath(row: path.row, section: path.section - offset))
  }

  /// The part that shows a row. Each row that was deleted is of the first.
  func part(of identity: AnyHashable) throws -> Part {
    try second.indexPath(forIdentity: identity) == nil ? first : second
  }

  func item(at indexPath: IndexPath) throws -> ListProvider.Row {
    let (part, path) = part(at: indexPath)
    return try part.itemForRow(at: path)
  }

  func willDisplayRow(at indexPath: IndexPath) throws { try display(self, indexPath) }

  func didEndDisplayingRow(withIdentity identity: AnyHashable) {
    do { try endDisplay(self, identity) } catch { observer?.content(of: self, didFailWith: error) }
  }

  func contentDidChange(of sender: any TableChangesSender, by changes: TableChanges) {
    precondition(sender === first, "the changes of the second part would need an offset")
    observer?.contentDidChange(of: self, by: changes)
  }
}
