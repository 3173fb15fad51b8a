import Foundation
import Testing

/// What a reader of the events of `watch` takes the result to be.
struct EventReplay: Equatable {
  struct Section: Equatable {
    /// The section's key as JSON.
    var key: String
    /// The rows as JSON.
    var rows: [String]
  }

  private(set) var sections: [Section] = []
  private(set) var version = -1

  static func == (lhs: EventReplay, rhs: EventReplay) -> Bool { lhs.sections == rhs.sections }

  init() {}

  /// What `query --format json` prints.
  init(json: String) throws {
    sections = try EventReplay.sections(try EventReplay.parse(json))
  }

  /// Goes where an event leads.
  mutating func apply(_ event: String) throws {
    let event = try #require(try EventReplay.parse(event) as? [String: Any])
    let next = try #require(event["version"] as? Int)
    try #require(next == version + 1)
    version = next
    switch event["event"] as? String {
    case "snapshot", "reset": sections = try EventReplay.sections(event["sections"])
    case "changes": try apply(try Changes(event))
    case let name: Issue.record("unexpected event \(name ?? "without a name")")
    }
  }

  private mutating func apply(_ changes: Changes) throws {
    var gone = changes.deletes
    for place in changes.moves.map(\.old) + changes.updates.map(\.old) { gone.append(place) }
    try #require(Set(gone).count == gone.count)
    for place in gone.sorted(by: >) {
      try #require(sections.indices ~= place.section)
      try #require(sections[place.section].rows.indices ~= place.row)
      sections[place.section].rows.remove(at: place.row)
    }
    for section in changes.deletedSections {
      try #require(sections.indices ~= section)
      try #require(sections.remove(at: section).rows.isEmpty)
    }
    for (section, key) in changes.insertedSections {
      try #require(0...sections.count ~= section)
      sections.insert(Section(key: key, rows: []), at: section)
    }
    let come = changes.inserts + changes.moves.map(\.new) + changes.updates.map(\.new)
    for (place, row) in come.sorted(by: { $0.place < $1.place }) {
      try #require(sections.indices ~= place.section)
      try #require(0...sections[place.section].rows.count ~= place.row)
      sections[place.section].rows.insert(row, at: place.row)
    }
  }

  private struct Place: Hashable, Comparable {
    let section: Int
    let row: Int

    static func < (lhs: Place, rhs: Place) -> Bool {
      (lhs.section, lhs.row) < (rhs.section, rhs.row)
    }

    init(_ json: Any?) throws {
      let numbers = try #require(json as? [Int])
      try #require(numbers.count == 2)
      (section, row) = (numbers[0], numbers[1])
    }
  }

  private struct Changes {
    typealias New = (place: Place, row: String)
    let deletedSections: [Int]
    let insertedSections: [(at: Int, key: String)]
    let deletes: [Place]
    let inserts: [New]
    let moves: [(old: Place, new: New)]
    let updates: [(old: Place, new: New)]

    init(_ event: [String: Any]) throws {
      let sections = try #require(event["sections"] as? [String: Any])
      let rows = try #require(event["rows"] as? [String: Any])
      deletedSections = try #require(sections["delete"] as? [Int])
      insertedSections = try Changes.list(sections["insert"]).map {
        (try #require($0["at"] as? Int), try EventReplay.text($0["section"]))
      }
      deletes = try (try #require(rows["delete"] as? [Any])).map(Place.init)
      inserts = try Changes.list(rows["insert"]).map(Changes.new)
      moves = try Changes.list(rows["move"]).map { (try Place($0["from"]), try Changes.new($0)) }
      updates = try Changes.list(rows["update"]).map { (try Place($0["at"]), try Changes.new($0)) }
      // Contract, rule 18.
      #expect(deletedSections == deletedSections.sorted(by: >))
      #expect(insertedSections.map(\.at) == insertedSections.map(\.at).sorted())
      #expect(deletes == deletes.sorted(by: >))
      #expect(inserts.map(\.place) == inserts.map(\.place).sorted())
      #expect(moves.map(\.new.place) == moves.map(\.new.place).sorted())
      #expect(updates.map(\.old) == updates.map(\.old).sorted())
    }

    private static func list(_ json: Any?) throws -> [[String: Any]] {
      try #require(json as? [[String: Any]])
    }

    private static func new(_ json: [String: Any]) throws -> New {
      (try Place(json["to"]), try EventReplay.text(json["row"]))
    }
  }

  private static func sections(_ json: Any?) throws -> [Section] {
    try (try #require(json as? [[String: Any]])).map { section in
      let rows = try #require(section["rows"] as? [Any])
      try #require(section["count"] as? Int == rows.count)
      return Section(key: try text(section["section"]), rows: try rows.map(text))
    }
  }

  private static func parse(_ text: String) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(text.utf8))
  }

  private static func text(_ json: Any?) throws -> String {
    let data = try JSONSerialization.data(
      withJSONObject: try #require(json), options: [.sortedKeys, .fragmentsAllowed])
    return String(decoding: data, as: UTF8.self)
  }
}
