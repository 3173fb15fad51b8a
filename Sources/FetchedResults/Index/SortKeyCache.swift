internal import SQLiteStorage

/// A cache of the sort keys of one version's rows. Those at the top of the index are read by every
/// search.
///
/// It has two generations. A row that is missing in the younger is looked up in the older, and
/// copied to the younger. When the younger is full it becomes the older, so unused sort keys are
/// dropped.
///
/// Not Sendable: it is owned by a version, or by the caller that has taken it from there.
final class SortKeyCache<Key: RowKey> {
  private var young: [Key: KeyTuple] = [:]
  private var old: [Key: KeyTuple] = [:]

  /// The sort key of a row. `ask` is called if it is not cached.
  func sortKey(of key: Key, ask: () throws -> KeyTuple?) rethrows -> KeyTuple? {
    if let known = young[key] { return known }
    guard let sortKey = try old[key] ?? ask() else { return nil }
    remember(sortKey, of: key)
    return sortKey
  }

  /// Caches the sort key of a row.
  func remember(_ sortKey: KeyTuple, of key: Key) {
    if young.count >= SortKeyCache.generationLimit {
      old = young
      young = [:]
    }
    young[key] = sortKey
  }

  /// Removes a row whose sort key may have changed.
  func forget(_ key: Key) {
    young[key] = nil
    old[key] = nil
  }

  /// More than the number of leaves of an index of a million rows.
  private static var generationLimit: Int { 8_192 }
}
