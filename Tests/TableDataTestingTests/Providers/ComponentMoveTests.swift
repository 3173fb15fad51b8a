import Foundation
import TableDataTesting
import Testing

@testable import TableData

/// Rows that go from one component of a composed list to another.
struct ComponentMoveTests {
  private struct Row: ItemViewModel, Hashable { let id: Int }

  private final class ArrayList {}
  private final class RowCell: TableViewCell, Configurable {
    func configure(with viewModel: Row) {}
  }

  /// A composed list that reports what it is asked to report.
  private final class List: ComposableTableViewDataSource {
    weak var observer: (any TableChangesObserver)?
    /// The rows of each component, of which each has one section.
    var rows = [[1, 2], [3]]
    private let components = [ArrayList(), ArrayList(), ArrayList()]
    var numberOfSections: Int { rows.count }

    func numberOfRows(inSection section: Int) throws -> Int {
      guard rows.indices.contains(section) else {
        throw TableDataError.sectionOutOfRange(section, count: rows.count)
      }
      return rows[section].count
    }

    func section(_ section: Int) throws -> TableSection {
      TableSection(numberOfRows: try numberOfRows(inSection: section))
    }

    func row(at indexPath: IndexPath) throws -> TableRow {
      guard indexPath.count == 2 else { throw TableDataError.malformedIndexPath(indexPath) }
      guard rows.indices.contains(indexPath.section) else {
        throw TableDataError.sectionOutOfRange(indexPath, count: rows.count)
      }
      guard rows[indexPath.section].indices.contains(indexPath.row) else {
        throw TableDataError.rowOutOfRange(indexPath, count: rows[indexPath.section].count)
      }
      let id = rows[indexPath.section][indexPath.row]
      var row = TableRow(Row(id: id), id: id, cell: TableCell(RowCell.self))
      row.add(ObjectIdentifier(components[indexPath.section]))
      return row
    }

    func indexPath(forIdentity identity: AnyHashable) throws -> IndexPath? {
      guard let identity = identity.base as? ComponentIdentity, let id = identity.id.base as? Int,
        let section = components.firstIndex(where: { ObjectIdentifier($0) == identity.component }),
        let row = rows[section].firstIndex(of: id)
      else { return nil }
      return [section, row]
    }

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
