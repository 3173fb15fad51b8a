import Foundation
import Testing

/// A window as a page keeps it: made of one event with all lines, and then patched.
struct WindowModel: Equatable {
  private(set) var from = 0
  private(set) var version = ""
  /// The lines as JSON, without their places.
  private(set) var lines: [String] = []
  private(set) var sticky: String?
  private(set) var counts: [Int] = []

  /// Makes a window of the answer of `/api/rows`, or of an event with all lines.
  init(_ json: [String: Any]) throws {
    try take(json)
    lines = try #require(json["window"] as? [Any]).map(Self.text)
  }

  private mutating func take(_ json: [String: Any]) throws {
    from = try #require(json["from"] as? Int)
    version = try #require(json["version"] as? String)
    sticky = try (json["sticky"] as? [String: Any]).map { try Self.text(["header": $0]) }
    counts = try ["lines", "rows", "sections"].map { try #require(json[$0] as? Int) }
  }

  /// Applies an event.
  mutating func apply(_ event: ServerEvent) throws {
    guard event.name == "changes" else {
      self = try WindowModel(event.json)
      return
    }
    var new: [String] = []
    for part in try #require(event.json["patch"] as? [Any]) {
      if let kept = part as? [Int] {
        let start = kept[0] - from
        try #require(start >= 0 && start + kept[1] <= lines.count, "\(kept) of \(lines.count)")
        new += lines[start..<(start + kept[1])]
      } else {
        new.append(try Self.text(part))
      }
    }
    lines = new
    try take(event.json)
    let end = from + lines.count
    for (_, numbers) in try #require(event.json["changed"] as? [String: [Int]]) {
      try #require(numbers.allSatisfy { from..<max(end, from + 1) ~= $0 })
    }
  }

  /// A line without its place, with sorted keys.
  private static func text(_ item: Any) throws -> String {
    var item = try #require(item as? [String: Any])
    item["at"] = nil
    if var header = item["header"] as? [String: Any] {
      header["at"] = nil
      item["header"] = header
    }
    return String(
      decoding: try JSONSerialization.data(withJSONObject: item, options: .sortedKeys),
      as: UTF8.self)
  }
}
