import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// Positions that others wrote, and neighbours that are not where they were.
@Suite struct MovingRepairTests {
  /// A list of rows with these positions, numbered in the order given.
  private func ordered(_ positions: [Value], type: String = "TEXT") throws -> OrderedList {
    let rows = positions.enumerated().map { index, position in
      let literal: String =
        switch position {
        case .text(let text): text.quotedLiteral
        case .integer(let integer): "\(integer)"
        default: "NULL"
        }
      return "INSERT INTO item VALUES (\(index + 1), \(literal));"
    }
    return OrderedList(
      try LiveList(
        "CREATE TABLE item(id INTEGER PRIMARY KEY, position \(type));" + rows.joined(), "position"))
  }

  private func expectPositions(
    _ ordered: OrderedList, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let positions = try ordered.positions().map { value -> Position? in
      if case .text(let text) = value { Position(rawValue: text) } else { nil }
    }
    #expect(positions.allSatisfy { $0 != nil }, sourceLocation: sourceLocation)
    #expect(Set(positions).count == positions.count, sourceLocation: sourceLocation)
  }

  @Test func numbersInPlaceOfPositionsBecomePositions() throws {
    let ordered = try ordered([0, 1, 2, 3, 4], type: "INTEGER")
    #expect(try ordered.move(from: [0, 4], to: [0, 1]) == 5)
    let changes = try ordered.list.step()
    #expect(changes.movedRows.count == 1)
    #expect(try ordered.provider.lines() == ["all: 1 5 2 3 4"])
    try expectPositions(ordered)
    #expect(try ordered.move(from: [0, 4], to: [0, 0]) == 1)
    try ordered.list.step()
    #expect(try ordered.provider.lines() == ["all: 4 1 5 2 3"])
  }

  @Test func rowsWithoutAPositionGetOneWhereTheyAreInTheWay() throws {
    let ordered = try ordered([nil, nil, nil, "n0", "n1"])
    // Before the rows that have one there is nothing in the way.
    #expect(try ordered.move(from: [0, 4], to: [0, 3]) == 1)
    try ordered.list.step()
    #expect(try ordered.positions() == [nil, nil, nil, "mz", "n0"])
    #expect(try ordered.move(from: [0, 0], to: [0, 3]) == 1)
    try ordered.list.step()
    #expect(try ordered.provider.lines() == ["all: 2 3 5 1 4"])
    #expect(try ordered.move(from: [0, 4], to: [0, 1]) == 3)
    try ordered.list.step()
    #expect(try ordered.provider.lines() == ["all: 2 4 3 5 1"])
    try expectPositions(ordered)
  }

  @Test func rowsWithoutAPositionAtTheEndGetOneToo() throws {
    let database = try ordered(["n0", "n1", nil, nil]).list.database
    let list = try LiveList(
      database, FetchRequest(table: "item").sorted(by: OrderedList.byPosition, nulls: .last))
    let ordered = OrderedList(list)
    #expect(try ordered.move(from: [0, 0], to: [0, 1]) == 1)
    try list.step()
    #expect(try list.provider.lines() == ["all: 2 1 3 4"])
    #expect(try ordered.move(from: [0, 0], to: [0, 3]) == 3)
    try list.step()
    #expect(try list.provider.lines() == ["all: 1 3 4 2"])
    try expectPositions(ordered)
  }

  @Test func rowsThatShareAPositionGetTheirOwnWhereTheyAreInTheWay() throws {
    let ordered = try ordered(["n0", "n1", "n1", "n1", "n2"])
    // Beside them there is room.
    #expect(try ordered.move(from: [0, 0], to: [0, 3]) == 1)
    try ordered.list.step()
    #expect(try ordered.provider.lines() == ["all: 2 3 4 1 5"])
    #expect(try ordered.move(from: [0, 4], to: [0, 1]) == 2)
    try ordered.list.step()
    #expect(try ordered.provider.lines() == ["all: 2 5 3 4 1"])
    #expect(try ordered.move(from: [0, 4], to: [0, 3]) > 1)
    try ordered.list.step()
    #expect(try ordered.provider.lines() == ["all: 2 5 3 1 4"])
    try expectPositions(ordered)
  }

  @Test func textsThatAreNoPositionsAreReplaced() throws {
    let ordered = try ordered(["0|hzzzzz:", "A", "n0", "n0Z", "n1", "n5!"])
    #expect(try ordered.move(from: [0, 4], to: [0, 3]) > 1)
    try ordered.list.step()
    #expect(try ordered.provider.lines() == ["all: 1 2 3 5 4 6"])
    #expect(try ordered.move(from: [0, 5], to: [0, 1]) > 1)
    try ordered.list.step()
    #expect(try ordered.provider.lines() == ["all: 1 6 2 3 5 4"])
    try expectPositions(ordered)
  }

