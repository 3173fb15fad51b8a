internal import Synchronization

/// Tells whether what was asked for is still wanted, on whatever thread it is worked on.
///
/// Sendable: one atomic number.
final class RequestCounter: Sendable {
  private let latest = Atomic(0)

  /// Makes all earlier requests superseded.
  ///
  /// - Returns: the number of the new one.
  @discardableResult
  func begin() -> Int { latest.add(1, ordering: .relaxed).newValue }

  /// - Throws: `CancellationError` where a later request has begun.
  func checkIsLatest(_ number: Int) throws {
    if latest.load(ordering: .relaxed) != number { throw CancellationError() }
  }
}
