internal import SQLiteStorage

/// The sort keys of rows that searches ask for again and again: those at the top of the index.
///
/// Two generations: what the younger does not have is looked for in the older, and moves up. When
/// the younger is full it becomes the older, so what is not asked for is forgotten in time.
///
/// Sendable: the lock protects both generations.
final class SortKeyCache<Key: RowKey>: Sendable {
  private struct Generations: Sendable {
    var young: [Key: KeyTuple] = [:]
    var old: [Key: KeyTuple] = [:]

    mutating func sortKey(of key: Key) -> KeyTuple? {
      if let known = young[key] { return known }
      guard let known = old[key] else { return nil }
      remember(known, of: key)
      return known
    }

    mutating func remember(_ sortKey: KeyTuple, of key: Key) {
      if young.count >= SortKeyCache.generationLimit {
        old = young
        young = [:]
      }
      young[key] = sortKey
    }
  }

  private let generations = Guarded(Generations())

  /// The sort key of a row, asked for where it is not known.
  func sortKey(of key: Key, ask: () throws -> KeyTuple?) rethrows -> KeyTuple? {
    if let known = generations.withLock({ $0.sortKey(of: key) }) { return known }
    guard let sortKey = try ask() else { return nil }
    remember(sortKey, of: key)
    return sortKey
  }

  /// Sets the sort key of a row that is known from elsewhere.
  func remember(_ sortKey: KeyTuple, of key: Key) {
    generations.withLock { $0.remember(sortKey, of: key) }
  }

  /// Forgets everything.
  func forgetAll() { generations.withLock { $0 = Generations() } }

  /// Forgets a row whose sort key may have changed.
  func forget(_ key: Key) {
    generations.withLock { generations in
      generations.young[key] = nil
      generations.old[key] = nil
    }
  }

  /// More than the leaves of an index of a million rows have first elements.
  private static var generationLimit: Int { 8_192 }
}
