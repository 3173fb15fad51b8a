import Foundation
import TableData
import TableDataTesting
import Testing

struct TableDataErrorTests {
  @Test func messagesNameThePlaceAndTheCounts() {
    #expect(
      "\(TableDataError.sectionOutOfRange(7, count: 3))" == "there is no section 7: the list has 3")
    #expect(
      "\(TableDataError.sectionOutOfRange([7, 0], count: 1))"
        == "there is no row [7, 0]: the list has 1 section")
    #expect(
      "\(TableDataError.rowOutOfRange([1, -2], count: 2))"
        == "there is no row [1, -2]: its section has 2 rows")
    #expect(
      "\(TableDataError.malformedIndexPath([1, 2, 3]))"
        == "there is no row [1, 2, 3]: the index path of a row is [section, row]")
  }

  @Test func theNextStepFollowsTheMessage() {
    let error = TableDataError(.notEditable, "the row [0, 1] is fixed", nextStep: "Copy it")
    #expect("\(error)" == "the row [0, 1] is fixed. Copy it")
    #expect(error.errorDescription == "the row [0, 1] is fixed")
    #expect(error.recoverySuggestion == "Copy it")
    #expect("\(TableDataError(.notEditable, "fixed"))" == "fixed")
    let update = TableUpdateError(.malformedIndexPath, "[1] is not the index path of a row")
    #expect("\(update)" == "[1] is not the index path of a row. Give a section and a row")
    #expect(update.recoverySuggestion == update.nextStep)
  }

  @Test func codesAreTheirOwnNames() {
    #expect("\(TableDataError.Code.rowOutOfRange)" == "rowOutOfRange")
    #expect("\(TableDataError.Code.sectionOutOfRange)" == "sectionOutOfRange")
    #expect("\(TableDataError.Code.unknownIndexTitle)" == "unknownIndexTitle")
    #expect("\(TableDataError.Code.malformedIndexPath)" == "malformedIndexPath")
  }
}
