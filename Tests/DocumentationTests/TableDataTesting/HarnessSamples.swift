import TableData
import TableDataTesting
import Testing

struct HarnessSamples {
  @Test func anyProviderIsFollowed() throws {
    let provider = try planets(nil, "Mercury", "Venus")
    let harness = try ProviderHarness(provider)
    harness.observe()
    try provider.append(Planet(id: 3, name: "Earth"))
    try harness.checkObserved()
    #expect(harness.batches.count == 1)
  }
}
