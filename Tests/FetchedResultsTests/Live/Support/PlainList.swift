import SQLiteStorage
import TableData
import Testing

@testable import FetchedResults

/// What a list must show, by one plain SELECT with window functions.
struct PlainList {
  /// The SELECT of the rows, with all conditions.
  let select: String
  /// SQL of the section key, and how it is sorted; nil for a list that is not divided.
  let section: (value: String, order: String)?
  /// How the sections are sorted, if not by their key.
  var sectionOrder: String?
  /// The terms of the order.
  let order: [String]
  let window: RowWindow
  /// SQL of the totals.
  let totals: [String]
  /// Whether each value is one value, and not any of several equal ones.
  let isExact: Bool

  private struct PlainRow {
    /// Rows with the same rank are equal in the order, rows with the same section rank are in one section.
    let rank: Value
    let sectionRank: Value
    let section: Value
    let values: [Value]
  }

  private var base: String {
    let order = self.order.isEmpty ? ["1"] : self.order
    let terms = (sectionOrder.map { [$0] } ?? []) + (section.map { [$0.order] } ?? []) + order
    return """
      WITH base AS (\(select)), ranked AS (
        SELECT dense_rank() OVER (ORDER BY \(terms.joined(separator: ", "))) AS "a rank",
          \(section.map { "dense_rank() OVER (ORDER BY \($0.order))" } ?? "0") AS "a section",
          \(section?.value ?? "0") AS "a key", base.* FROM base)
      """
  }

  /// Throws unless a provider shows what the plain SELECT gives.
  func check(_ provider: FetchedResultsProvider<Row>, in database: Database) throws {
    let rows = try database.read { connection in
      try connection.rows(SQL(verbatim: "\(base) SELECT * FROM ranked ORDER BY 1")).map {
        PlainRow(
          rank: $0.values[0], sectionRank: $0.values[1], section: $0.values[2],
          values: Array($0.values.dropFirst(3)))
      }
    }
    let shown = try #require(provider.fetchedObjects).map(\.values)
    let places = window.range(of: rows.count)
    try require(shown.count == places.count, "\(shown) in place of \(rows.map(\.values))")
    try checkRows(shown, rows, offset: places.lowerBound)
    try checkSections(provider, places, rows)
    if window == .all, !totals.isEmpty { try checkTotals(provider, database) }
  }

  /// Rows that are equal in the order are compared as a set: a limit may cut through them.
  private func checkRows(_ shown: [[Value]], _ rows: [PlainRow], offset: Int) throws {
    var start = 0
    while start < rows.count {
      var end = start
      while end < rows.count, rows[end].rank == rows[start].rank { end += 1 }
      let places = max(start - offset, 0)..<max(min(end - offset, shown.count), 0, start - offset)
      var expected = rows[start..<end].map { seen($0.values) }
      for place in places where place < shown.count {
        let position = expected.firstIndex(of: seen(shown[place]))
        try require(
          position != nil,
          "row \(place) is \(shown[place]), and is to be one of \(expected), of \(rows.map(\.values))"
        )
        if let position { expected.remove(at: position) }
      }
      start = end
    }
  }

  private func checkSections(
    _ provider: FetchedResultsProvider<Row>, _ places: Range<Int>, _ all: [PlainRow]
  ) throws {
    guard section != nil else { return }
    let rows = Array(all[places])
    var sizes: [Int] = []
    var ranks: [Value] = []
    for row in rows {
      if ranks.last == row.sectionRank {
        sizes[sizes.count - 1] += 1
      } else {
        ranks.append(row.sectionRank)
        sizes.append(1)
      }
    }
    try require(
      provider.sections.map(\.numberOfRows) == sizes, "sections of \(rows.map(\.values))")
    var first = 0
    for (section, size) in sizes.enumerated() {
      // Of the first rows, where several are equal in the order. With an offset, those of the first section may
      // not be shown.
      let start =
        section > 0
        ? rows[first] : beginning(of: ranks[0], all.prefix(places.lowerBound + 1))
      let spellings = all.filter { $0.rank == start?.rank }.map { $0.section }
      let key = try #require(try provider.sectionKey(at: section))
      try require(
        spellings.contains(key)
          || !isExact && spellings.contains { $0.folded == key.folded },
        "section \(section) has the key \(key), and is to have one of \(spellings)")
      first += size
    }
  }

  /// The first row of the section that the first shown row is in.
  private func beginning(of sectionRank: Value, _ all: ArraySlice<PlainRow>) -> PlainRow? {
    all.reversed().prefix { $0.sectionRank == sectionRank }.last
  }

  private func checkTotals(_ provider: FetchedResultsProvider<Row>, _ database: Database) throws {
    let list = totals.joined(separator: ", ")
    let rows = try database.read { connection in
      try [
        connection.rows(SQL(verbatim: "\(base) SELECT \(list) FROM ranked")),
        connection.rows(
          SQL(
            verbatim:
              "\(base) SELECT \(list) FROM ranked GROUP BY \"a section\" ORDER BY \"a section\"")),
      ].map { $0.map(\.values) }
    }
    let shown = try provider.allTotals()
    try require(
      shown.whole.map(\.folded) == rows[0][0].map(\.folded),
      "the totals are \(shown.whole), and are to be \(rows[0][0])")
    guard section != nil else { return }
    try require(
      shown.sections.map { $0.map(\.folded) } == rows[1].map { $0.map(\.folded) },
      "the totals are \(shown.sections), and are to be \(rows[1])")
  }

  /// What is wrong with a list.
  struct Difference: Error, CustomStringConvertible {
    let description: String
  }

  private func require(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    guard condition else { throw Difference(description: description()) }
  }

  private func seen(_ values: [Value]) -> [Value] { isExact ? values : values.map(\.folded) }
}

extension Value {
  /// One of the values that are equal to it, as numbers or under any collation.
  var folded: Value {
    switch self {
    case .real(let value): Int64(exactly: value).map { .integer($0) } ?? self
    case .text(let text):
      .text(String(text.lowercased().reversed().drop { $0 == " " }.reversed()))
    case .null, .integer, .blob: self
    }
  }
}
