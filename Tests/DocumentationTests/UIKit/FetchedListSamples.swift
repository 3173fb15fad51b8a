#if canImport(UIKit) && !os(watchOS)
  import FetchedResults
  import TableData
  import UIKit

  final class TrackView: UITableViewCell, @MainActor Configurable {
    func configure(with track: Track) { textLabel?.text = track.name }
  }

  @MainActor func makeTrackScreen(_ database: Database) throws -> UIKitTableViewController {
    let tracks = try FetchedResultsProvider(
      database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
    let source = try TableViewDataSource(dataProvider: tracks)
    source.registerCell(TrackView.self)
    try tracks.performFetch()
    let screen = UIKitTableViewController()
    try screen.setDataSource(source)
    tracks.startObserving()
    return screen
  }
#endif
