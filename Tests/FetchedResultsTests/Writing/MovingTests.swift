import Foundation
import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// Moves in a list whose rows have positions.
@Suite(.timeLimit(.minutes(5))) struct MovingTests {
  @Test func aMoveWritesOneRowAndIsReportedAsOneMove() throws {
    let ordered = try OrderedList(sections: [5], sectioned: false)
    #expect(try ordered.move(from: [0, 4], to: [0, 1]) == 1)
    #expect(try ordered.list.step().description == "[0,4]>[0,1]")
    #expect(try ordered.provider.lines() == ["all: 1 5 2 3 4"])
    #expect(try ordered.move(from: [0, 0], to: [0, 4]) == 1)
    #expect(try ordered.list.step().description == "[0,0]>[0,4]")
    #expect(try ordered.move(from: [0, 4], to: [0, 0]) == 1)
    #expect(try ordered.list.step().description == "[0,4]>[0,0]")
    #expect(try ordered.provider.lines() == ["all: 1 5 2 3 4"])
    // And then it is over.
    #expect(try ordered.list.step().isEmpty)
    #expect(ordered.list.isFast)
  }

  @Test func aMoveToTheSamePlaceWritesNothing() throws {
    let ordered = try OrderedList(sections: [3])
    #expect(try ordered.move(from: [0, 1], to: [0, 1]) == 0)
    #expect(try ordered.list.step().isEmpty)
  }

  @Test func aMoveToAnotherSectionWritesTheSectionToo() throws {
    let ordered = try OrderedList(sections: [2, 3])
    #expect(try ordered.move(from: [0, 0], to: [1, 3]) == 1)
    #expect(try ordered.list.step().description == "[0,0]>[1,3]")
    #expect(try ordered.move(from: [1, 2], to: [0, 0]) == 1)
    #expect(try ordered.list.step().description == "[1,2]>[0,0]")
    #expect(try ordered.provider.lines() == ["\"a\": 5 2", "\"b\": 3 4 1"])
  }

  @Test func theLastRowOfASectionTakesTheSectionWithIt() throws {
    let ordered = try OrderedList(sections: [1, 2])
    #expect(try ordered.move(from: [0, 0], to: [1, 1]) == 1)
    #expect(try ordered.list.step().description == "-[0] -[0,0] +[0,1]")
    #expect(try ordered.provider.lines() == ["\"b\": 2 1 3"])
  }

  @Test func aRowMovesIntoTheSectionOfNull() throws {
    let ordered = try OrderedList(sections: [2, 2])
    try ordered.list.commit("UPDATE item SET section = NULL WHERE id < 3")
    #expect(try ordered.move(from: [1, 0], to: [0, 1]) == 1)
    #expect(try ordered.list.step().description == "[1,0]>[0,1]")
    #expect(try ordered.provider.lines() == ["NULL: 1 3 2", "\"b\": 4"])
  }

  @Test func descendingListsMoveTheSameWay() throws {
    let ordered = try OrderedList(sections: [4, 2])
    let list = try LiveList(
      ordered.list.database,
      FetchRequest(table: "item").sorted(by: OrderedList.byPosition, .descending),
      sectionedBy: .property(\Row["section"], .descending))
    let descending = OrderedList(list)
    #expect(try list.provider.lines() == ["\"b\": 6 5", "\"a\": 4 3 2 1"])
    #expect(try descending.move(from: [1, 3], to: [1, 1]) == 1)
    #expect(try list.step().description == "[1,3]>[1,1]")
    #expect(try descending.move(from: [1, 0], to: [0, 2]) == 1)
    #expect(try list.step().description == "[1,0]>[0,2]")
    #expect(try descending.move(from: [1, 0], to: [1, 2]) == 1)
    #expect(try list.step().description == "[1,0]>[1,2]")
    #expect(try list.provider.lines() == ["\"b\": 6 5 4", "\"a\": 3 2 1"])
  }

  @Test func rowsBeyondTheWindowOfALimitStayThere() throws {
    let ordered = try OrderedList(sections: [8], sectioned: false)
    let list = try LiveList(
      ordered.list.database,
      FetchRequest(table: "item").sorted(by: OrderedList.byPosition).limited(to: 4, offset: 2))
    let limited = OrderedList(list)
    #expect(try limited.move(from: [0, 0], to: [0, 3]) == 1)
    #expect(try list.step().description == "[0,0]>[0,3]")
    #expect(try limited.move(from: [0, 3], to: [0, 0]) == 1)
    #expect(try list.step().description == "[0,3]>[0,0]")
  }

  @Test func rowsThatAConditionLeavesOutHaveAnOrderOfTheirOwn() throws {
    let ordered = try OrderedList(sections: [3, 3])
    let list = try LiveList(
      ordered.list.database,
      FetchRequest(table: "item").filter("section = \("b") AND id <> :hidden")
        .with(parameters: ["hidden": 5]).sorted(by: OrderedList.byPosition))
    #expect(try OrderedList(list).move(from: [0, 1], to: [0, 0]) == 1)
    #expect(try list.step().description == "[0,1]>[0,0]")
    #expect(try ordered.positions("section = 'b'") == ["mz", "n0", "n1"])
  }

  @Test func severalMovesAndInsertsShareATransaction() throws {
    let ordered = try OrderedList(sections: [3], sectioned: false)
    let by = OrderedList.byPosition
    try ordered.list.database.write { connection in
      try ordered.provider.move(from: [0, 2], to: [0, 0], by: by, in: connection)
      for _ in 0..<2 {
        let position = try ordered.provider.position(
          forInsertionAt: [0, 1], by: by, in: connection)
        try connection.execute(
          "INSERT INTO item(position) VALUES (?)", [position.columnValue])
      }
    }
    try ordered.list.step()
    #expect(try ordered.provider.lines() == ["all: 3 1 5 4 2"])
  }

  @Test func aNewRowIsInsertedAtItsPosition() throws {
    let ordered = try OrderedList(sections: [2, 2])
    let provider = ordered.provider
    for (place, section) in [([0, 0], "a"), ([0, 3], "a"), ([1, 1], "b"), ([2, 0], "c")] {
      let path = IndexPath(row: place[1], section: place[0])
      try provider.database.write { connection in
        let position = try provider.position(
          forInsertionAt: path, by: OrderedList.byPosition, in: connection)
        try connection.execute(
          "INSERT INTO item(section, position) VALUES (?, ?)",
          [.text(section), position.columnValue])
      }
      #expect(try ordered.list.step().insertedRows == [path])
    }
    let empty = try OrderedList(sections: [], sectioned: false)
    let position = try empty.list.database.write { connection in
      try empty.provider.position(
        forInsertionAt: [0, 0], by: OrderedList.byPosition, in: connection)
    }
    #expect(position == .first)
  }

  @Test func whatThrowsLeavesNothing() throws {
    struct Stop: Error {}
    let ordered = try OrderedList(sections: [3], sectioned: false)
    #expect(throws: Stop.self) {
      try ordered.list.database.write { connection in
        try ordered.provider.move(
          from: [0, 0], to: [0, 2], by: OrderedList.byPosition, in: connection)
        throw Stop()
      }
    }
    #expect(try ordered.list.step().isEmpty)
    #expect(try ordered.positions() == ["n0", "n1", "n2"])
  }

  @Test @MainActor func anObserverIsNotifiedOfAMoveOnce() async throws {
    let ordered = try OrderedList(sections: [4], sectioned: false)
    let provider = ordered.provider
    let (batches, continuation) = AsyncStream.makeStream(of: Void.self)
    var iterator = batches.makeAsyncIterator()
    ordered.list.recorder.onDid = { _ in continuation.yield() }
    provider.startObserving()
    for move in [([0, 3], [0, 0]), ([0, 1], [0, 2])] {
      try ordered.move(from: move.0, to: move.1)
      await iterator.next(isolation: MainActor.shared)
    }
    try ordered.list.database.run("DELETE FROM item WHERE id = 1")
    await iterator.next(isolation: MainActor.shared)
    provider.stopObserving()
    let told = ordered.list.recorder.batches.map(\.description)
    #expect(told.count == 3)
    #expect(told.first == "[0,3]>[0,0]")
    #expect(ordered.list.recorder.calls.filter { $0.hasPrefix("move") }.count == 2)
    #expect(try provider.lines() == ["all: 4 2 3"])
  }
}
