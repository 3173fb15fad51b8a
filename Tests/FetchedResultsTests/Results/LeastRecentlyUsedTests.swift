import Testing

@testable import FetchedResults

struct LeastRecentlyUsedTests {
  /// Asks for `keys` in order and returns those that had to be made.
  private func made(_ keys: [Int], capacity: Int) -> [Int] {
    var cache = LeastRecentlyUsed<Int, String>(capacity: capacity)
    var made: [Int] = []
    for key in keys {
      let value = cache.value(for: key) {
        made.append(key)
        return "\(key)"
      }
      #expect(value == "\(key)")
    }
    return made
  }

  @Test func aValueIsMadeOnce() {
    #expect(made([1, 1, 2, 1, 2, 2], capacity: 2) == [1, 2])
  }

  @Test func theOneUsedLongestAgoMakesRoom() {
    #expect(made([1, 2, 1, 3, 1, 2], capacity: 2) == [1, 2, 3, 2])
    #expect(made([1, 2, 3, 1, 2, 3], capacity: 2) == [1, 2, 3, 1, 2, 3])
    #expect(made([1, 2, 3, 2, 1, 4, 1, 2, 3], capacity: 3) == [1, 2, 3, 4, 3])
  }

  @Test func aCapacityOfOneKeepsTheLast() {
    #expect(made([1, 1, 2, 1], capacity: 1) == [1, 2, 1])
  }

  @Test func aFailureLeavesTheCacheAsItWas() {
    struct Failure: Error {}
    var cache = LeastRecentlyUsed<Int, Int>(capacity: 1)
    #expect(cache.value(for: 1) { 10 } == 10)
    #expect(throws: Failure.self) { try cache.value(for: 2) { throw Failure() } }
    #expect(cache.value(for: 1) { 99 } == 10)
  }
}
