internal import Synchronization

/// Checks on any thread whether a request is still the latest.
///
/// Sendable: one atomic number.
final class RequestCounter: Sendable {
  private let latest = Atomic(0)

  /// Begins a request, which supersedes all earlier ones.
  ///
  /// - Returns: its number.
  @discardableResult
  func begin() -> Int { latest.add(1, ordering: .relaxed).newValue }

  /// - Throws: `CancellationError` if a later request has begun.
  func checkIsLatest(_ number: Int) throws {
    if latest.load(ordering: .relaxed) != number { throw CancellationError() }
  }
}
