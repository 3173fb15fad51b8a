/// An index of a table: one that was created, or that of a constraint.
package struct TableIndex: Sendable {
  /// A column by which an index sorts.
  package struct Column: Sendable {
    /// Nil for an expression.
    package let name: String?
    package let collation: String
    package let isDescending: Bool
  }

  package let name: String
  /// Whether it is that of the primary key.
  package let isOfPrimaryKey: Bool
  package let isUnique: Bool
  /// Whether it has only the rows that meet a condition.
  package let isPartial: Bool
  /// In order, without the columns that only lead to the row.
  package fileprivate(set) var columns: [Column] = []
}

extension Connection {
  /// The indexes of a table, the one that was created last first.
  ///
  /// Source: [PRAGMA index_xinfo](https://www.sqlite.org/pragma.html#pragma_index_xinfo).
  package func indexes(of table: TableDescription) throws -> [TableIndex] {
    var indexes: [TableIndex] = []
    try query(
      """
      SELECT info.seqno, list.name, list.origin = 'pk', list."unique", list.partial,
        info.name, info.coll, info."desc"
      FROM pragma_index_list(?1, ?2) AS list, pragma_index_xinfo(list.name, ?2) AS info
      WHERE info.key ORDER BY list.seq, info.seqno
      """, [.text(table.name), .text(table.schema)]
    ) { row in
      if row.int64(at: 0) == 0 {
        indexes.append(
          TableIndex(
            name: row.string(at: 1), isOfPrimaryKey: row.int64(at: 2) != 0,
            isUnique: row.int64(at: 3) != 0, isPartial: row.int64(at: 4) != 0))
      }
      indexes[indexes.count - 1].columns.append(
        TableIndex.Column(
          name: row.text(at: 5), collation: row.string(at: 6), isDescending: row.int64(at: 7) != 0))
    }
    return indexes
  }
}
