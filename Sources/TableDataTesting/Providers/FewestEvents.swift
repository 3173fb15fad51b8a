import TableData

// Simple on purpose, and independent of the library except for its index paths.

/// The fewest events that lead from one state of a list to another, given the sections that stay.
struct FewestEvents {
  /// The number of row events, without those for the rows of deleted and inserted sections.
  var rows = 0
  /// The number of moves among them, if there are no more moves than necessary.
  var moves = 0

  /// Counts the events. O(n²) for n rows.
  ///
  /// - Parameters:
  ///   - old: the identities of the rows of each section, in the old state.
  ///   - new: the same in the new state.
  ///   - kept: the old and the new numbers of the sections that stay, ascending.
  ///   - isUnchanged: whether a row looks the same at an old and a new index path.
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

  /// The number of rows that can stay, of rows in their new order: as many unchanged ones as
  /// possible, which then have no event, and as many others as possible.
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

  /// The number of sections that can stay: the most that are in both states in the same order.
  /// O(n²).
  static func mostKept<ID: Equatable>(from old: [ID], to new: [ID]) -> Int {
    // At each index: the most for the old sections so far and that many of the new ones.
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
