import FetchedResults
import SQLiteStorage

extension FetchError {
  /// There is no table of that name, but others.
  static func noSuchTable(_ name: String, in tables: [TableDescription]) -> FetchError {
    FetchError(
      .noSuchTable, "there is no table or view \(name.quotedIfBlank)",
      nextStep: tables.isEmpty
        ? "The database has no tables" : "There are: \(tables.map(\.name).listed)")
  }
}

extension [String] {
  /// The names as a message lists them: not all two thousand columns.
  var listed: String {
    let shown = prefix(24).map(\.quotedIfBlank).joined(separator: ", ")
    return count > 24 ? "\(shown), … (\(count) in all)" : shown
  }
}
