package import TableData

/// A list with random rows and random edits, and the expected result of a request on it: the rows
/// by section, rank and id.
///
/// It represents a table with a section column, a sort column and another column. The edits of a
/// transaction can be executed in another store too, in a database for example, and the results
/// compared.
///
/// ```swift
/// var generator = SeededGenerator(seed: seed)
/// var list = RandomList(rowCount: 40, using: &generator)
/// let old = list
/// for edit in list.commit(using: &generator) { try store.perform(edit) }
/// #expect(store.sections == list.sections)
/// print(old.changes(to: list))
/// ```
package struct RandomList: Hashable, Sendable {
  package struct Row: Identifiable, Hashable, Sendable {
    /// The primary key.
    package let id: Int
    package var section: String
    /// The sort key in its section; rows with the same rank are sorted by id.
    package var rank: Int
    /// Any other content.
    package var content: Int

    package init(id: Int, section: String, rank: Int, content: Int) {
      self.id = id
      self.section = section
      self.rank = rank
      self.content = content
    }
  }

  /// A change of one row.
  package enum Edit: Hashable, Sendable {
    case insert(Row)
    /// Sets all values of the row with that id, possibly to the values that it has.
    case update(Row)
    case delete(id: Int)
  }

  private var rows: [Int: Row] = [:]
  /// The ids, ascending: the order of a dictionary differs in each process.
  private var ids: [Int] = []
  private var nextID = 1
  private let sectionNames: [String]
  let rankCount: Int

  /// Makes a random list.
  ///
  /// - Parameters:
  ///   - rowCount: the number of rows.
  ///   - sectionNames: the names that sections can have; at least one.
  ///   - rankCount: the number of different ranks: the fewer, the more rows are equal. At least 1.
  package init(
    rowCount: Int, sectionNames: [String] = ["A", "B", "C", "D", "E", "F"], rankCount: Int = 30,
    using generator: inout some RandomNumberGenerator
  ) {
    precondition(!sectionNames.isEmpty && rankCount > 0, "a list needs section names and ranks")
    self.sectionNames = sectionNames
    self.rankCount = rankCount
    for _ in 0..<rowCount { apply(.insert(newRow(using: &generator))) }
  }

  package var allRows: [Row] { ids.compactMap { rows[$0] } }

  /// The rows in sections, sorted by name; in a section by rank and id.
  package var sections: [Section<Row>] {
    Dictionary(grouping: allRows, by: \.section).sorted { $0.key < $1.key }.map { name, rows in
      Section(name: name, items: rows.sorted { ($0.rank, $0.id) < ($1.rank, $1.id) })
    }
  }

  /// The fewest changes from this list to `new`, as
  /// ``/TableData/IdentityList/difference(to:isUnchanged:)`` finds them.
  package func changes(to new: RandomList) -> TableChanges {
    let oldRows = sections
    let newRows = new.sections
    return Self.identities(oldRows).difference(to: Self.identities(newRows)) { old, new in
      oldRows[old.section].items[old.row] == newRows[new.section].items[new.row]
    }
  }

  private static func identities(_ sections: [Section<Row>]) -> IdentityList<String?, Int> {
    IdentityList(sections.map { (id: $0.name, rows: $0.items.map(\.id)) })
  }

  /// Executes an edit. An update or delete of a row that does not exist does nothing. An insert of
  /// an existing row replaces it.
  package mutating func apply(_ edit: Edit) {
    switch edit {
    case .insert(let row):
      if rows.updateValue(row, forKey: row.id) == nil {
        ids.insert(row.id, at: ids.firstIndex { $0 > row.id } ?? ids.count)
      }
      nextID = max(nextID, row.id + 1)
    case .update(let row):
      if rows[row.id] != nil { rows[row.id] = row }
    case .delete(let id):
      guard rows.removeValue(forKey: id) != nil else { return }
      ids.removeAll { $0 == id }
    }
  }

  func newRow(using generator: inout some RandomNumberGenerator) -> Row {
    Row(
      id: nextID, section: randomSection(using: &generator), rank: randomRank(using: &generator),
      content: .random(in: 0..<4, using: &generator))
  }

  func randomRow(using generator: inout some RandomNumberGenerator) -> Row? {
    ids.randomElement(using: &generator).flatMap { rows[$0] }
  }

  func randomRank(using generator: inout some RandomNumberGenerator) -> Int {
    .random(in: 0..<rankCount, using: &generator)
  }

  func randomSection(using generator: inout some RandomNumberGenerator) -> String {
    sectionNames[.random(in: sectionNames.indices, using: &generator)]
  }
}
