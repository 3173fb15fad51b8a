@testable import FetchedResults

extension ResultLoader {
  /// Fetches the newest version.
  func fetch(isTracked: Bool) throws -> ResultUpdate {
    try database.withSnapshot { try fetch(from: $0, isTracked: isTracked) }
  }
}
