internal import CountedTrees

/// The keys of all rows, in order. Integers take 8 bytes each, so they are held as such while all keys are
/// integers.
///
/// Copying costs O(1), and copies share their storage. Positions must be in range.
enum KeyList: Sendable {
  case integers(CountedTree<Int64>)
  case keys(CountedTree<RowKey>)
}

extension RowKey: CountedElement {
  var weight: Int { 1 }
}

extension KeyList {
  var count: Int {
    switch self {
    case .integers(let tree): tree.count
    case .keys(let tree): tree.count
    }
  }

  /// Complexity: O(log n).
  subscript(position: Int) -> RowKey {
    switch self {
    case .integers(let tree): .integer(tree[position])
    case .keys(let tree): tree[position]
    }
  }

  /// The keys at some positions.
  ///
  /// Complexity: O(log n + positions).
  subscript(positions: Range<Int>) -> [RowKey] {
    var keys: [RowKey] = []
    keys.reserveCapacity(positions.count)
    switch self {
    case .integers(let tree):
      for key in tree.elements(from: positions.lowerBound).prefix(positions.count) {
        keys.append(.integer(key))
      }
    case .keys(let tree):
      keys += tree.elements(from: positions.lowerBound).prefix(positions.count)
    }
    return keys
  }

  /// The positions of some keys, ascending. Keys that are not in the list are left out.
  ///
  /// Complexity: O(n).
  func places(of keys: Set<RowKey>) -> [RowDifference.KeyPosition] {
    var places: [RowDifference.KeyPosition] = []
    places.reserveCapacity(keys.count)
    switch self {
    case .integers(let tree):
      let keys = Set(RowKey.split(keys).integers)
      // Most keys are ruled out by a slot, which takes a tenth of the time to hash them.
      var slots = Slots(for: keys.count)
      for key in keys { slots.mark(key.scattered) }
      for (position, key) in tree.elements().enumerated()
      where slots.isMarked(key.scattered) && keys.contains(key) {
        places.append(RowDifference.KeyPosition(key: .integer(key), position: position))
      }
    case .keys(let tree):
      for (position, key) in tree.elements().enumerated() where keys.contains(key) {
        places.append(RowDifference.KeyPosition(key: key, position: position))
      }
    }
    return places
  }
}

// MARK: - Editing

extension KeyList {
  // The tree is taken out of the list while it is changed: otherwise it would be copied.

  /// Complexity: O(log n).
  mutating func remove(at position: Int) {
    switch self {
    case .integers(var tree):
      self = .integers(CountedTree())
      tree.remove(at: position)
      self = .integers(tree)
    case .keys(var tree):
      self = .keys(CountedTree())
      tree.remove(at: position)
      self = .keys(tree)
    }
  }

  /// Complexity: O(log n), and O(n) for the first key that is not an integer.
  mutating func insert(_ key: RowKey, at position: Int) {
    switch self {
    case .integers(var tree):
      guard case .integer(let integer) = key else {
        self = .keys(CountedTree(tree.elements().lazy.map(RowKey.integer)))
        return insert(key, at: position)
      }
      self = .integers(CountedTree())
      tree.insert(integer, at: position)
      self = .integers(tree)
    case .keys(var tree):
      self = .keys(CountedTree())
      tree.insert(key, at: position)
      self = .keys(tree)
    }
  }
}

// MARK: - Searching

extension KeyList {
  /// A part of the list, in which a search ends.
  enum Leaf {
    case integers(CountedTree<Int64>.Leaf)
    case keys(CountedTree<RowKey>.Leaf)
  }

  /// Finds the leaf that has the partition point inside or at its end, as ``CountedTree`` does.
  func leaf(where precedes: (RowKey) throws -> Bool) rethrows -> Leaf {
    switch self {
    case .integers(let tree): .integers(try tree.leaf { try precedes(.integer($0)) })
    case .keys(let tree): .keys(try tree.leaf(where: precedes))
    }
  }
}

