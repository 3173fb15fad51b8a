internal import SQLiteStorage

/// A provider as its group sees it, whatever its records are.
protocol ObservingProvider: AnyObject {
  /// The version of the database that it shows; nil before the first fetch.
  var databaseSnapshot: Snapshot? { get }
  /// Whether it is between *will* and *did*.
  var isDelivering: Bool { get }
  /// How it goes to the next version; nil where it shows nothing yet.
  func nextStep() -> (any ObservationStep)?
  /// Does what was asked for while a batch was told.
  func doPostponed()
}

/// The way of one provider to the next version, done in the order of its members: so that all that
/// move together are in the same phase.
protocol ObservationStep: AnyObject {
  /// Whether it is the way of a provider.
  func isStep(of provider: any ObservingProvider) -> Bool
  /// Makes ``work`` from what the provider shows now, unless it is made from that already.
  func start()
  /// Finds out what changed up to a version, on any thread, and keeps it. What it has found for the
  /// same version before still holds.
  var work: @Sendable (Snapshot) -> Void { get }
  /// Whether the provider shows something else by now than what ``work`` was made from, or is telling
  /// of a batch.
  var isLate: Bool { get }
  /// Why there is no way to the version; nil where there is, or nothing has been looked for.
  var failure: (any Error)? { get }
  /// Tells that the content is about to change, where it is.
  func begin()
  /// Shows the new content.
  func show()
  /// Tells what changed.
  func tell()
  /// Tells that the content has changed.
  func end()
  /// Lets go of the old content.
  func release()
  /// Tells that the newest version cannot be reached.
  func fail(_ error: any Error)
}
