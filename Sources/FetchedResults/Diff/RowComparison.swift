internal import SQLiteStorage

/// Looks up rows in two versions of a result and compares them.
///
/// Not Sendable: it is used inside the reads of both snapshots.
struct RowComparison {
  private let old: Side
  private let new: Side
  private let held: HeldStep?

  /// One of the versions, with a prepared statement.
  private final class Side {
    /// Held for its plan.
    let version: ResultsVersion
    private(set) var statement: Statement
    private let connection: Connection
    private let observation: Statement
    private let firstUnbound: Int

    init(
      _ version: ResultsVersion, _ connection: Connection, isShared: Bool = true
    ) throws {
      (self.version, self.connection) = (version, connection)
      (observation, firstUnbound) = try version.plan.statement(
        ofRow: version.plan.statements.observation, in: connection, isShared: isShared)
      statement = observation
    }

    /// Moves to the row with a key. Returns false if it is not in the result.
    ///
    /// - Parameter held: what is held of the row.
    /// - Throws: `FetchError` with code `.invalidKey` if two rows have this key.
    func find(_ key: RowKey, _ held: HeldRow) throws -> Bool {
      // A statement that is still at a row would be prepared again.
      statement.reset()
      switch held {
      case .absent: return false
      case .values(let values):
        guard let row = version.plan.maintenance.held?.row else { return try find(key) }
        guard let found = try row.row(of: key, values, in: connection) else { return false }
        statement = found
        return true
      case .unknown: return try find(key)
      }
    }

    private func find(_ key: RowKey) throws -> Bool {
      statement = observation
      try key.bind(to: statement, from: firstUnbound)
      guard try statement.step() else {
        guard key.hasLoneSurrogate, try connection.storesUTF16() else { return false }
        throw FetchError.loneSurrogate(in: key.identity, columns: version.plan.parts.key)
      }
      if !version.plan.parts.isKeyUnique || key.hasNull {
        if try statement.step() {
          throw FetchError.duplicateKey(key.identity, columns: version.plan.parts.key)
        }
        statement.reset()
        guard try statement.step() else { return false }
      }
      let found = RowKey(statement.currentRow, columns: version.plan.statements.observedKey)
      if found == key { return true }
      // Under a collation such as NOCASE, a text is found by another text. If the types differ, the
      // row is not known to be absent.
      guard found.identity.hasTypes(of: key.identity) else { throw InexactSearchError.key }
      return false
    }

    func observe() throws -> ObservedRow { try version.plan.observe(statement.currentRow) }

    func finish() { statement.reset() }
  }

  /// - Parameters:
  ///   - version: the old version.
  ///   - next: the new version, with a comparable plan; nil if it has the same plan.
  ///   - held: the rows whose aggregates are held.
  init(
    of version: ResultsVersion, and next: ResultsVersion? = nil, _ oldConnection: Connection,
    _ newConnection: Connection, held: HeldStep? = nil
  ) throws {
    self.held = held
    old = try Side(version, oldConnection)
    // One connection may read both, with different parameters.
    new = try Side(next ?? version, newConnection, isShared: next == nil)
  }

  /// Whether a row is in both versions and shows the same columns. The sort key may differ, and what the
  /// totals are computed from. So may the section key: a row of another section moves, and if the key is
  /// only spelled otherwise, that is the header's.
  func showsTheSame(at key: RowKey) throws -> Bool {
    guard try find(key) == (true, true) else { return false }
    let oldRow = old.statement.currentRow
    let newRow = new.statement.currentRow
    return oldRow.isIdentical(to: newRow, in: 0..<old.version.plan.parts.columns.count)
  }

  /// The row in both versions; nil if it is equal in both, or in neither.
  func difference(at key: RowKey) throws -> (old: ObservedRow?, new: ObservedRow?)? {
    let (isInOld, isInNew) = try find(key)
    switch (isInOld, isInNew) {
    case (false, false): return nil
    case (true, true) where old.statement.currentRow.isIdentical(to: new.statement.currentRow):
      return nil
    default:
      return (isInOld ? try old.observe() : nil, isInNew ? try new.observe() : nil)
    }
  }

  /// Whether the row is in either version, to whose rows the sides move.
  private func find(_ key: RowKey) throws -> (old: Bool, new: Bool) {
    let row = held?.row(of: key) ?? (.unknown, .unknown)
    return (try old.find(key, row.old), try new.find(key, row.new))
  }

  /// Resets the statements.
  func finish() {
    old.finish()
    new.finish()
  }
}

extension RowIdentity {
  /// Whether each value has the type of the one in another identity.
  fileprivate func hasTypes(of other: RowIdentity) -> Bool {
    zip(values, other.values).allSatisfy { value, other in
      switch (value, other) {
      case (.null, .null), (.text, .text), (.blob, .blob): true
      case (.integer, .integer), (.real, .real): true
      default: false
      }
    }
  }
}
