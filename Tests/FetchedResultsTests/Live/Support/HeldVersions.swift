import Foundation

@testable import FetchedResults
@testable import SQLiteStorage

/// How the versions of a random list are kept while it goes from one to the next.
///
/// Of ten random lists, three are released, two are copied, and the others stay pinned.
/// `FETCHED_RESULTS_TEST_VERSIONS` (`pinned`, `copied` or `released`) makes it one state for all of them.
enum HeldVersions: Equatable {
  case pinned
  /// Each version has left the file, as beside a writer that never pauses. Of every second step, one of the two versions has
  /// not, as when such a writer begins or ends.
  case copied
  /// Before some steps the version expires, as if the database had been suspended.
  case released(every: Int)

  private enum State: String { case pinned, copied, released }

  private static let forced: State? = {
    let name = "FETCHED_RESULTS_TEST_VERSIONS"
    guard let value = ProcessInfo.processInfo.environment[name] else { return nil }
    guard let state = State(rawValue: value) else {
      preconditionFailure("\(name) is not pinned, copied or released: \(value)")
    }
    return state
  }()

  /// - Parameter mayExpire: whether the list can be checked without its old rows.
  init(seed: UInt64, mayExpire: Bool = true) {
    let released = HeldVersions.forced == nil ? 2 : 1
    let drawn: State =
      switch seed % 10 {
      case 0, 3, 6: .released
      case 1, 7: .copied
      default: .pinned
      }
    self =
      switch HeldVersions.forced ?? drawn {
      case .pinned: .pinned
      case .copied: .copied
      case .released: mayExpire ? .released(every: released) : .pinned
      }
  }

  /// Brings the version of a list into its state before a step, and the newest version too.
  ///
  /// - Parameter number: of the step.
  /// - Returns: whether the old version has expired, and the newest one, to be held during the step.
  func prepare(
    step number: Int, from old: Snapshot?, in database: Database
  ) throws -> (isExpired: Bool, newest: Snapshot?) {
    switch self {
    case .pinned: return (false, nil)
    case .copied:
      let newest = try database.snapshot()
      let leaving = [[old, newest], [newest], [old, newest], [old]][number % 4]
      for snapshot in leaving {
        try snapshot?.leaveFile {
          try database.configuration.privateCopy(of: $0, at: snapshot?.stamp)
        }
      }
      return (false, newest)
    case .released(let interval):
      guard number.isMultiple(of: interval) else { return (false, nil) }
      try database.opened().keeper.releaseVersions()
      return (true, nil)
    }
  }
}
