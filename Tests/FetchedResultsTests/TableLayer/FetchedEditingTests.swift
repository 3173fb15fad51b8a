import Foundation
import SQLiteStorage
import TableData
import TableDataTesting
import Testing

@testable import FetchedResults

/// What the user does to fetched rows: it is written, and comes back once.
struct FetchedEditingTests {
  let database: Database
  let provider: FetchedResultsProvider<Errand>
  let source: TableViewDataSource<FetchedResultsProvider<Errand>>
  let screen: TableViewController
  private let log = ChangeLog()

  init() throws {
    database = try Errand.store()
    provider = try Errand.provider(database)
    provider.delegate = log
    source = try .showing(provider)
    screen = TableViewController { Issue.record($0) }
    try screen.setDataSource(source)
  }

  private var stored: [String] {
    get throws {
      try database.read { connection in
        try connection.rows("SELECT list || title FROM errand ORDER BY list, position").map {
          guard case .text(let text) = $0.values[0] else { return "?" }
          return text
        }
      }
    }
  }

  @Test func aDeletedRowIsDeletedInTheStoreAndReportedOnce() throws {
    #expect(try source.row(at: [0, 1]).canDelete)
    try screen.deleteRow(at: [0, 1])
    #expect(try stored == ["a1", "a3", "b4", "b5"])
    #expect(log.batches.map(\.description) == ["-[0,1]"])
    #expect(screen.shownErrands == ["1", "3", "4", "5"])
  }

  @Test func aMovedRowIsMovedInTheStoreAndReportedOnce() throws {
    #expect(try source.row(at: [0, 0]).canMove)
    try screen.moveRow(at: [0, 0], to: [1, 1])
    try screen.moveRow(at: [0, 1], to: [0, 0])
    #expect(try stored == ["a3", "a2", "b4", "b1", "b5"])
    #expect(log.batches.map(\.description) == ["[0,0]>[1,1]", "[0,1]>[0,0]"])
    #expect(screen.shownErrands == ["3", "2", "4", "1", "5"])
  }

  @Test func theLastRowOfASectionTakesItAlong() throws {
    try screen.moveRow(at: [1, 0], to: [0, 3])
    try screen.deleteRow(at: [1, 0])
    #expect(log.batches.map(\.description) == ["[1,0]>[0,3]", "-[1] -[1,0]"])
    #expect(screen.shownErrands == ["1", "2", "3", "4"])
  }

  @Test func anInsertedRowGetsThePlaceAndTheSection() throws {
    try source.perform(.insert(Errand(list: nil, title: "new", position: .first), at: [1, 1]))
    #expect(try stored == ["a1", "a2", "a3", "b4", "bnew", "b5"])
    #expect(log.batches.map(\.description) == ["+[1,1]"])
    // Behind the last section it makes one, which is its own.
    try source.perform(.insert(Errand(list: "c", title: "last", position: .first), at: [2, 0]))
    #expect(log.batches.last?.description == "+[2] +[2,0]")
  }