extension KeyList.Leaf {
  /// The partition point, as a position in the list.
  func partitionPoint(where precedes: (RowKey) throws -> Bool) rethrows -> Int {
    switch self {
    case .integers(let leaf): try leaf.partitionPoint { try precedes(.integer($0)) }
    case .keys(let leaf): try leaf.partitionPoint(where: precedes)
    }
  }

  /// The position in the list of a key in this leaf; nil if it is not there.
  func position(of key: RowKey) -> Int? {
    switch (self, key) {
    case (.integers(let leaf), .integer(let integer)): leaf.position(of: integer)
    case (.integers, .tuple): nil
    case (.keys(let leaf), _): leaf.position(of: key)
    }
  }
}

// MARK: - Validating

extension KeyList {
  /// A key that is in the list twice; nil if all keys are different.
  ///
  /// Complexity: O(n), some nanoseconds a key, and a byte or two while it runs.
  func repeatedKey() -> RowKey? {
    switch self {
    case .integers(let tree): tree.repeatedElement(\.scattered).map(RowKey.integer)
    case .keys(let tree): tree.repeatedElement { UInt64(truncatingIfNeeded: $0.hashValue) }
    }
  }

  /// A key that is equal to another one in an order.
  ///
  /// Complexity: that of ``repeatedKey()``; O(n log n) if texts with other bytes may be equal.
  func repeatedKey(in order: SortOrder) -> RowKey? {
    guard case .keys(let tree) = self, !order.terms.allSatisfy(\.comparator.isBinary) else {
      return repeatedKey()
    }
    let sorted = tree.elements().map(\.tuple).sorted { order.compare($0, $1) < 0 }
    return zip(sorted, sorted.dropFirst()).first { order.compare($0, $1) == 0 }
      .map { RowKey($0.0) }
  }
}

extension CountedTree where Element: Hashable {
  /// An element that is in the tree twice; nil if all are different.
  ///
  /// Each element marks a slot. Only those whose slot is already marked, few or none, are compared with
  /// each other.
  ///
  /// - Parameter scattered: a number whose upper bits are the same for equal elements and seldom for
  ///   others.
  @inline(__always)
  fileprivate func repeatedElement(_ scattered: (Element) -> UInt64) -> Element? {
    guard count > 1 else { return nil }
    var marked = Slots(for: count)
    // Empty for most lists: neighbouring integers never have the same slot.
    var contested: Slots?
    for element in elements() where !marked.mark(scattered(element)) {
      if contested == nil { contested = Slots(for: count) }
      contested?.mark(scattered(element))
    }
    guard let contested else { return nil }
    var seen: Set<Element> = []
    for element in elements() where contested.isMarked(scattered(element)) {
      if !seen.insert(element).inserted { return element }
    }
    return nil
  }
}

extension Int64 {
  /// A number whose upper bits differ much for neighbouring integers.
  fileprivate var scattered: UInt64 {
    // The multiplier is 2⁶⁴ divided by the golden ratio.
    UInt64(bitPattern: self) &* 0x9E37_79B9_7F4A_7C15
  }
}

/// Many slots, each a bit. The upper bits of a number say which one is its slot.
private struct Slots {
  private var words: ContiguousArray<UInt64>
  private let shift: UInt64

  /// - Parameter count: how many numbers will be marked. There are at least eight slots for each.
  init(for count: Int) {
    // A power of two.
    let bits = max(6, Int.bitWidth - (8 * max(1, count) - 1).leadingZeroBitCount)
    shift = UInt64(UInt64.bitWidth - bits)
    words = ContiguousArray(repeating: 0, count: 1 << (bits - 6))
  }

  /// Marks the slot of a number. Returns false if it was marked already.
  @inline(__always)
  @discardableResult
  mutating func mark(_ number: UInt64) -> Bool {
    let (word, bit) = place(of: number)
    guard words[word] & bit == 0 else { return false }
    words[word] |= bit
    return true
  }

  @inline(__always)
  func isMarked(_ number: UInt64) -> Bool {
    let (word, bit) = place(of: number)
    return words[word] & bit != 0
  }

  @inline(__always)
  private func place(of number: UInt64) -> (word: Int, bit: UInt64) {
    let slot = number >> shift
    return (Int(slot >> 6), 1 << (slot & 63))
  }
}
