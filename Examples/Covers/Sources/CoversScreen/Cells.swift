import Covers
import TableData
import TableDataTesting

/// A cell of the headless table that is shown as a line of text.
protocol TextCell {
  var text: String { get }
}

extension CoverCell: TextCell {
  /// The title and the year.
  var text: String {
    guard let cover else { return "" }
    return "\(cover.label) (\(cover.releaseYear.map(String.init) ?? "year unknown"))"
  }
}

/// A row that shows a track.
final class TrackCell: TableViewCell, Configurable, TextCell {
  private(set) var text = ""

  func configure(with track: TrackViewModel) { text = "\(track.name)  \(track.length)" }
}

/// The row after the tracks that are loaded.
final class PageStatusCell: TableViewCell, Configurable, TextCell {
  private(set) var text = ""

  func configure(with status: PageStatus) {
    text =
      switch status.state {
      case .ready, .loading: "loading…"
      case .failed(let message): "! \(message). Select it to try again"
      case .cancelled: "Select it to load more"
      case .finished: "no more"
      }
  }
}

/// A line of a log, in memory.
struct LogEntry: ItemViewModel {
  /// A separate type: a cover may have the same number.
  struct ID: Hashable {
    let number: Int
  }

  let id: ID
  let text: String
}

/// A row that shows a line of a log.
final class LogCell: TableViewCell, Configurable, TextCell {
  private(set) var text = ""

  func configure(with entry: LogEntry) { text = "\(entry.id.number)  \(entry.text)" }
}
