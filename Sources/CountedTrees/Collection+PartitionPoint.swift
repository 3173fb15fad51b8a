extension RandomAccessCollection where Index == Int {
  /// The index of the first element that `belongsBefore` is false for; the end if there is none.
  ///
  /// Complexity: O(log n).
  ///
  /// - Parameter belongsBefore: true for some elements at the start, and false for all after them.
  @inlinable
  public func partitionPoint(
    where belongsBefore: (Element) throws -> Bool
  ) rethrows -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if try belongsBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
