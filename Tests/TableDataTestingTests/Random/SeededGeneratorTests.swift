import TableDataTesting
import Testing

struct SeededGeneratorTests {
  @Test func aSeedRepeatsItsNumbers() {
    var first = SeededGenerator(seed: 1)
    var second = SeededGenerator(seed: 1)
    var other = SeededGenerator(seed: 2)
    let numbers = (0..<5).map { _ in first.next() }
    #expect(numbers == (0..<5).map { _ in second.next() })
    #expect(numbers != (0..<5).map { _ in other.next() })
  }

  @Test func theNumbersAreThoseOfSplitMix64() {
    // Steele, Lea & Flood: the reference implementation's first numbers for seed 1234567.
    var generator = SeededGenerator(seed: 1_234_567)
    #expect(generator.next() == 6_457_827_717_110_365_317)
    #expect(generator.next() == 3_203_168_211_198_807_973)
    #expect(generator.next() == 9_817_491_932_198_370_423)
  }

  @Test func thereAreAsManySeedsAsAskedForTimesTheScale() {
    #expect(SeededGenerator.scale > 0)
    #expect(SeededGenerator.seeds(700).count == SeededGenerator.scaled(700))
    #expect(SeededGenerator.scaled(700) == Int(700 * SeededGenerator.scale))
    #expect(SeededGenerator.scaled(0) == 1)
  }
}
