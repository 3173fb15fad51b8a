/// A few values by key, of which the one used longest ago makes room for a new one.
///
/// Complexity: O(1) for the value used last, O(capacity) when a value makes room.
struct LeastRecentlyUsed<Key: Hashable, Value> {
  private let capacity: Int
  private var entries: [Key: (value: Value, lastUse: Int)] = [:]
  private var uses = 0
  /// The entry used last, which is most often the one asked for next.
  private var latest: (key: Key, value: Value)?

  init(capacity: Int) { self.capacity = capacity }

  /// The value of a key, made where it is not there.
  mutating func value(for key: Key, make: () throws -> Value) rethrows -> Value {
    if let latest, latest.key == key { return latest.value }
    let value = try entries[key]?.value ?? make()
    uses += 1
    if entries[key] == nil, entries.count >= capacity,
      let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      entries[oldest.key] = nil
    }
    entries[key] = (value, uses)
    latest = (key, value)
    return value
  }
}
