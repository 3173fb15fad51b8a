#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TableData

// Written to be read, and with nothing of the library but the paths.

/// How few events lead from one state of a list to another, when it is given which sections stay.
struct FewestEvents {
  /// Row events, but for the rows of sections that come or go.
  var rows = 0
  /// How many of them are moves, when there are no more of them than it takes.
  var moves = 0

  /// Counts them. O(n²) for n rows.
  ///
  /// - Parameters:
  ///   - old: what the rows of each section are, in the old state.
  ///   - new: the same in the new state.
  ///   - kept: the old and the new numbers of the sections that stay, ascending.
  ///   - isUnchanged: whether a row looks the same at an old and a new place.
  init<ID: Hashable>(
    from old: [[ID]], to new: [[ID]], keeping kept: [(before: Int, after: Int)],
    isUnchanged: (_ old: IndexPath, _ new: IndexPath) -> Bool
  ) {
    var oldPlaces: [ID: IndexPath] = [:]
    for (before, _) in kept {
      for (row, id) in old[before].enumerated() { oldPlaces[id] = [before, row] }
    }
    for (before, after) in kept {
      var candidates: [(old: Int, isUnchanged: Bool)] = []
      for (row, id) in new[after].enumerated() {
        guard let place = oldPlaces.removeValue(forKey: id) else {
          rows += 1  // It is inserted.
          continue
        }
        if place.section == before {
          candidates.append((place.row, isUnchanged(place, [after, row])))
        } else {
          rows += 1
          moves += 1
        }
      }
      let best = Self.mostStaying(of: candidates)
      rows += candidates.count - best.unchanged
      moves += candidates.count - best.all
    }
    rows += oldPlaces.count  // They are deleted.
  }

  /// Of rows in their new order, how many can stay: as many unchanged ones as possible, which have
  /// no event then, and as many others.
  private static func mostStaying(
    of rows: [(old: Int, isUnchanged: Bool)]
  ) -> (unchanged: Int, all: Int) {
    // The best choice that ends with each row.
    var best: [(unchanged: Int, all: Int)] = []
    for (number, row) in rows.enumerated() {
      let before = (0..<number).filter { rows[$0].old < row.old }.map { best[$0] }.max { $0 < $1 }
      best.append(
        ((before?.unchanged ?? 0) + (row.isUnchanged ? 1 : 0), (before?.all ?? 0) + 1))
    }
    return best.max { $0 < $1 } ?? (0, 0)
  }

  /// How many sections can stay: the most that are in both states in the same order. O(n²).
  static func mostKept<ID: Equatable>(from old: [ID], to new: [ID]) -> Int {
    // The most of the first old ones and the first new ones.
    var most = [Int](repeating: 0, count: new.count + 1)
    for id in old {
      var next = most
      for (number, other) in new.enumerated() {
        next[number + 1] = id == other ? most[number] + 1 : max(most[number + 1], next[number])
      }
      most = next
    }
    return most.last ?? 0
  }
}
