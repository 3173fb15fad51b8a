/// A few values by key, of which the one used longest ago makes room for a new one.
///
/// Complexity: O(capacity).
struct LeastRecentlyUsed<Key: Hashable, Value> {
  private let capacity: Int
  // Two plain arrays, and no type made of both: this code is compiled for no value in particular,
  // and would look such a type up at run time again and again.
  /// The keys, the one used last at the end.
  private var keys: [Key] = []
  /// The values of `keys`.
  private var values: [Value] = []

  init(capacity: Int) { self.capacity = capacity }

  /// Whether the value of a key is there.
  func contains(_ key: Key) -> Bool { keys.contains(key) }

  /// The value of a key, made where it is not there.
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
