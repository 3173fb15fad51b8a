import Foundation
import TableData
import TableDataTesting
import Testing

/// Rows that go from one component of a composed list to another.
struct ComponentMoveTests {
  private struct Row: ItemViewModel, Hashable { let id: Int }

  /// A composed list that reports what it is asked to report.
  private final class List: ComposableTableViewDataSource {
    weak var observer: (any TableChangesObserver)?
    /// The rows of each component, of which each has one section.
    var rows = [[1, 2], [3]]
    var numberOfSections: Int { rows.count }

    func numberOfRows(inSection section: Int) throws -> Int {
      guard rows.indices.contains(section) else {
        throw TableDataError.sectionOutOfRange(section, count: rows.count)
      }
      return rows[section].count
    }

    func titleForHeader(inSection section: Int) throws -> String? {
      _ = try numberOfRows(inSection: section)
      return nil
    }

    func viewModelForRow(at indexPath: IndexPath) throws -> Any {
      guard indexPath.count == 2 else { throw TableDataError.malformedIndexPath(indexPath) }
      guard rows.indices.contains(indexPath.section) else {
        throw TableDataError.sectionOutOfRange(indexPath, count: rows.count)
      }
      guard rows[indexPath.section].indices.contains(indexPath.row) else {
        throw TableDataError.rowOutOfRange(indexPath, count: rows[indexPath.section].count)
      }
      return Row(id: rows[indexPath.section][indexPath.row])
    }

    func identityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
      _ = try viewModelForRow(at: indexPath)
      return [indexPath.section, rows[indexPath.section][indexPath.row]] as [Int]
    }

    func itemIdentityForRow(at indexPath: IndexPath) throws -> AnyHashable? {
      _ = try viewModelForRow(at: indexPath)
      return rows[indexPath.section][indexPath.row]
    }

    func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
      guard let id = identity.base as? [Int], id.count == 2,
        let row = rows[id[0]].firstIndex(of: id[1])
      else { return nil }
      return [id[0], row]
    }

    func tableView(
      _ tableView: TableView, cellForRowAt indexPath: IndexPath
    ) throws -> TableViewCell { TableViewCell(reuseIdentifier: nil) }

    func change(to rows: [[Int]], _ changes: TableChanges) {
      observer?.contentWillChange(of: self)
      self.rows = rows
      observer?.contentDidChange(of: self, by: changes)
    }
  }

  private let list = List()
  private let harness: ProviderHarness<DataSourceProvider, AnyHashable>

  init() throws {
    harness = try ProviderHarness(try DataSourceProvider(list))
    harness.observe()
  }

  @Test func aRowThatGoesToAnotherComponentIsOneMove() throws {
    list.change(
      to: [[1], [2, 3]], TableChanges(movedRows: [.init(from: [0, 1], to: [1, 0])]))
    try harness.checkObserved()
  }

  @Test func aRowThatIsDeletedThereAndInsertedHereIsFound() throws {
    list.change(to: [[1], [2, 3]], TableChanges(deletedRows: [[0, 1]], insertedRows: [[1, 0]]))
    let violation = #expect(throws: ProviderViolation.self) { try harness.checkObserved() }
    #expect(violation?.code == .severalEvents)
  }

  @Test func anotherItemIsADeleteAndAnInsert() throws {
    list.change(to: [[1], [4, 3]], TableChanges(deletedRows: [[0, 1]], insertedRows: [[1, 0]]))
    try harness.checkObserved()
  }

  @Test func aMoveThatMakesAnotherItemOfARowIsFound() throws {
    list.change(to: [[1], [4, 3]], TableChanges(movedRows: [.init(from: [0, 1], to: [1, 0])]))
    let violation = #expect(throws: ProviderViolation.self) { try harness.checkObserved() }
    #expect(violation?.code == .wrongIdentity)
  }

  /// One item may be in two components.
  @Test func anItemThatAlsoStaysElsewhereIsNotMoved() throws {
    list.change(to: [[1, 2], [3, 2]], TableChanges(insertedRows: [[1, 1]]))
    list.change(to: [[1], [3, 2]], TableChanges(deletedRows: [[0, 1]]))
    try harness.checkObserved()
  }
}
