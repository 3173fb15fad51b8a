internal import CountedTrees
internal import SectionedData

/// A common subsequence of two lists, as long as possible.
///
/// The common prefix and suffix are part of it, and elements of only one list are not. The cost of
/// the rest depends on the number of *duplicates*, elements that are equal. Without duplicates, the answer is
/// a longest increasing subsequence of positions. With duplicates, let d be the number of elements
/// deleted or inserted. The n-th duplicate of one list can only be paired with a duplicate of the other whose
/// number differs from n by at most d, so only such pairs are searched.
///
/// Complexity: O(n + p log n) for n elements and p such pairs. There are at most n pairs without
/// duplicates, and n · (2 d + 1) for d elements deleted or inserted. If there are more than the budget
/// allows, only nearer pairs are searched, and the subsequence may not be the longest.
struct CommonSubsequence {
  /// The positions of the elements in the old and the new list, ascending.
  private(set) var pairs: [(old: Int, new: Int)] = []

  /// The number of pairs of duplicates that may be searched.
  struct Budget {
    /// Enough for any 2,000 elements.
    var pairCount = 1 << 22
  }

  /// An element that is in both lists.
  private struct Item {
    let position: Int
    let content: UInt64
    /// The number of its duplicates before it.
    let rank: Int
  }

  /// - Parameter budget: reduced by the number of pairs that are searched.
  init(of old: ArraySlice<UInt64>, and new: ArraySlice<UInt64>, _ budget: inout Budget) {
    let prefix = zip(old, new).prefix { $0 == $1 }.count
    let rest = min(old.count, new.count) - prefix
    let suffix = zip(old.reversed(), new.reversed()).prefix(rest).prefix { $0 == $1 }.count
    pairs = (0..<prefix).map { (old.startIndex + $0, new.startIndex + $0) }
    let oldMiddle = old.dropFirst(prefix).dropLast(suffix)
    let newMiddle = new.dropFirst(prefix).dropLast(suffix)
    if !oldMiddle.isEmpty, !newMiddle.isEmpty {
      pairs += CommonSubsequence.middle(oldMiddle, newMiddle, &budget)
    }
    pairs += (0..<suffix).reversed().map { (old.endIndex - 1 - $0, new.endIndex - 1 - $0) }
  }

  private static func middle(
    _ old: ArraySlice<UInt64>, _ new: ArraySlice<UInt64>, _ budget: inout Budget
  ) -> [(old: Int, new: Int)] {
    let oldItems = items(of: old, alsoIn: Set(new))
    let newItems = items(of: new, alsoIn: Set(old))
    // For each content its indices in `newItems`, by rank.
    var places: [UInt64: [Int]] = [:]
    for (place, item) in newItems.enumerated() { places[item.content, default: []].append(place) }
    let farthest = max(oldItems.map(\.rank).max() ?? 0, newItems.map(\.rank).max() ?? 0)

    var distance = 0
    while true {
      let found = longest(oldItems, newItems, places, within: distance)
      // In a longest subsequence, at most this many elements are deleted or inserted.
      let needed = min(farthest, max(oldItems.count, newItems.count) - found.count)
      guard needed > distance else { return found }
      var next = needed
      var count = pairCount(oldItems, places, within: next)
      while count > budget.pairCount, next > distance {
        next /= 2
        count = pairCount(oldItems, places, within: next)
      }
      guard next > distance else { return completed(found, old, new) }
      budget.pairCount -= count
      distance = next
    }
  }

  private static func items(of list: ArraySlice<UInt64>, alsoIn other: Set<UInt64>) -> [Item] {
    var counts: [UInt64: Int] = [:]
    var items: [Item] = []
    for (position, content) in zip(list.indices, list) where other.contains(content) {
      items.append(Item(position: position, content: content, rank: counts[content, default: 0]))
      counts[content, default: 0] += 1
    }
    return items
  }

  /// The ranks of the duplicates that an element can be paired with.
  private static func candidates(
    _ item: Item, _ duplicates: [Int], within distance: Int
  ) -> Range<Int> {
    let start = min(duplicates.count, max(0, item.rank - distance))
    return start..<max(start, min(duplicates.count, item.rank + distance + 1))
  }

  private static func pairCount(
    _ old: [Item], _ places: [UInt64: [Int]], within distance: Int
  ) -> Int {
    old.reduce(0) { $0 + candidates($1, places[$1.content] ?? [], within: distance).count }
  }

  /// The longest common subsequence in which the ranks of paired elements differ by at most
  /// `distance`.
  ///
  /// Source: J. W. Hunt and T. G. Szymanski, "A fast algorithm for computing longest common
  /// subsequences", 1977.
  private static func longest(
    _ old: [Item], _ new: [Item], _ places: [UInt64: [Int]], within distance: Int
  ) -> [(old: Int, new: Int)] {
    struct Link {
      let old: Int32
      let new: Int32
      let previous: Int32
    }
    var links: [Link] = []
    // For each length the link that ends a subsequence of that length at the smallest possible
    // index.
    var ends: [Int32] = []
    for (index, item) in old.enumerated() {
      let duplicates = places[item.content] ?? []
      // Descending, so that none of them follows another.
      for place in duplicates[candidates(item, duplicates, within: distance)].reversed() {
        let length = ends.partitionPoint { links[Int($0)].new < place }
        if length < ends.count, links[Int(ends[length])].new == place { continue }
        links.append(
          Link(
            old: Int32(index), new: Int32(place), previous: length > 0 ? ends[length - 1] : -1))
        if length < ends.count {
          ends[length] = Int32(links.count - 1)
        } else {
          ends.append(Int32(links.count - 1))
        }
      }
    }
    var pairs: [(old: Int, new: Int)] = []
    var link = ends.last ?? -1
    while link >= 0 {
      let current = links[Int(link)]
      pairs.append((old[Int(current.old)].position, new[Int(current.new)].position))
      link = current.previous
    }
    return pairs.reversed()
  }

  /// Adds pairs until no element between two pairs is in both lists. An event for such a row would
  /// not change the list.
  private static func completed(
    _ pairs: [(old: Int, new: Int)], _ old: ArraySlice<UInt64>, _ new: ArraySlice<UInt64>
  ) -> [(old: Int, new: Int)] {
    var result: [(old: Int, new: Int)] = []
    var (oldStart, newStart) = (old.startIndex, new.startIndex)
    for end in pairs + [(old.endIndex, new.endIndex)] {
      // Pairs each remaining old element with the first equal new one, and continues after that.
      var places: [UInt64: [Int]] = [:]
      for position in (newStart..<end.new).reversed() {
        places[new[position], default: []].append(position)
      }
      for position in oldStart..<end.old {
        let content = old[position]
        while let place = places[content]?.last, place < newStart {
          places[content]?.removeLast()
        }
        guard let place = places[content]?.last else { continue }
        result.append((position, place))
        newStart = place + 1
      }
      if end.old < old.endIndex { result.append(end) }
      (oldStart, newStart) = (end.old + 1, end.new + 1)
    }
    return result
  }
}
