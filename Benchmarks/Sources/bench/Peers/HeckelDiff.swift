/// The difference of two lists after Paul Heckel, with the moves as DifferenceKit and its like find
/// them: a row stays where it is the next one that has not been dealt with, and moves otherwise.
///
/// Source: P. Heckel, *A technique for isolating differences between files*, CACM 21 (4), 1978.
///
/// Complexity: O(n), with a dictionary of all ids.
struct HeckelDiff {
  private(set) var deleted: [Int] = []
  private(set) var inserted: [Int] = []
  private(set) var moved: [(from: Int, to: Int)] = []
  /// The rows that stay and have new content.
  private(set) var updated: [Int] = []

  /// The number of rows with an event.
  var count: Int { deleted.count + inserted.count + moved.count + updated.count }

  /// Compares lists in which no id comes twice.
  init<Element: Equatable>(
    from old: [Element], to new: [Element], id: (Element) -> Int64
  ) {
    var oldIndices: [Int64: Int32] = [:]
    oldIndices.reserveCapacity(old.count)
    for (index, element) in old.enumerated() { oldIndices[id(element)] = Int32(index) }

    // Whether an old row has been dealt with: first those that are not in the new list.
    var isDone = [Bool](repeating: true, count: old.count)
    var sources = [Int32](repeating: -1, count: new.count)
    for (index, element) in new.enumerated() {
      guard let source = oldIndices[id(element)] else { continue }
      sources[index] = source
      isDone[Int(source)] = false
    }
    for index in old.indices where isDone[index] { deleted.append(index) }

    var next = 0
    for index in new.indices {
      guard sources[index] >= 0 else {
        inserted.append(index)
        continue
      }
      let source = Int(sources[index])
      while isDone[next] { next += 1 }
      if source != next {
        moved.append((source, index))
      } else if old[source] != new[index] {
        updated.append(index)
      }
      isDone[source] = true
    }
  }
}
