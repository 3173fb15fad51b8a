import FetchedResults
import RowQueries

/// The status line of a watched result: how many changes there were, how fast they come, how old the
/// newest is, and how it was detected.
struct WatchStatus {
  typealias Instant = ContinuousClock.Instant

  /// The time for which the rate is computed.
  static let rateWindow = Duration.seconds(10)

  /// Why the newest version cannot be shown.
  var message: String?
  private(set) var changeCount = 0
  /// When the newest changes were shown, the oldest first.
  private var times: [Instant] = []
  private var newest: Instant?
  /// How the newest change was detected; nil for a reset.
  private var source: ChangeSource?

  /// Adds a version.
  ///
  /// - Parameters:
  ///   - version: its number; 0 for the first, which is no change.
  ///   - source: how it was detected; nil for a reset.
  mutating func add(version: Int, source: ChangeSource?, at time: Instant) {
    message = nil
    changeCount = version
    guard version > 0 else { return }
    times = times.filter { time - $0 < WatchStatus.rateWindow } + [time]
    newest = time
    self.source = source
  }

  /// The time after which the text is another one; nil if it stays.
  func nextChange(at time: Instant) -> Duration? {
    guard let newest else { return nil }
    let age = time - newest
    let unit = Duration.seconds(age < .seconds(60) ? 1 : age < .seconds(3600) ? 60 : 3600)
    let units = (age / unit).rounded(.down) + 1
    return max(unit * units - age, .milliseconds(10))
  }

  /// The parts of the line, for people.
  func texts(at time: Instant) -> [String] {
    var texts = ["change".counted(changeCount)]
    let recent = times.count { time - $0 < WatchStatus.rateWindow }
    if recent > 1 {
      let tenths = Int((Double(recent) / (WatchStatus.rateWindow / .seconds(1)) * 10).rounded())
      texts.append("\(tenths / 10).\(tenths % 10)/s")
    }
    if let newest {
      texts.append("\(WatchStatus.text(time - newest)) ago \(source?.phrase ?? "by a reset")")
    }
    return texts
  }

  /// A duration in its largest unit.
  static func text(_ duration: Duration) -> String {
    let seconds = Int((duration / .seconds(1)).rounded(.down))
    return switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3_600: "\(seconds / 60) min"
    default: "\(seconds / 3_600) h"
    }
  }
}

extension ChangeSource {
  /// The way in which the changes were detected, after a verb.
  fileprivate var phrase: String {
    switch self {
    case .capture: "by capture"
    case .pages: "by pages"
    case .comparison: "by comparison"
    }
  }
}
