/// The fewest row events that lead from one list to another one, counted without the library: rows
/// that go or come with their section are not counted, and all that are unchanged stay.
struct FewestEvents {
  /// The moves among them.
  private(set) var moves = 0
  /// All of them.
  private(set) var count = 0

  private struct OldRow {
    let section: String
    let place: Int
    let item: Item
  }

  /// Counts what leads from `old` to `new`, each in the order of its list.
  init(from old: [Item], to new: [Item]) {
    let oldSections = Set(old.map(\.section))
    let newSections = Set(new.map(\.section))
    let newIDs = Set(new.map(\.id))
    var oldRows: [Int64: OldRow] = [:]
    for (place, item) in old.enumerated() {
      oldRows[item.id] = OldRow(section: item.section, place: place, item: item)
      if !newIDs.contains(item.id), newSections.contains(item.section) { count += 1 }
    }

    // The changed rows that may stay between two unchanged ones: their old places.
    var gap: [Int] = []
    var gapStart = -1
    func endGap(before end: Int) {
      let staying = longestIncreasing(gap.filter { gapStart < $0 && $0 < end })
      count += gap.count
      moves += gap.count - staying
      gap = []
    }
    for (index, item) in new.enumerated() {
      if index > 0, new[index - 1].section != item.section {
        endGap(before: .max)
        gapStart = -1
      }
      switch oldRows[item.id] {
      case nil:
        if oldSections.contains(item.section) { count += 1 }
      case let row? where row.section != item.section:
        switch (newSections.contains(row.section), oldSections.contains(item.section)) {
        case (true, true):
          moves += 1
          count += 1
        case (true, false), (false, true): count += 1
        case (false, false): break
        }
      case let row? where row.item == item:
        endGap(before: row.place)
        gapStart = row.place
      case let row?: gap.append(row.place)
      }
    }
    endGap(before: .max)
  }

  /// The length of the longest increasing subsequence.
  private func longestIncreasing(_ numbers: [Int]) -> Int {
    /// The least last number of one of each length.
    var ends: [Int] = []
    for number in numbers {
      let index = ends.firstIndex { $0 >= number } ?? ends.count
      if index == ends.count { ends.append(number) } else { ends[index] = number }
    }
    return ends.count
  }
}