  @Test func aPlaceThatIsNotThereIsAnErrorAndNothingIsWritten() throws {
    let errand = Errand(list: "a", title: "new", position: .first)
    for (path, code) in [
      ([0, 4], .rowOutOfRange), ([3, 0], .sectionOutOfRange), ([0], .malformedIndexPath),
      ([2, 1], .sectionOutOfRange),
    ] as [(IndexPath, TableDataError.Code)] {
      let error = #expect(throws: TableDataError.self) {
        try provider.insertRow(errand, at: path)
      }
      #expect(error?.code == code)
      #expect(throws: TableDataError.self) { try provider.removeRow(at: path) }
      #expect(throws: TableDataError.self) { try provider.destination(of: .delete(path)) }
    }
    #expect(try stored.count == 5)
    #expect(log.batches.isEmpty)
  }

  @Test func rowsInAnotherOrderCanBeDeletedAndInsertedButNotMoved() throws {
    let byTitle = try FetchedResultsProvider(
      database: database, request: Errand.all.sorted(by: \.title))
    try byTitle.performFetch()
    #expect(try byTitle.destination(of: .delete([0, 0])) == [0, 0])
    #expect(try byTitle.destination(of: .move([0, 0], to: [0, 1])) == nil)
    let error = #expect(throws: FetchError.self) {
      try byTitle.moveRow(at: [0, 0], to: [0, 1])
    }
    #expect(error?.code == .notOrdered)
    // It goes where the order puts it.
    try byTitle.insertRow(
      Errand(list: "c", title: "25", position: .first), at: [0, 0])
    #expect(byTitle.fetchedObjects?.map(\.title) == ["1", "2", "25", "3", "4", "5"])
  }

  @Test func rowsOfASelectOrOfAnotherTableCannotBeEdited() throws {
    try database.run(
      """
      CREATE TABLE other(id INTEGER PRIMARY KEY, list, title, position);
      INSERT INTO other SELECT * FROM errand;
      CREATE VIEW shown AS SELECT * FROM errand;
      """)
    for table in ["other", "shown"] {
      let description = RecordDescription(
        table: table, key: \.id, making: Errand.init, Column("id", \.id), Column("list", \.list),
        Column("title", \.title), Column("position", \.position))
      try expectNotWritable(FetchRequest(description).sorted(by: \.position))
    }
    let select = RecordDescription(
      select: "SELECT * FROM errand", key: \.id, making: Errand.init, Column("id", \.id),
      Column("list", \.list), Column("title", \.title), Column("position", \.position))
    try expectNotWritable(FetchRequest(select).sorted(by: \.position))
    #expect(try stored.count == 5)
  }

  private func expectNotWritable(_ request: FetchRequest<Errand>) throws {
    let provider = try FetchedResultsProvider(database: database, request: request)
    try provider.performFetch()
    #expect(try provider.destination(of: .delete([0, 0])) == nil)
    #expect(try provider.destination(of: .move([0, 0], to: [0, 1])) == nil)
    for attempt in [
      { try provider.removeRow(at: [0, 0]) },
      { try provider.moveRow(at: [0, 0], to: [0, 1]) },
      {
        try provider.insertRow(
          Errand(list: "c", title: "x", position: .first), at: [0, 0])
      },
    ] {
      let error = #expect(throws: FetchError.self) { try attempt() }
      #expect(error?.code == .notWritable)
    }
  }

  @Test func aRowMovesFromAnArrayAndIntoOneAsOneMove() throws {
    let spare = try ArrayDataProvider(
      title: "Spare", items: [Errand(id: 77, list: nil, title: "spare", position: .first)])
    let list = try ComposedTableViewDataSource()
    try screen.setDataSource(nil)
    try list.append(source)
    try list.append(try TableViewDataSource.showing(spare))
    try screen.setDataSource(list)
    try screen.moveRow(at: [2, 0], to: [1, 0])
    #expect(try stored == ["a1", "a2", "a3", "bspare", "b4", "b5"])
    #expect(spare.items.isEmpty)
    try screen.moveRow(at: [0, 0], to: [2, 0])
    #expect(screen.shownErrands == ["2", "3", "spare", "4", "5", "1"])
  }

  /// Observed, it comes with what else was committed, and not twice.
  @Test @MainActor func whatObservationBringsIsNotAlsoShownOnTheSpot() async throws {
    let (changes, onBatch) = AsyncStream.makeStream(of: Void.self)
    log.onDid = { onBatch.yield() }
    provider.startObserving()
    try screen.deleteRow(at: [0, 0])
    #expect(log.batches.isEmpty)
    var iterator = changes.makeAsyncIterator()
    await iterator.next()
    #expect(log.batches.map(\.description) == ["-[0,0]"])
    #expect(screen.shownErrands == ["2", "3", "4", "5"])
    provider.stopObserving()
    let refresh: () throws -> TableChanges = provider.refresh
    #expect(try refresh().isEmpty)
  }
}

/// Writes down the batches.
private final class ChangeLog: FetchedResultsProviderDelegate {
  private(set) var batches: [TableChanges] = []
  var onDid: () -> Void = {}

  func provider(_ provider: FetchedResultsProvider<Errand>, didChange changes: TableChanges) {
    batches.append(changes)
  }

  func providerDidChangeContent(_ provider: FetchedResultsProvider<Errand>) { onDid() }
}
