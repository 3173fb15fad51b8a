/// Places of a sequence that are taken: the places that are left, counted without them, and back.
///
/// What stays in a list keeps its order. So the place of such a row is told best by its *gap*: how
/// many others that stay are before it. Old places give it by leaving out what goes, new places by
/// leaving out what comes, and both say the same.
struct PlaceSet {
  /// The taken places, ascending.
  private(set) var places: [Int]

  /// Collects places, in any order and without repetition.
  init(_ places: some Sequence<Int> = []) {
    self.places = places.sorted()
  }

  /// Whether a place is taken. O(log n).
  func contains(_ place: Int) -> Bool {
    let index = count(before: place)
    return index < places.count && places[index] == place
  }

  /// The number of taken places before `place`. O(log n).
  func count(before place: Int) -> Int {
    places.partitionPoint { $0 < place }
  }

  /// How many places before `place` are left. O(log n).
  func gap(of place: Int) -> Int {
    place - count(before: place)
  }

  /// The place that is left and has `gap` others before it. O(log n).
  func place(atGap gap: Int) -> Int {
    var low = 0
    var high = places.count
    while low < high {
      let middle = (low + high) / 2
      // The gap of a taken place: all before the middle are taken too.
      if places[middle] - middle <= gap { low = middle + 1 } else { high = middle }
    }
    return gap + low
  }
}

extension RandomAccessCollection where Index == Int {
  /// The index of the first element that does not satisfy `belongsBefore`; no element after it may.
  /// O(log n).
  func partitionPoint(where belongsBefore: (Element) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = (low + high) / 2
      if belongsBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