  @Test func nothingIsWrittenTwiceIntoAUniqueColumn() throws {
    // The new positions of each row are old ones of others, and of the row that moves.
    let long = "n0" + String(repeating: "0", count: 126) + "1"
    for source in 0..<6 {
      for destination in 0..<6 where source != destination {
        let ordered = try ordered(
          ["n0", .text(long), "n00i", "n0i", "n0r", "n1"], type: "TEXT NOT NULL UNIQUE")
        var expected = Array(1...6)
        expected.insert(expected.remove(at: source), at: destination)
        try ordered.move(from: [0, source], to: [0, destination])
        let changes = try ordered.list.step()
        #expect(changes.movedRows.count == 1)
        let line = expected.map(String.init).joined(separator: " ")
        #expect(try ordered.provider.lines() == ["all: " + line])
      }
    }
  }

  @Test func deletedNeighboursDoNotCount() throws {
    let by = OrderedList.byPosition
    let ordered = try OrderedList(sections: [6, 2])
    let database = ordered.list.database
    // Between 2 and 3, of which others know nothing any more.
    try database.run(
      "DELETE FROM item WHERE id = 2; UPDATE item SET section = 'b' WHERE id = 3")
    #expect(try ordered.provider.move(from: [0, 5], to: [0, 2], by: by) == 1)
    try ordered.list.step()
    #expect(try ordered.provider.lines() == ["\"a\": 1 6 4 5", "\"b\": 7 8 3"])
    // All of them.
    try database.run(
      "DELETE FROM item WHERE id IN (7, 8, 3); INSERT INTO item VALUES (9, 'b', 'n0')")
    #expect(try ordered.provider.move(from: [0, 0], to: [1, 1], by: by) == 1)
    try ordered.list.step()
    #expect(try ordered.provider.lines() == ["\"a\": 6 4 5", "\"b\": 9 1"])
    try database.run("DELETE FROM item WHERE section = 'b'")
    #expect(try ordered.provider.move(from: [0, 0], to: [1, 1], by: by) == 1)
    try ordered.list.step()
    #expect(try ordered.provider.lines() == ["\"a\": 4 5", "\"b\": 6"])
  }

  @Test func neighboursThatHaveChangedPlacesLeaveTheRowBehindTheFirst() throws {
    for direction in [SortTerm<Row>.Direction.ascending, .descending] {
      let ordered = try OrderedList(sections: [5], sectioned: false)
      let request = FetchRequest(table: "item").sorted(by: OrderedList.byPosition, direction)
      let list = try LiveList(ordered.list.database, request)
      let (first, last) = direction == .ascending ? (2, 3) : (4, 3)
      // 2 and 3, or 4 and 3, change places; a third one comes between them.
      try list.database.run(
        """
        UPDATE item SET position = CASE id WHEN \(first) THEN 'n9' WHEN \(last) THEN 'n8' END
          WHERE id IN (\(first), \(last));
        """)
      let isAscending = direction == .ascending
      if !isAscending {
        try list.database.run(
          "UPDATE item SET position = CASE id WHEN 4 THEN 'm1' ELSE 'm2' END WHERE id IN (3, 4)")
      }
      #expect(try OrderedList(list).move(from: [0, 4], to: [0, 2]) == 1)
      try list.step()
      let moved = isAscending ? 5 : 1
      let line = try #require(try list.provider.lines().first)
      #expect(line.contains("\(first) \(moved)"))
    }
  }

  @Test func rowsInsertedMeanwhileKeepTheirPlace() throws {
    let ordered = try OrderedList(sections: [3], sectioned: false)
    try ordered.list.database.run("INSERT INTO item VALUES (4, NULL, 'n0i')")
    #expect(try ordered.move(from: [0, 2], to: [0, 1]) == 1)
    try ordered.list.step()
    #expect(try ordered.provider.lines() == ["all: 1 3 4 2"])
  }

  @Test func anotherProgramOfTheSameFileDoesNotDisturb() throws {
    let ordered = try OrderedList(sections: [4], sectioned: false)
    try Database(path: ordered.list.database.path).run(
      "UPDATE item SET position = 'n9' WHERE id = 1")
    #expect(try ordered.move(from: [0, 3], to: [0, 1]) == 1)
    try ordered.list.step()
    // Behind 1, wherever that is now.
    #expect(try ordered.provider.lines() == ["all: 2 3 1 4"])
  }
}
