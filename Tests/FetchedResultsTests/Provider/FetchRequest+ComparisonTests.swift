import FetchedResults
import SQLiteStorage
import TableData
import Testing

/// The result of a request in two databases.
struct FetchRequestComparisonTests {
  @Test func theChangesLeadFromOneResultToTheOther() throws {
    let old = try Track.store()
    let new = try Track.store(
      """
      DELETE FROM track WHERE id = 1;
      UPDATE track SET milliseconds = 201 WHERE id = 2;
      INSERT INTO track VALUES (6, 'Milestones', 'Jazz', 340);
      """)
    let update = try Track.all.sorted(by: \.name)
      .compared(from: old, to: new, sectionedBy: .property(\.genre))
    let before = try #require(update.old)
    guard case .comparison? = update.source else {
      Issue.record("\(update.source as Any)")
      return
    }
    #expect(!update.isReset)
    #expect(before.numberOfRows == 5 && update.new.numberOfRows == 5)
    #expect(try update.changes.deletedRows.map { try before.object(at: $0).id } == [1])
    #expect(try update.changes.insertedRows.map { try update.new.object(at: $0).id } == [6])
    #expect(update.changes.updatedRows.count == 1)
  }

  @Test func equalResultsHaveNoChanges() throws {
    let update = try Track.all.sorted(by: \.name).compared(from: Track.store(), to: Track.store())
    #expect(update.changes.isEmpty)
  }

  @Test func otherColumnsAreNotCompared() throws {
    let error = #expect(throws: FetchError.self) {
      _ = try FetchRequest(table: "t").compared(
        from: .store("CREATE TABLE t(id INTEGER PRIMARY KEY, a)"),
        to: .store("CREATE TABLE t(id INTEGER PRIMARY KEY, b)"))
    }
    #expect(error?.code == .incomparable)
  }
}
