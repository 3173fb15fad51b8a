import Foundation
import Testing

@testable import TableData

struct ComposedLookUpTests {
  /// In the original it was a search from the front.
  @Test func aSectionOfTenThousandComponentsIsFoundInLogarithmicallyManySteps() throws {
    let list = try ComposedTableViewDataSource(
      try (0..<10_000).map { number in
        try TableViewDataSource(
          dataProvider: try SectionDataProvider(
            sections: [Section("A\(number)", [1]), Section("B\(number)", [])]))
      })
    #expect(list.numberOfSections == 20_000)
    var steps = 0
    for section in stride(from: 0, to: 20_000, by: 97) {
      let location = try #require(list.sectionCounts.location(of: section))
      #expect(location.index == section / 2)
      steps = max(steps, location.steps)
    }
    // Three levels of at most 32.
    #expect(steps <= 96)
  }
}
