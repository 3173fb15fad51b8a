import Foundation
import TableData
import Testing

struct IndexPathRowTests {
  @Test func aPathIsASectionAndARow() {
    let path = IndexPath(row: 7, section: 2)
    #expect(path == [2, 7])
    #expect(path.section == 2)
    #expect(path.row == 7)
    #expect(path.count == 2)
  }

  @Test func pathsAreOrderedBySectionThenRow() {
    #expect(IndexPath(row: 9, section: 0) < IndexPath(row: 0, section: 1))
    #expect(IndexPath(row: 1, section: 1) < IndexPath(row: 2, section: 1))
  }

  @Test func theSectionOfAPathWithoutARowIsItsFirstElement() {
    #expect(IndexPath(index: 4).section == 4)
  }
}
