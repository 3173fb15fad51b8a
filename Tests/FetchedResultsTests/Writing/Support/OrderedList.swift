import Foundation
import SQLiteStorage
import TableData

@testable import FetchedResults

/// A list `item` that is sorted by its positions, watched by everything that ``LiveList`` has.
struct OrderedList {
  static let byPosition: AnyProperty<Row> = \Row["position"]

  let list: LiveList

  init(_ list: LiveList) { self.list = list }

  /// A list of numbered rows, in sections `a`, `b` … of so many rows, or in one without a name.
  init(sections: [Int], sectioned: Bool = true, constraint: String = "") throws {
    var script = """
      CREATE TABLE item(id INTEGER PRIMARY KEY, section TEXT, position TEXT\(constraint));
      CREATE INDEX item_place ON item(section, position);
      """
    for (section, count) in sections.enumerated() {
      for position in Position.series(count) {
        let name = Character(Unicode.Scalar(UInt8(97 + section)))
        script += "INSERT INTO item(section, position) VALUES ('\(name)', '\(position)');"
      }
    }
    list = try LiveList(script, "position", sectionedBy: sectioned ? "section" : nil)
  }

  var provider: FetchedResultsProvider<Row> { list.provider }

  /// Moves a row, and checks what is told of it and shown then.
  ///
  /// - Returns: the number of rows written, as SQLite counts them.
  @discardableResult
  func move(from source: [Int], to destination: [Int]) throws -> Int {
    let before = try writtenCount
    let told = try provider.move(
      from: IndexPath(row: source[1], section: source[0]),
      to: IndexPath(row: destination[1], section: destination[0]), by: OrderedList.byPosition)
    let count = try writtenCount - before
    guard count == told else { throw WrongCount(told: told, count: count) }
    return count
  }

  struct WrongCount: Error {
    let told: Int
    let count: Int
  }

  /// The number of rows that the writer has written since it was opened.
  var writtenCount: Int {
    get throws {
      try list.database.withWriter {
        try $0.value(Int.self, "SELECT total_changes()") ?? 0
      }
    }
  }

  /// What is stored as the positions, in order.
  func positions(_ condition: String = "TRUE") throws -> [Value] {
    try list.database.read { connection in
      try connection.rows(
        SQL(verbatim: "SELECT position FROM item WHERE \(condition) ORDER BY position")
      )
      .map { $0.values[0] }
    }
  }
}
