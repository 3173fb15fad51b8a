internal import SQLiteStorage

/// How the rows of one version sort, as far as searches have asked: those at the top of the index are
/// asked for again and again.
///
/// Two generations: what the younger does not have is looked for in the older, and moves up. When
/// the younger is full it becomes the older, so what is not asked for is forgotten in time.
///
/// Not Sendable: it belongs to a version or, for as long as that lasts, to who has taken it from
/// there.
final class SortKeys<Key: RowKey> {
  private var young: [Key: KeyTuple] = [:]
  private var old: [Key: KeyTuple] = [:]

  /// The sort key of a row, asked for where it is not known.
  func sortKey(of key: Key, ask: () throws -> KeyTuple?) rethrows -> KeyTuple? {
    if let known = young[key] { return known }
    guard let sortKey = try old[key] ?? ask() else { return nil }
    remember(sortKey, of: key)
    return sortKey
  }

  /// Sets the sort key of a row that is known from elsewhere.
  func remember(_ sortKey: KeyTuple, of key: Key) {
    if young.count >= SortKeys.generationLimit {
      old = young
      young = [:]
    }
    young[key] = sortKey
  }

  /// Forgets a row whose sort key may have changed.
  func forget(_ key: Key) {
    young[key] = nil
    old[key] = nil
  }

  /// More than the leaves of an index of a million rows have first elements.
  private static var generationLimit: Int { 8_192 }
}
