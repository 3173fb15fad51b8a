import SQLiteStorage
import Testing

@Suite struct ResultCodeTests {
  private let unique = ResultCode(rawValue: 2067)

  @Test func aPrimaryCodeMatchesItsExtendedCodes() {
    #expect(ResultCode.constraint ~= unique)
    #expect(ResultCode.constraint ~= .constraint)
    #expect(!(ResultCode.busy ~= unique))
    switch unique {
    case .busy: Issue.record("2067 is no .busy")
    case .constraint: break
    default: Issue.record("2067 is a .constraint")
    }
  }

  @Test func anExtendedCodeMatchesOnlyItself() {
    #expect(unique ~= unique)
    #expect(!(unique ~= .constraint))
    #expect(!(unique ~= ResultCode(rawValue: 1555)))
  }

  @Test func thePrimaryCodeIsTheLowByte() {
    #expect(unique.primary == .constraint)
    #expect(ResultCode.busy.primary == .busy)
    #expect(ResultCode.ok.primary == .ok)
  }

  @Test func itsDescriptionIsSQLitesWordsAndTheNumber() {
    #expect(ResultCode.busy.description == "database is locked (5)")
    #expect(unique.description == "constraint failed (2067)")
    #expect(ResultCode(rawValue: -3).description == "unknown error (-3)")
  }

  @Test func aConstraintReportsWhichKind() throws {
    let store = try TestConnection(
      "CREATE TABLE t(x UNIQUE, y NOT NULL); INSERT INTO t VALUES(1,1)")
    let error = databaseError { try store.connection.execute("INSERT INTO t VALUES (1, 1)") }
    #expect(error?.resultCode == unique)
    let notNull = databaseError { try store.connection.execute("INSERT INTO t VALUES (2, NULL)") }
    #expect(notNull?.resultCode == ResultCode(rawValue: 1299))
  }
}
