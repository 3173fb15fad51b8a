import FetchedResults
import SQLiteStorage

extension FetchError {
  /// The error for a name that is not a table's or a view's.
  static func noSuchTable(_ name: String, in tables: [TableDescription]) -> FetchError {
    FetchError(
      .noSuchTable, "there is no table or view \(name.quotedIfBlank)",
      nextStep: tables.isEmpty
        ? "The database has no tables" : "The database has: \(tables.map(\.name).listed)")
  }
}

extension [String] {
  /// The names in a message: at most 24 of them, each cut after 60 characters.
  var listed: String {
    let shown = prefix(24).map { name in
      let start = name.prefix(60)
      return start.endIndex == name.endIndex ? name.quotedIfBlank : start + "…"
    }.joined(separator: ", ")
    return count > 24 ? "\(shown), … (\(count) in all)" : shown
  }
}
