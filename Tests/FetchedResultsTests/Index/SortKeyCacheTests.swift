import SQLiteStorage
import Testing

@testable import FetchedResults

@Suite struct SortKeyCacheTests {
  private let sortKeys = SortKeyCache<Int64>()
  /// Beyond this many keys the young ones become the old ones.
  private let generation = 8_192

  /// The sort key of a row; -1 where it is not known.
  private func known(_ key: Int64) -> Int64? {
    let sortKey = sortKeys.sortKey(of: key) { KeyTuple([-1]) }
    guard case .integer(let number)? = sortKey?.values.first else { return nil }
    sortKeys.forget(key)
    return number
  }

  @Test func whatIsForgottenIsAskedForAgain() {
    for key in 0..<Int64(generation + 1) { sortKeys.remember(KeyTuple([.integer(key)]), of: key) }
    // The one of the older generation, the other of the younger.
    for key in [5, Int64(generation)] {
      sortKeys.forget(key)
      #expect(known(key) == -1)
    }
  }

  @Test func whatWasAskedForStaysKnownForAGeneration() {
    for key in 0..<Int64(generation + 1) { sortKeys.remember(KeyTuple([.integer(key)]), of: key) }
    #expect(known(5) == 5)
    #expect(known(Int64(generation)) == Int64(generation))
    for key in 0..<Int64(2 * generation) { sortKeys.remember(KeyTuple([0]), of: key + 10_000) }
    #expect(known(6) == -1)
  }
}
