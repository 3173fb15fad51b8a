/// The B-trees of the main file, and the tables whose rows they contain.
struct SchemaTrees {
  struct Tree {
    /// The table whose rows are in the tree; nil if they are not reported: for the tree of an
    /// index, or of one of SQLite's internal tables.
    let table: TouchedRows.Table?
    /// The virtual table whose content is stored in that table.
    let owner: TouchedRows.Table?
    /// Whether the tree is ordered by rowid.
    let isTable: Bool
    /// The key columns that identify a row, if the tree is not ordered by rowid.
    let key: [KeyColumn]
  }

  let trees: [Tree]
  /// The root page of each tree, with the position of the tree in `trees`.
  let roots: [UInt32: Int]
  /// Whether the trees of indexes are included. They are needed only to distinguish their pages
  /// from those of `WITHOUT ROWID` tables.
  let holdsIndexes: Bool

  /// The position of the tree of the schema table.
  static var schemaTree: Int { 0 }

  /// Checks that each tree has one root, and the columns of its key.
  func checkInvariants() throws {
    try BrokenInvariant.check(
      roots.values.sorted() == Array(trees.indices), "\(roots) for \(trees.count) trees")
    try BrokenInvariant.check(
      roots[1] == SchemaTrees.schemaTree, "the first page is the root of another tree")
    for tree in trees where tree.table != nil {
      try BrokenInvariant.check(tree.isTable == tree.key.isEmpty, "the key of \(tree)")
    }
  }
}

extension Connection {
  /// Reads the trees of `main`. The connection must be in a transaction.
  func schemaTrees() throws -> SchemaTrees {
    let listed = try listedTables(in: "main")
    // By the bytes of the names: two names that are equal as Unicode are two tables.
    let known = Dictionary(listed.map { (Value.text($0.name), $0) }) { first, _ in first }
    let holdsIndexes = listed.contains { $0.isWithoutRowID }
    // The schema table does not list its own tree.
    var trees = [SchemaTrees.Tree(table: nil, owner: nil, isTable: true, key: [])]
    var roots: [UInt32: Int] = [1: SchemaTrees.schemaTree]
    try query("SELECT type, name, rootpage FROM main.sqlite_schema WHERE rootpage > 0") { row in
      let isIndex = row.string(at: 0) == "index"
      guard let root = UInt32(exactly: row.int64(at: 2)), holdsIndexes || !isIndex else { return }
      let table = isIndex ? nil : known[.text(row.string(at: 1))]
      let name = table.map { TouchedRows.Table($0.name, in: "main") }
      // In a schema that was edited directly, two tables may share one tree.
      guard roots.updateValue(trees.count, forKey: root) == nil else {
        throw PageDiffError.malformed
      }
      trees.append(
        SchemaTrees.Tree(
          table: name.flatMap { $0.isInternal ? nil : $0 },
          owner: table?.owner(in: listed).map { TouchedRows.Table($0, in: "main") },
          isTable: !isIndex && table?.isWithoutRowID != true,
          key: try table.map { try storedKey(of: $0) } ?? []))
    }
    return SchemaTrees(trees: trees, roots: roots, holdsIndexes: holdsIndexes)
  }

  /// The positions of the key columns in the records of a `WITHOUT ROWID` table, in the order of
  /// the key.
  ///
  /// Source: [PRAGMA index_info](https://www.sqlite.org/pragma.html#pragma_index_info), which also
  /// accepts the name of such a table.
  private func storedKey(of table: ListedTable) throws -> [KeyColumn] {
    guard table.isWithoutRowID else { return [] }
    var key: [KeyColumn] = []
    var lastRank: Int64 = 0
    try query(
      """
      SELECT pk, seqno, type FROM pragma_table_xinfo(?1, 'main') AS columns
      JOIN pragma_index_xinfo(?1, 'main') AS stored ON stored.cid = columns.cid
      WHERE pk > 0 ORDER BY pk, seqno
      """, [.text(table.name)]
    ) { row in
      // A column that is twice in the key, with two collations, is stored twice.
      guard row.int64(at: 0) != lastRank else { return }
      lastRank = row.int64(at: 0)
      key.append(KeyColumn(position: Int(row.int64(at: 1)), declaredType: row.string(at: 2)))
    }
    return key
  }
}
