/// A small least-recently-used cache.
///
/// Complexity: O(capacity).
struct LeastRecentlyUsed<Key: Hashable, Value> {
  private let capacity: Int
  // Two plain arrays instead of one array of pairs: this generic code is not specialised, and would
  // look up the type of the pair at run time for each access.
  /// The keys, the most recently used last.
  private var keys: [Key] = []
  /// The values of `keys`.
  private var values: [Value] = []

  init(capacity: Int) { self.capacity = capacity }

  /// Whether the cache has a value for a key.
  func contains(_ key: Key) -> Bool { keys.contains(key) }

  /// The value for a key, made and stored if it is not in the cache.
  mutating func value(for key: Key, make: () throws -> Value) rethrows -> Value {
    let value: Value
    if let index = keys.firstIndex(of: key) {
      value = values.remove(at: index)
      keys.remove(at: index)
    } else {
      value = try make()
      if keys.count >= capacity {
        values.removeFirst()
        keys.removeFirst()
      }
    }
    keys.append(key)
    values.append(value)
    return value
  }
}
