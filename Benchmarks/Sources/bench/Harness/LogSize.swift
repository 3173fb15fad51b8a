import Foundation

/// The size of a store's write-ahead log, in megabytes.
struct LogSize {
  private let path: String
  /// The most that was seen.
  private(set) var largest = 0.0

  init(of store: ItemStore) { path = store.path + "-wal" }

  /// Looks how large it is now.
  mutating func look() {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    largest = max(largest, Double(attributes?[.size] as? Int ?? 0) / 1e6)
  }
}
