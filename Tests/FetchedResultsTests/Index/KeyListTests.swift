import SQLiteStorage
import TableDataTesting
import Testing

@testable import FetchedResults

struct KeyListTests {
  /// The list that a scan of these keys makes.
  private func list(_ keys: [RowKey]) throws -> KeyList {
    var builder = RowOrder.Builder(nil)
    for key in keys { builder.append(key) }
    guard case .keys(let list) = builder.finish({ _ in KeyTuple([]) }) else {
      throw BrokenOrder()
    }
    return list
  }

  private struct BrokenOrder: Error {}

  private func isOfIntegers(_ list: KeyList) -> Bool {
    if case .integers = list { true } else { false }
  }

  @Test func integersAreHeldAsSuchUntilAnotherKeyComes() throws {
    let text = RowKey(KeyTuple(["a"]))
    #expect(isOfIntegers(try list([])))
    #expect(isOfIntegers(try list([3, 1, 2])))
    #expect(!isOfIntegers(try list([3, text])))
    var list = try list([3, 1, 2])
    list.insert(text, at: 1)
    #expect(!isOfIntegers(list))
    #expect(list[0..<4] == [3, text, 1, 2])
  }

  /// Lists of integers, of texts and of both, edited at random, beside an array.
  @Test(arguments: SeededGenerator.seeds(30))
  func aListHasTheKeysOfAnArray(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var next: Int64 = 0
    let texts = Int.random(in: 0...2, using: &generator)
    func key() -> RowKey {
      next += 1
      return texts > Int.random(in: 0..<2, using: &generator)
        ? RowKey(KeyTuple([.text("\(next)")])) : .integer(next)
    }
    var keys = (0..<Int.random(in: 0...40_000, using: &generator)).map { _ in key() }
    var list = try list(keys)
    for _ in 0..<200 {
      if keys.isEmpty || Bool.random(using: &generator) {
        let position = Int.random(in: 0...keys.count, using: &generator)
        let key = key()
        keys.insert(key, at: position)
        list.insert(key, at: position)
      } else {
        let position = Int.random(in: 0..<keys.count, using: &generator)
        keys.remove(at: position)
        list.remove(at: position)
      }
    }
    #expect(list.count == keys.count)
    #expect(list[0..<keys.count] == keys)
    #expect(list.repeatedKey() == nil)
    let positions = Dictionary(uniqueKeysWithValues: zip(keys, keys.indices))
    for _ in 0..<20 where !keys.isEmpty {
      let position = Int.random(in: keys.indices, using: &generator)
      #expect(list[position] == keys[position])
      #expect(list[position..<min(position + 9, keys.count)] == Array(keys[position...].prefix(9)))
      let leaf = list.leaf { positions[$0, default: 0] <= position }
      #expect(leaf.position(of: keys[position]) == position)
      #expect(leaf.partitionPoint { positions[$0, default: 0] <= position } == position + 1)
      #expect(leaf.position(of: .integer(-1)) == nil)
    }
    let wanted = Set(keys.filter { _ in Int.random(in: 0..<50, using: &generator) == 0 })
    let places = list.places(of: wanted.union([-1, RowKey(KeyTuple(["x"]))]))
    #expect(places.map(\.position) == keys.indices.filter { wanted.contains(keys[$0]) })
    #expect(Set(places.map(\.key)) == wanted)
  }
}
