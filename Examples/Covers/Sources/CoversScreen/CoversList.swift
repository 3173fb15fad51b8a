import Covers
import TableData

/// One list of four independent parts: a form made of generators, covers that are fetched, in
/// sections that fold, tracks that are loaded page by page, and a log in an array.
///
/// A change of a cover is written to the database, reported by the observation, and logged then. So
/// each change is in the log once.
final class CoversList {
  let form: CoverForm
  let covers: CoverList
  let folded: FoldedDataProvider<CoverList>
  let source: ComposedTableViewDataSource
  private let tracks: TrackPages

  /// The maximum number of lines in the log.
  static let logLimit = 5

  private let onError: (any Error) -> Void
  private let log: ArrayDataProvider<LogEntry>
  private let coverSource: TableViewDataSource<FoldedDataProvider<CoverList>>
  private var changeCount = 0

  /// Makes the list.
  ///
  /// - Parameter onError: called with errors that cannot be thrown to a caller.
  /// - Throws: `FetchError` and `DatabaseError` if the store has no covers.
  init(_ controller: DataController, onError: @escaping (any Error) -> Void) throws {
    self.onError = onError
    form = try CoverForm(onError: onError)
    covers = try controller.makeList()
    try covers.performFetch()
    folded = try FoldedDataProvider(covers)
    coverSource = try TableViewDataSource(dataProvider: folded)
    coverSource.registerCell(CoverCell.self)
    coverSource.registerActions(for: CoverViewModel.self) { row in
      let cover = row.cover
      return RowActions(
        leading: [
          RowAction("Put first") {
            try controller.move(cover.id, toArtist: cover.artist, after: nil)
          }
        ], trailing: [RowAction("Delete", style: .destructive) { try controller.delete(cover.id) }])
    }
    tracks = try TrackPages(controller)
    let trackSource = try TableViewDataSource(dataProvider: tracks.rows)
    trackSource.headerTitle = { $0 == 0 ? "Tracks" : nil }
    trackSource.registerCell(TrackCell.self)
    trackSource.registerCell(PageStatusCell.self)
    trackSource.registerActions(for: PageStatus.self) { [pages = tracks.rows] status in
      RowActions(select: RowAction("Load") { pages.load(status.edge) })
    }
    log = try ArrayDataProvider(title: "What changed", items: [])
    let logSource = try TableViewDataSource(dataProvider: log)
    logSource.registerCell(LogCell.self)
    source = try ComposedTableViewDataSource([form.rows, coverSource, trackSource, logSource])
    coverSource.headerTitle = { [covers] in try covers.heading(ofSection: $0) }
    covers.didChange = { [unowned self] in note($0) }
  }

  /// Starts observing commits of all connections, and loading pages.
  func start(isolation: isolated any Actor) {
    covers.startObserving(isolation: isolation)
    tracks.start(isolation: isolation)
  }

  private func note(_ changes: TableChanges) {
    changeCount += 1
    let entry = LogEntry(id: LogEntry.ID(number: changeCount), text: changes.summary)
    do {
      try log.performBatch { entries in
        entries.insert(entry, at: 0)
        entries.removeLast(max(entries.count - Self.logLimit, 0))
      }
    } catch {
      onError(error)
    }
  }

  /// Folds the covers of the artist to whom a row of the list belongs, or unfolds them.
  func toggle(_ section: Int) throws {
    guard let sections = source.sections(of: coverSource), sections.contains(section) else {
      return
    }
    let cover = section - sections.lowerBound
    try folded.setFolded(!folded.isFolded(section: cover), section: cover)
  }
}

extension CoverList {
  /// The artist, and the years of the first and of the last release.
  fileprivate func heading(ofSection section: Int) throws -> String {
    let artist = try title(forSection: section) ?? ""
    guard let years = try releaseYears(ofSection: section) else { return artist }
    return "\(artist), \(years.lowerBound)"
      + (years.count > 1 ? "–\(years.upperBound)" : "")
  }
}

extension TableChanges {
  /// The number of events, and the index paths if there are few.
  fileprivate var summary: String {
    if reset != nil { return "all rows may have changed" }
    let counts = [
      (deletedRows.count, "deleted"), (insertedRows.count, "inserted"),
      (movedRows.count, "moved"), (updatedRows.count, "updated"),
    ]
    let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    return rowCount > 8 ? words : "\(words)   \(description)"
  }
}
