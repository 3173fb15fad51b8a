import TableDataTesting
import Testing

/// Everything there is, in random nested lists over real stores, on the strict table: after each of 1,000
/// transactions it shows what there is.
struct RandomTableTests {
  @Test(arguments: SeededGenerator.seeds(10))
  func theStrictTableShowsWhatThereIs(seed: UInt64) async throws {
    let table = try RandomTable(seed: seed)
    for step in 0..<100 {
      do {
        try await table.step()
      } catch {
        Issue.record("seed \(seed), step \(step): \(error)")
        return
      }
    }
  }
}
