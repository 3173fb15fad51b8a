import FetchedResults
import Testing

@testable import sections

@Suite struct WatchStatusTests {
  private let start = ContinuousClock.now

  @Test func theFirstVersionIsNoChange() {
    var status = WatchStatus()
    status.add(version: 0, source: nil, at: start)
    #expect(status.texts(at: start + .seconds(9)) == ["0 changes"])
    #expect(status.nextChange(at: start) == nil)
  }

  @Test func ageRateAndSourceOfTheNewestChange() {
    var status = WatchStatus()
    for version in 1...5 {
      status.add(version: version, source: .pages, at: start + .seconds(version))
    }
    #expect(status.texts(at: start + .seconds(5)) == ["5 changes", "0.5/s", "0 s ago by pages"])
    // Those of the first three seconds are too old.
    #expect(status.texts(at: start + .seconds(13)) == ["5 changes", "0.2/s", "8 s ago by pages"])
    #expect(status.texts(at: start + .seconds(125)) == ["5 changes", "2 min ago by pages"])
    #expect(status.texts(at: start + .seconds(7205)) == ["5 changes", "2 h ago by pages"])
  }

  @Test func aResetHasNoSource() {
    var status = WatchStatus()
    status.message = "gone"
    status.add(version: 1, source: nil, at: start)
    #expect(status.message == nil)
    #expect(status.texts(at: start) == ["1 change", "0 s ago by a reset"])
  }

  @Test func theTextChangesWithTheUnitOfTheAge() {
    var status = WatchStatus()
    status.add(version: 1, source: .capture, at: start)
    #expect(status.nextChange(at: start) == .seconds(1))
    #expect(status.nextChange(at: start + .milliseconds(2_500)) == .milliseconds(500))
    #expect(status.nextChange(at: start + .seconds(90)) == .seconds(30))
    #expect(status.nextChange(at: start + .seconds(4_000)) == .seconds(3_200))
  }
}
