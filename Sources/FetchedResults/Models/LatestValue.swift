internal import Observation
internal import SQLiteStorage

/// The newest of some values as observable state, for a view.
///
/// Not Sendable: it belongs to the actor that observes it.
@Observable final class LatestValue<Value: Sendable> {
  /// The newest value; the first one given before it has been read.
  private(set) var value: Value
  /// Why the newest value is not shown; nil if it is.
  private(set) var error: (any Error)?
  /// Whether no value has been read yet, and nothing has failed.
  var isLoading: Bool { !hasValue && error == nil }

  private var hasValue = false
  /// Runs each change of the value, so that it can be animated.
  @ObservationIgnored var animate: ((() -> Void) -> Void)?

  /// - Parameter value: what is shown until the value has been read.
  init(_ value: Value) { self.value = value }

  /// Shows each value until the task is cancelled. After an error it tries again when the next commit, or the end of the
  /// error, may have changed that.
  ///
  /// - Parameter database: nil for a view without one, which is the error then.
  func observe(
    _ database: Database?, isolation: isolated (any Actor) = #isolation,
    _ values: (Database) -> FetchedValues<Value>
  ) async {
    guard let database else {
      error = FetchError.missingDatabase
      return
    }
    var iterator = values(database).makeAsyncIterator()
    while !Task.isCancelled {
      do {
        guard let value = try await iterator.next(isolation: isolation) else { return }
        show(value)
        iterator.yieldsUnchangedVersions = false
      } catch {
        self.error = error
        // The same value once more says that the error is over.
        iterator.yieldsUnchangedVersions = true
      }
    }
  }

  private func show(_ new: Value) {
    func change() {
      value = new
      hasValue = true
      if error != nil { error = nil }
    }
    if let animate { animate(change) } else { change() }
  }
}
