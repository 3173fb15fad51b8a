internal import SQLiteStorage

/// A provider in its group, without the type of its records.
protocol ObservingProvider: AnyObject {
  /// The version of the database that the provider shows; nil before the first fetch.
  var databaseSnapshot: Snapshot? { get }
  /// Whether the provider is between *will* and *did*.
  var isDelivering: Bool { get }
  /// The step to the next version; nil before the first fetch.
  func nextStep() -> (any ObservationStep)?
  /// Does the calls that were postponed during a batch.
  func doPostponed()
}

/// The step of one provider to the next version. The methods are called in the order of their
/// declaration, each for all providers that move together before the next one.
protocol ObservationStep: AnyObject {
  /// Whether it is the step of a provider.
  func isStep(of provider: any ObservingProvider) -> Bool
  /// Makes ``work`` from the content that the provider shows, unless it was made from that content.
  func start()
  /// Computes the changes up to a version and stores them. Can be called on any thread. The changes
  /// for the same version are computed only once.
  var work: @Sendable (Snapshot) -> Void { get }
  /// Whether the provider now shows other content than ``work`` was made from, or is delivering a
  /// batch.
  var isLate: Bool { get }
  /// The error of the work; nil if it succeeded or has not run.
  var failure: (any Error)? { get }
  /// Notifies that the content is about to change, if it is.
  func begin()
  /// Shows the new content.
  func show()
  /// Notifies of the changes.
  func tell()
  /// Notifies that the content has changed.
  func end()
  /// Releases the old content.
  func release()
  /// Reports that the newest version cannot be reached.
  func fail(_ error: any Error)
}
