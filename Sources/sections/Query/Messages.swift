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
  /// The names as a message lists them: not all two thousand columns, nor all of a name without end.
  var listed: String {
    let shown = prefix(24).map { name in
      let start = name.prefix(60)
      return start.endIndex == name.endIndex ? name.quotedIfBlank : start + "…"
    }.joined(separator: ", ")
    return count > 24 ? "\(shown), … (\(count) in all)" : shown
  }
}
