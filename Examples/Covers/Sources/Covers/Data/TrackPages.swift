package import FetchedResults
internal import SQLiteStorage
package import TableData

/// The tracks of all covers in the order of their numbers, page by page.
///
/// The rows are fetched from the database, up to a limit that grows with each page. So the rows that are
/// shown follow all changes.
///
/// Not Sendable: use it on one actor, the main actor in an app.
package final class TrackPages {
  /// The tracks that are fetched so far.
  package let tracks: FetchedResultsProvider<Track>
  /// The rows of the list: a ``TrackViewModel`` for each track, and a `PageStatus` at the end.
  package let rows:
    PagingDataProvider<MappedDataProvider<FetchedResultsProvider<Track>, TrackViewModel>>

  /// Makes a list without tracks.
  ///
  /// - Parameter pageSize: the number of tracks of a page.
  /// - Throws: `FetchError` and `DatabaseError` if the database has no tracks.
  package init(_ controller: DataController, pageSize: Int = 20) throws {
    let all = Track.all.sorted(by: \.id)
    let tracks = try FetchedResultsProvider(
      database: controller.database, request: all.limited(to: 0))
    try tracks.performFetch()
    self.tracks = tracks
    rows = try PagingDataProvider(
      try tracks.map { TrackViewModel($0) },
      store: { (page: LoadedPage<Track.ID, Int>, _) in
        try tracks.setRequest(all.limited(to: page.cursor ?? 0))
      },
      load: { [database = controller.database] (request: PageRequest<Int>) in
        let limit = (request.cursor ?? 0) + pageSize
        let count = try await database.read {
          try $0.value(Int.self, "SELECT count(*) FROM track") ?? 0
        }
        return LoadedPage([], cursor: limit, isLast: limit >= count)
      })
  }

  /// Starts observing commits of all connections, and loading pages.
  package func start(isolation: isolated (any Actor) = #isolation) {
    tracks.startObserving(isolation: isolation)
    rows.start(isolation: isolation)
  }
}
