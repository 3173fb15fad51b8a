internal import CFetchedResultsSQLite

/// A collation written in Swift.
///
/// ```swift
/// let numeric = CustomCollation("numeric") { lhs, rhs in
///   (Int(lhs) ?? 0) - (Int(rhs) ?? 0)
/// }
/// ```
///
/// Sendable: every connection of a database calls the same closure, from any thread.
public struct CustomCollation: Sendable {
  /// The name to use after `COLLATE`.
  public let name: String
  /// Returns a negative number if the first text sorts before the second, 0 if they are equal, and
  /// a positive number if it sorts after. It must be a total order, or SQLite's indexes are wrong.
  public let compare: @Sendable (String, String) -> Int

  /// Makes a collation.
  public init(_ name: String, _ compare: @escaping @Sendable (String, String) -> Int) {
    self.name = name
    self.compare = compare
  }
}

extension Connection {
  /// Makes `collation` usable on this connection.
  public func register(_ collation: CustomCollation) throws {
    let context = Context(collation).retained()
    let status = sqlite3_create_collation_v2(
      handle, collation.name, SQLITE_UTF8, context,
      { pointer, lhsCount, lhs, rhsCount, rhs in
        guard let pointer else { return 0 }
        let lhs = String(
          decoding: UnsafeRawBufferPointer(start: lhs, count: Int(lhsCount)), as: UTF8.self)
        let rhs = String(
          decoding: UnsafeRawBufferPointer(start: rhs, count: Int(rhsCount)), as: UTF8.self)
        return Int32(Context<CustomCollation>.at(pointer).compare(lhs, rhs).signum())
      },
      { pointer in
        if let pointer { Context<CustomCollation>.release(pointer) }
      })
    // Unlike for functions, SQLite does not call the destructor if this call fails.
    if status != SQLITE_OK { Context<CustomCollation>.release(context) }
    try check(status)
  }
}
