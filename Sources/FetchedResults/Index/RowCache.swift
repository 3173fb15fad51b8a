/// What is cached of some rows of one version.
///
/// It has two generations. A row that is missing in the younger is looked up in the older. When the younger is full it
/// becomes the older, so rows that are not used are dropped.
///
/// Not Sendable: it is owned by a version, or by the caller that has taken it from there.
final class RowCache<Value> {
  private var young: [RowKey: Value] = [:]
  private var old: [RowKey: Value] = [:]
  private let generationLimit: Int

  init(generationLimit: Int) { self.generationLimit = generationLimit }

  /// What is cached of a row; set to nil, the row is removed.
  subscript(key: RowKey) -> Value? {
    get { young[key] ?? old[key] }
    set {
      guard let newValue else {
        young[key] = nil
        old[key] = nil
        return
      }
      if young.count >= generationLimit { (young, old) = ([:], young) }
      young[key] = newValue
    }
  }

  /// What is cached of a row. `ask` is called if there is nothing.
  func value(of key: RowKey, ask: () throws -> Value?) rethrows -> Value? {
    if let known = young[key] { return known }
    guard let value = try old[key] ?? ask() else { return nil }
    self[key] = value
    return value
  }

  var all: [RowKey: Value] { old.merging(young) { $1 } }
}

/// The sort keys of a version's rows. Those at the top of the index are read by every search.
typealias SortKeyCache = RowCache<KeyTuple>

extension SortKeyCache {
  /// For more rows than an index of a million rows has leaves.
  convenience init() { self.init(generationLimit: 8_192) }
}
