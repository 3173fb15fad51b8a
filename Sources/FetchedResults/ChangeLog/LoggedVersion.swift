package import SQLiteStorage

/// A version of a database that a change log reads: pinned, or as a private copy if versions of the file are released
/// when they are not in use. Then writers wait while it is copied, but not while it is kept.
package final class LoggedVersion: Sendable {
  package let snapshot: Snapshot
  let schema: LoggedSchema

  init(_ snapshot: Snapshot, _ schema: LoggedSchema) {
    self.snapshot = snapshot
    self.schema = schema
    snapshot.keepCopy()
  }

  deinit { snapshot.dropCopy() }

  /// Whether it is copied before it is released.
  var isCopied: Bool { snapshot.isReleasedAfterUse }

  /// Runs `body` with a connection that sees the version.
  ///
  /// - Throws: what `body` throws; `DatabaseError` with code `.versionExpired` if the version is released, and there is a
  ///   newer one.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try snapshot.readKept(body)
  }

  /// Runs `body` with connections that see this version and a newer one.
  func read<Result>(
    with newer: LoggedVersion, _ body: (Connection, Connection) throws -> Result
  ) throws -> Result {
    // Always the older version first, so that two threads cannot deadlock.
    try read { old in try newer.read { new in try body(old, new) } }
  }

  /// The same for a `body` that has no effect beside its result: if a version must leave a long log meanwhile, it runs again.
  func readAll<Result>(
    with newer: LoggedVersion, _ body: (Connection, Connection) throws -> Result
  ) throws -> Result {
    try snapshot.readAllKept(with: newer.snapshot, body)
  }

  /// The rows that may differ in a newer version.
  func detectedChanges(to newer: LoggedVersion) -> DetectedChanges {
    snapshot.detectedChanges(to: newer.snapshot, inMainAlone: true)
  }

  /// Why the version can no longer be read; nil if it can.
  var loss: DatabaseError? {
    get throws {
      do {
        try read { _ in }
        return nil
      } catch let error as DatabaseError {
        guard error.code == .versionExpired || .abort ~= error.resultCode else { throw error }
        return error
      }
    }
  }
}
