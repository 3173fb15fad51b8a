import Foundation

/// The file that other programs read.
enum Results {
  /// That of `Package.swift`, wherever the program is started from.
  static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  static let url = folder.appendingPathComponent("results.json")

  /// The rows of the last run, and when it was.
  static func read() throws -> (measurements: [Measurement], date: Date) {
    guard let data = try? Data(contentsOf: url) else {
      throw BenchError("there is no \(url.path): run the benchmarks first")
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    return (
      try JSONDecoder().decode([Measurement].self, from: data),
      attributes[.modificationDate] as? Date ?? Date()
    )
  }

  static func write(_ measurements: [Measurement]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(measurements).write(to: url)
  }
}
