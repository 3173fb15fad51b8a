internal import SQLiteStorage

/// A provider as its group sees it, whatever its records are.
protocol ObservingProvider: AnyObject {
  /// How it goes to the next version; nil where it shows nothing yet.
  func nextStep() -> (any ObservationStep)?
}

/// The way of one provider to the next version, done in the order of its members: so that all who
/// move together are in the same phase.
protocol ObservationStep {
  /// Finds out what changed up to a version, on any thread, and keeps it.
  var work: @Sendable (Snapshot) -> Void { get }
  /// Tells that the content is about to change, where it is.
  ///
  /// - Returns: false where the provider went on by itself meanwhile, so that another step is needed.
  func begin() -> Bool
  /// Why there is no way to the version; nil where there is, or nobody looked.
  var failure: (any Error)? { get }
  /// Shows the new content.
  func show()
  /// Tells what changed.
  func tell()
  /// Tells that the content has changed.
  func end()
  /// Lets go of the old content, and does what was asked for meanwhile.
  func release()
  /// Tells that the newest version cannot be reached.
  func fail(_ error: any Error)
}
