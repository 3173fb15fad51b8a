import CountedTrees
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

struct RowChunkTests {
  private static let ascending = SortOrder(terms: [
    SortOrder.Term(comparator: .binary, isDescending: false, areNullsFirst: true)
  ])

  /// Numbers in chunks, kept beside the chunks.
  private struct Numbers {
    var numbers: [Int64] = []
    var chunks: CountedTree<RowChunk>
    let size: Int

    init(size: Int) {
      self.size = size
      var builder = CountedTree<RowChunk>.Builder()
      builder.append(RowChunk(separator: nil, rowCount: 0))
      chunks = builder.finish()
    }

    mutating func change(removing gone: [Int64] = [], inserting come: [Int64] = []) {
      var editor = ChunkEditor(chunks, ascending, size: size)
      for number in gone { editor.remove(KeyTuple([.integer(number)])) }
      for number in come { editor.insert(KeyTuple([.integer(number)])) }
      numbers = (numbers.filter { !gone.contains($0) } + come).sorted()
      editor.finish { [numbers] chunk, stride in
        let rest = numbers.drop { number in
          chunk.separator.map { ascending.compare(KeyTuple([.integer(number)]), $0) < 0 } ?? false
        }.prefix(chunk.rowCount)
        return Swift.stride(from: stride, to: chunk.rowCount, by: stride).map { row in
          KeyTuple([.integer(rest[rest.startIndex + row])])
        }
      }
      chunks = editor.chunks
    }

    var rowCounts: [Int] { chunks.elements().map { $0.rowCount } }
  }

  @Test func aChunkThatIsTooLongIsDividedIntoPiecesOfOneSize() {
    var numbers = Numbers(size: 4)
    numbers.change(inserting: Array(1...8))
    #expect(numbers.rowCounts == [8])
    numbers.change(inserting: [9])
    #expect(numbers.rowCounts == [5, 4])
    numbers.change(inserting: Array(10...40))
    #expect(numbers.rowCounts == [5, 5, 5, 5, 5, 5, 5, 5])
  }

  @Test func aChunkThatIsTooShortJoinsTheOneBefore() {
    var numbers = Numbers(size: 4)
    numbers.change(inserting: Array(1...9))
    numbers.change(removing: [6, 7, 8])
    #expect(numbers.rowCounts == [5, 1])
    numbers.change(removing: [1, 2])
    #expect(numbers.rowCounts == [3, 1])
    numbers.change(removing: [9])
    #expect(numbers.rowCounts == [3])
  }

  @Test func theFirstChunkIsJoinedByTheOneBehind() {
    var numbers = Numbers(size: 4)
    numbers.change(inserting: Array(1...9))
    numbers.change(removing: [1, 2, 3, 4, 5])
    #expect(numbers.rowCounts == [4])
    #expect(numbers.chunks[0].separator == nil)
    numbers.change(removing: [6, 7, 8, 9])
    #expect(numbers.rowCounts == [0])
  }

  @Test func aSeparatorStaysWhenItsRowIsDeleted() {
    var numbers = Numbers(size: 4)
    numbers.change(inserting: Array(stride(from: 10, through: 90, by: 10)))
    #expect(numbers.chunks[1].separator == KeyTuple([.integer(60)]))
    numbers.change(removing: [60], inserting: [61, 59])
    #expect(numbers.rowCounts == [6, 4])
    numbers.change(inserting: [60])
    #expect(numbers.rowCounts == [6, 5])
  }

  @Test(arguments: SeededGenerator.seeds(40))
  func chunksCountTheRowsBetweenTheirSeparators(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var numbers = Numbers(size: Int.random(in: 1...6, using: &generator))
    for _ in 0..<30 {
      let gone = numbers.numbers.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
      let rest = Set(numbers.numbers).subtracting(gone)
      let come = Set((0..<20).map { _ in Int64.random(in: 0..<200, using: &generator) })
      numbers.change(removing: gone, inserting: Array(come.subtracting(rest)))
      try RowOrder.chunks(numbers.chunks).checkInvariants(
        rowCount: numbers.numbers.count, Self.ascending,
        ChunkPolicy(identityLimit: 0, chunkSize: numbers.size))
      var counted = [Int](repeating: 0, count: numbers.chunks.count)
      for number in numbers.numbers {
        let chunk = numbers.chunks.position(
          of: KeyTuple([.integer(number)]), in: Self.ascending)
        counted[chunk] += 1
      }
      try #require(numbers.rowCounts == counted, "seed \(seed)")
      try #require(counted.allSatisfy { $0 <= 2 * numbers.size }, "seed \(seed)")
    }
  }
}
