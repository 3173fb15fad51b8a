import FetchedResults
import RowQueries
import SQLiteStorage
import SectionedData

/// What commits did to a row of a window.
enum RowMark: Sendable {
  case inserted, updated, moved
}

/// The versions in which a row of a window was inserted, updated and moved last; 0 if that is not known.
///
/// So what happened to it since any earlier version is known without the versions in between.
struct RowMarks: Sendable {
  private(set) var inserted = 0
  private(set) var updated = 0
  private(set) var moved = 0

  mutating func add(_ mark: RowMark, in version: Int) {
    switch mark {
    case .inserted: inserted = version
    case .updated: updated = version
    case .moved: moved = version
    }
  }

  /// What happened to the row since a version; nil for nothing.
  func mark(since version: Int) -> RowMark? {
    if inserted > version { return .inserted }
    if moved > version { return .moved }
    return updated > version ? .updated : nil
  }
}

extension WindowContent {
  /// The window in the next version.
  ///
  /// The window keeps its first row in place, unless it begins with the first line of the list. That is the first row
  /// of the old window that was neither deleted nor moved.
  ///
  /// - Parameters:
  ///   - changes: not a reset.
  ///   - version: the number of the next version.
  func advanced(
    by changes: TableChanges, to snapshot: FetchedSnapshot<Row>, _ query: RowQuery, version: Int
  ) throws -> WindowContent {
    var content = try moved(to: snapshot, query) {
      try from == 0 ? 0 : newStart(changes, snapshot, hasHeaders: query.sectionKey != nil)
    }
    let earlier = Dictionary(uniqueKeysWithValues: lines.map { ($0.key, $0.marks) })
    let new = content.marks(changes)
    content.mark { line in
      var marks = earlier[line.key] ?? RowMarks()
      if let mark = new[line.key] { marks.add(mark, in: version) }
      return marks
    }
    return content
  }

  /// The window in another version.
  ///
  /// - Parameter start: finds the first line, if it shows lines that follow each other.
  func moved(
    to snapshot: FetchedSnapshot<Row>, _ query: RowQuery, start: () throws -> Int
  ) throws -> WindowContent {
    try WindowContent(snapshot, query, part, from: start(), size: size)
  }

  private func newStart(
    _ changes: TableChanges, _ snapshot: FetchedSnapshot<Row>, hasHeaders: Bool
  ) throws -> Int {
    var headers: Set<String> = []
    for line in lines {
      guard let row = line.row else {
        headers.insert(line.key)
        continue
      }
      guard let position = try snapshot.position(of: row) else { continue }
      let place = snapshot.indexPath(of: position)
      if changes.movedRows.part(from: place, through: place, sortedBy: \.to).isEmpty == false {
        continue
      }
      guard hasHeaders else { return position }
      let section = place.section
      let header = snapshot.rows(inSection: section).lowerBound + section
      // A header above the row stays above it, even if rows were inserted in between.
      let isShown = headers.contains(Line.key(ofSection: section, snapshot))
      return isShown ? header : position + section + 1
    }
    return from
  }

  private func marks(_ changes: TableChanges) -> [String: RowMark] {
    var paths: [IndexPath: String] = [:]
    for line in lines where line.row != nil {
      paths[IndexPath(row: line.place[1], section: line.place[0])] = line.key
    }
    guard let first = paths.keys.min(), let last = paths.keys.max() else { return [:] }
    var marks: [String: RowMark] = [:]
    func mark<Change>(_ list: [Change], _ path: KeyPath<Change, IndexPath>, _ mark: RowMark) {
      for change in list.part(from: first, through: last, sortedBy: path) {
        if let key = paths[change[keyPath: path]] { marks[key] = mark }
      }
    }
    mark(changes.insertedRows, \.self, .inserted)
    mark(changes.movedRows, \.to, .moved)
    mark(changes.updatedRows, \.new, .updated)
    return marks
  }
}

extension RandomAccessCollection where Index == Int {
  /// The index of the first element for which `isAfter` is true; it is false for all before.
  func firstIndex(after isAfter: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension Array {
  /// The elements from one index path through another, in a list that is sorted by `path`.
  fileprivate func part(
    from first: IndexPath, through last: IndexPath, sortedBy path: KeyPath<Element, IndexPath>
  ) -> ArraySlice<Element> {
    let start = firstIndex { $0[keyPath: path] >= first }
    return self[start..<Swift.max(start, firstIndex { $0[keyPath: path] > last })]
  }
}
