/// The b-trees of one schema: which of them hold the rows of which tables.
struct SchemaTrees {
  struct Tree {
    /// The table of which it holds the rows; nil where nobody is told of them: those of an index,
    /// or of a table that SQLite keeps for itself.
    let table: TouchedRows.Table?
    /// The virtual table that stores its content in that table.
    let owner: TouchedRows.Table?
    /// Whether it is ordered by rowid.
    let isTable: Bool
    /// What tells its rows apart, where it is not.
    let key: [LocalRecord.KeyColumn]
  }

  let trees: [Tree]
  /// The first page of each tree, and its place in `trees`.
  let roots: [UInt32: Int]
  /// Whether the trees of indexes are among them. They are needed only to tell their pages from
  /// those of `WITHOUT ROWID` tables.
  let holdsIndexes: Bool

  /// The place of the tree of the schema itself.
  static var schemaTree: Int { 0 }
}

extension Connection {
  /// The trees of some schemas, and the versions of the schemas that they were read at. There must
  /// not be a transaction.
  ///
  /// - Returns: nil where the schema was changed just now.
  func schemaTrees(of schemas: [String]) throws -> (versions: [Int64], trees: [SchemaTrees])? {
    let schema = try captureSchema(of: schemas)
    return try transaction(.deferred) {
      guard try schemas.map({ try schemaVersion(of: $0) }) == schema.versions else { return nil }
      return (
        schema.versions,
        try schemas.map { name in
          try trees(
            of: name, tables: schema.tables.filter { $0.schema.sqliteFolded == name.sqliteFolded })
        }
      )
    }
  }

  private func trees(
    of schema: String, tables: [CapturedSchema.Table]
  ) throws -> SchemaTrees {
    let known = Dictionary(tables.map { ($0.name, $0) }) { first, _ in first }
    let holdsIndexes = tables.contains { $0.isWithoutRowID }
    // Not in the schema is the tree of the schema itself.
    var trees = [SchemaTrees.Tree(table: nil, owner: nil, isTable: true, key: [])]
    var roots: [UInt32: Int] = [1: SchemaTrees.schemaTree]
    try query(
      "SELECT type, name, rootpage FROM \(schema.quotedIdentifier).sqlite_schema WHERE rootpage > 0"
    ) { row in
      let isIndex = row.string(at: 0) == "index"
      guard let root = UInt32(exactly: row.int64(at: 2)), holdsIndexes || !isIndex else { return }
      let table = isIndex ? nil : known[row.string(at: 1)]
      let name = table.map { TouchedRows.Table($0.name, in: schema) }
      // In a schema that was edited by hand, two tables may share one tree.
      guard roots.updateValue(trees.count, forKey: root) == nil else {
        throw PageObstacle.malformed
      }
      trees.append(
        SchemaTrees.Tree(
          table: name.flatMap { $0.isInternal ? nil : $0 },
          owner: table?.owner.map { TouchedRows.Table($0, in: schema) },
          isTable: !isIndex && table?.isWithoutRowID != true,
          key: try table.map { try storedKey(of: $0) } ?? []))
    }
    return SchemaTrees(trees: trees, roots: roots, holdsIndexes: holdsIndexes)
  }

  /// Where the columns of a primary key are in the records of a `WITHOUT ROWID` table, in the order
  /// of the key.
  ///
  /// Source: [PRAGMA index_info](https://www.sqlite.org/pragma.html#pragma_index_info), which takes
  /// the name of such a table too.
  private func storedKey(of table: CapturedSchema.Table) throws -> [LocalRecord.KeyColumn] {
    guard table.isWithoutRowID else { return [] }
    var key: [LocalRecord.KeyColumn] = []
    var lastRank: Int64 = 0
    try query(
      """
      SELECT pk, seqno, type FROM pragma_table_xinfo(?1, ?2) AS columns
      JOIN pragma_index_xinfo(?1, ?2) AS stored ON stored.cid = columns.cid
      WHERE pk > 0 ORDER BY pk, seqno
      """, [.text(table.name), .text(table.schema)]
    ) { row in
      // A column that is in the key twice, with two collations, is stored twice.
      guard row.int64(at: 0) != lastRank else { return }
      lastRank = row.int64(at: 0)
      key.append(
        LocalRecord.KeyColumn(
          position: Int(row.int64(at: 1)),
          isReal: ColumnAffinity(declaredType: row.string(at: 2)) == .real))
    }
    return key
  }
}

extension CapturedSchema.Table {
  fileprivate var isWithoutRowID: Bool { if case .key = identity { true } else { false } }
}
