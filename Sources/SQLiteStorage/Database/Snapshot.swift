/// One version of a database, which can be read for as long as the snapshot is held, whatever is
/// written meanwhile.
///
/// ```swift
/// let before = try database.snapshot()
/// try database.write { try $0.execute("DELETE FROM track") }
/// let count = try before.read { try $0.value(Int.self, "SELECT count(*) FROM track") }
/// // still the old count
/// ```
///
/// All who ask for a snapshot of the same version share one. It ends with its last holder. Holding
/// one for long keeps the write-ahead log from being emptied.
///
/// Sendable: any thread may read; readers of one snapshot take turns.
public final class Snapshot: Sendable {
  /// The number of the version: a later snapshot of the same `Database` with other content has a
  /// greater one.
  public let version: Int
  /// The number that SQLite gives the schema: every change of the schema makes it another one.
  ///
  /// Source: [PRAGMA schema_version](https://www.sqlite.org/pragma.html#pragma_schema_version).
  public var schemaVersion: Int64 { schemaVersions[0] }

  /// Those of all pinned files, `main` first.
  private let schemaVersions: [Int64]
  private let chain: VersionChain
  /// The state of the logs that it sees; nil where that is not known exactly.
  private let stamp: VersionStamp?
  /// Tells what others have written; nil where nobody can.
  let pages: LogPages?
  private let connection: Guarded<Connection>
  /// What has been asked for by a row's key, so that it is asked once.
  let answers = Guarded<[Snapshot.Question: Value?]>([:])
  private let release: @Sendable (Connection) -> Void

  /// Takes over a connection with an open read transaction.
  ///
  /// - Parameters:
  ///   - schemaVersions: the version of each schema, `main` first.
  ///   - chain: the versions of the database; this one is in it.
  ///   - stamp: the state of the logs that the transaction sees, where it is known exactly.
  ///   - pages: tells what others have written, where that is possible.
  ///   - release: called with the connection when the snapshot ends.
  init(
    version: Int, schemaVersions: [Int64], chain: VersionChain, stamp: VersionStamp?,
    pages: LogPages?, connection: Connection, release: @escaping @Sendable (Connection) -> Void
  ) {
    self.version = version
    self.schemaVersions = schemaVersions
    self.chain = chain
    self.stamp = stamp
    self.pages = pages
    self.connection = Guarded(connection)
    self.release = release
  }

  deinit {
    let connection = connection.withLock { $0 }
    release(connection)
  }

  /// Runs `body` with a connection that sees this version.
  ///
  /// The connection only reads. It must not be kept: it may be another one at the next call. `body`
  /// must not read the same snapshot again, but use its connection.
  ///
  /// - Throws: what `body` throws; `DatabaseError` with `.abort` where the version was lost, since
  ///   an earlier `body` ended the transaction, or SQLite did after an error of the disk.
  public func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try connection.withLock { connection in
      guard connection.isInTransaction else {
        // Reading on would show the newest version as if it were this one.
        throw DatabaseError(
          .sqlite, "the snapshot was lost: its transaction has ended", resultCode: .abort,
          nextStep: "Take a new snapshot")
      }
      return try body(connection)
    }
  }

  /// The rows that may differ between this version and a newer one.
  ///
  /// ```swift
  /// switch before.changes(to: after) {
  /// case .rows(let touched): update(touched)
  /// case .unknown(let reason): print("everything is compared: \(reason)")
  /// }
  /// ```
  ///
  /// What this database has written itself is noted when it is written. Where anybody else has
  /// written, the pages of the two versions are compared.
  ///
  /// - Returns: no rows where both are of the same version; `.unknown` where any row may differ.
  /// - Complexity: O(1) where only this database has written and nobody holds a snapshot of a version
  ///   between the two, O(rows touched) where somebody does; else O(pages written).
  public func changes(to newer: Snapshot) -> Touched { changesAndSource(to: newer).touched }

  /// The rows that may differ, as above, and what has told them.
  package func changesAndSource(
    to newer: Snapshot
  ) -> (touched: Touched, source: Touched.Source) {
    let captured = capturedChanges(to: newer)
    guard case .unknown(let reason) = captured else { return (captured, .capture) }
    // Which trees another schema had can only be asked of the version that has it.
    guard reason.isToldByPages, hasSameSchema(as: newer), let pages, let stamp,
      let newerStamp = newer.stamp
    else { return (captured, .nobody) }
    let touched = pages.touched(from: stamp, to: newerStamp, schemaVersions: schemaVersions)
    guard case .rows = touched else { return (touched, .nobody) }
    // Of a version that is not pinned any more the pages may have been others.
    return isLost || newer.isLost ? (captured, .nobody) : (touched, .pages)
  }

  /// What is known of the changes without reading any page.
  func capturedChanges(to newer: Snapshot) -> Touched {
    guard chain === newer.chain else { return .unknown(.unrelated) }
    guard version <= newer.version else { return .unknown(.notNewer) }
    guard schemaVersions == newer.schemaVersions else { return .unknown(.schemaChanged) }
    return chain.touched(from: version, to: newer.version)
  }

  /// Whether no schema differs, those of attached files included.
  package func hasSameSchema(as other: Snapshot) -> Bool { schemaVersions == other.schemaVersions }

  /// How many versions of the database somebody holds, for tests.
  var versionCount: Int { chain.count }

  /// Whether the version was lost, as far as can be told without waiting for readers.
  var isLost: Bool { connection.withLockIfAvailable { !$0.isInTransaction } ?? false }

  /// Puts another connection that sees the same version in the place of the present one, unless
  /// somebody is reading.
  ///
  /// - Returns: the connection that is not needed any more: the old one, or `replacement`.
  func exchange(for replacement: Connection) -> Connection {
    let old = connection.withLockIfAvailable { connection in
      defer { connection = replacement }
      return connection
    }
    return old ?? replacement
  }
}
