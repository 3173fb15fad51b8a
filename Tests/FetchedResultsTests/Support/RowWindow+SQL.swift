@testable import FetchedResults

extension FetchRequest {
  /// Returns a request for the rows of a window.
  func limited(_ window: RowWindow) -> FetchRequest {
    switch window {
    case .first(let limit, let offset): limited(to: limit, offset: offset)
    case .last(let count, _): limited(toLast: count)
    }
  }
}

extension RowWindow {
  /// The condition that a row is in the window. Its `place` counts from 1 on.
  func sql(from table: String) -> String {
    switch self {
    case .first(let limit, let offset):
      "place > \(offset) AND place - \(offset) <= \(limit ?? Int(Int32.max))"
    case .last(let count, _): "place > (SELECT count(*) FROM \(table)) - \(count)"
    }
  }
}
