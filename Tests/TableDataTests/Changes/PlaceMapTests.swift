import Foundation
import Testing

@testable import TableData

struct PlaceMapTests {
  @Test func aGapCountsThePlacesThatAreLeft() {
    let set = PlaceSet([7, 1, 2])
    #expect(set.places == [1, 2, 7])
    #expect((0..<10).map(set.gap(of:)) == [0, 1, 1, 1, 2, 3, 4, 5, 5, 6])
    #expect((0..<7).map(set.place(atGap:)) == [0, 3, 4, 5, 6, 8, 9])
    #expect(set.contains(7) && !set.contains(6) && !set.contains(8))
  }

  @Test func withoutTakenPlacesAGapIsAPlace() {
    let set = PlaceSet()
    #expect(set.gap(of: 5) == 5)
    #expect(set.place(atGap: 5) == 5)
    #expect(!set.contains(0))
  }

  @Test func presenceIsCountedInRanges() {
    var counts = PresenceCounts(count: 11)
    #expect(counts.count(in: 0..<11) == 11)
    for number in [0, 3, 10] { counts.remove(number) }
    #expect(counts.count(in: 0..<11) == 8)
    #expect(counts.count(in: 1..<4) == 2)
    #expect(counts.count(in: 10..<11) == 0)
    #expect(counts.count(in: 4..<4) == 0)
    #expect(PresenceCounts(count: 0).count(in: 0..<0) == 0)
  }

  @Test func placesFollowTheEvents() {
    var updates = TableUpdates()
    updates.deletedSections = [0]
    updates.insertedSections = [1]
    updates.deletedRows = [[1, 0]]
    updates.insertedRows = [[0, 1]]
    updates.movedRows = [.init(from: [2, 0], to: [0, 2])]
    let map = PlaceMap(updates)
    #expect((0..<4).map(map.newSection(of:)) == [nil, 0, 2, 3])
    // [1]: a b c -> [0]: b x m c
    #expect((0..<3).map { map.newPlace(of: [1, $0]) } == [nil, [0, 0], [0, 3]])
    #expect(map.newPlace(of: [2, 0]) == [0, 2])
    #expect(map.newPlace(of: [2, 5]) == [2, 4])
    #expect(map.newPlace(of: [0, 0]) == nil)
  }

  @Test func rowsGoWithTheirSection() {
    var updates = TableUpdates()
    updates.movedSections = [.init(from: 0, to: 2)]
    updates.reloadedSections = [1]
    let map = PlaceMap(updates)
    #expect((0..<4).map(map.newSection(of:)) == [2, 0, 1, 3])
    #expect(map.newPlace(of: [0, 4]) == [2, 4])
    #expect(map.newPlace(of: [1, 4]) == nil)
    #expect(map.newPlace(of: [2, 4]) == [1, 4])
  }
}
