import Testing

@testable import Covers

@Suite struct CoverOrderTests {
  private func order(_ positions: Int64...) -> CoverOrder {
    CoverOrder(
      positions.enumerated().map { CoverOrder.Place(id: Int64($0 + 1), position: $1) })
  }

  private func inserting(after anchor: Cover.ID?, _ order: CoverOrder) -> [Int64] {
    var order = order
    return order.insert(9, after: anchor).map(\.position)
  }

  @Test func oneCoverIsWrittenWhereThereIsRoom() {
    #expect(inserting(after: nil, order()) == [1_024])
    #expect(inserting(after: 3, order(1, 2, 3)) == [1_027])
    #expect(inserting(after: nil, order(1, 2, 3)) == [-1_023])
    #expect(inserting(after: 1, order(1, 3)) == [2])
    #expect(inserting(after: 1, order(0, 1_024)) == [512])
    #expect(inserting(after: 7, order(5, 6)) == [-1_019])
  }

  @Test func allGetNewPositionsWhereThereIsNone() {
    var order = order(1, 2, 3)
    #expect(order.insert(9, after: 1).map(\.id) == [1, 9, 2, 3])
    #expect(order.places.map(\.position) == [1_024, 2_048, 3_072, 4_096])
    #expect(inserting(after: 1, self.order(5, 5)).count == 3)
    #expect(inserting(after: 1, self.order(.max)).count == 2)
    #expect(inserting(after: nil, self.order(.min)).count == 2)
    #expect(inserting(after: 1, self.order(.min, .max)).count == 3)
  }
}
