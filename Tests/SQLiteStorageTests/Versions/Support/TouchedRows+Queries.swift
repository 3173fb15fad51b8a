@testable import SQLiteStorage

extension TouchedRows {
  var isEmpty: Bool { tables.isEmpty }

  /// The number of keys in all tables together; nil if any row of some table may be touched.
  var count: Int? {
    tables.values.reduce(0) { count, rows in
      count.flatMap { count in rows.count.map { count + $0 } }
    }
  }

  func union(_ other: TouchedRows) -> TouchedRows {
    var result = self
    result.formUnion(other)
    return result
  }
}

extension Snapshot {
  /// The rows that may differ between this version and a newer one.
  func changes(to newer: Snapshot) -> Touched { detectedChanges(to: newer).touched }
}
