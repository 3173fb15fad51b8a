internal import SQLiteStorage

/// What does not follow from the touched rows alone, so that both versions must be compared.
struct InexactSearchError: Error {
  let reason: String

  /// A position would be searched by a value that depends on the order in which rows are read.
  static let order = InexactSearchError(
    reason: """
      it is sorted by a value that depends on the order in which rows are read, as a sum of REAL values does
      """)

  /// A row was found that has another key than the one that was searched.
  static let key = InexactSearchError(
    reason: "SQLite found a row by a key of another type than the row has")

  /// A row cannot be decoded, so that its section depends on other rows.
  static let section = InexactSearchError(
    reason: "a row cannot be decoded, so its section is that of the row before it")
}

extension QueryPlan {
  /// Checks that a position can be searched by a sort key.
  ///
  /// - Parameter column: the first column of the sort key in `row`.
  func checkExactness(of row: borrowing RowView, from column: Int) throws {
    if !isExact(row, from: column) { throw InexactSearchError.order }
  }

  /// Whether a position can be searched by a sort key.
  ///
  /// - Parameter column: the first column of the sort key in `row`.
  func isExact(_ row: borrowing RowView, from column: Int) -> Bool {
    for (term, isSum) in maintenance.inexactTerms {
      // A sum of integers is an integer. A text may be made of another sum.
      guard isSum, [.integer, .null].contains(row.storageClass(at: column + term)) else {
        return false
      }
    }
    return true
  }
}
