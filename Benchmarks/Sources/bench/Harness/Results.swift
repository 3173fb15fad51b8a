import Foundation

/// The file that other programs read.
enum Results {
  /// Beside `Package.swift`, wherever the program is started from.
  private static let url = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("results.json")

  static func write(_ measurements: [Measurement]) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(measurements).write(to: url)
    report("\nwritten to \(url.path)")
  }
}
