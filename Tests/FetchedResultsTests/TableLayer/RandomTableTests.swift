import TableDataTesting
import Testing

/// Everything there is, in nested lists over real stores, on the strict table: after each of 5,000
/// transactions it shows what there is.
struct RandomTableTests {
  @Test(arguments: SeededGenerator.seeds(50))
  func theStrictTableShowsWhatThereIs(seed: UInt64) throws {
    let table = try RandomTable(seed: seed)
    for step in 0..<100 {
      do {
        try table.step()
      } catch {
        Issue.record("seed \(seed), step \(step): \(error)")
        return
      }
    }
  }
}
