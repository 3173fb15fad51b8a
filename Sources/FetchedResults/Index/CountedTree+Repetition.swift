internal import TableData

extension CountedTree where Element: RowKey {
  /// A key that is in the tree twice; nil if all keys are different.
  ///
  /// Each key marks one of many slots. Only keys whose slot is already marked, few or none, are
  /// compared with each other.
  ///
  /// Complexity: O(n), some nanoseconds a key, and a byte or two a key while it runs.
  @specialized(where Element == Int64)
  func repeatedKey() -> Element? {
    guard count > 1 else { return nil }
    // A power of two, at least eight slots for each key.
    let slotBits = max(6, Int.bitWidth - (8 * count - 1).leadingZeroBitCount)
    let shift = UInt64(UInt64.bitWidth - slotBits)
    var marked = ContiguousArray<UInt64>(repeating: 0, count: 1 << (slotBits - 6))
    // Empty for most lists: neighbouring keys never have the same slot.
    var contested: ContiguousArray<UInt64> = []
    for key in elements() {
      let slot = key.scattered >> shift
      let (word, bit) = (Int(slot >> 6), 1 << (slot & 63) as UInt64)
      guard marked[word] & bit != 0 else {
        marked[word] |= bit
        continue
      }
      if contested.isEmpty { contested = ContiguousArray(repeating: 0, count: marked.count) }
      contested[word] |= bit
    }
    guard !contested.isEmpty else { return nil }
    var seen: Set<Element> = []
    for key in elements() {
      let slot = key.scattered >> shift
      guard contested[Int(slot >> 6)] & (1 << (slot & 63)) != 0 else { continue }
      if !seen.insert(key).inserted { return key }
    }
    return nil
  }
}
