internal import Basics
internal import LiveQueries
internal import SQLiteStorage

extension Connection {
  /// Runs `body`, which prepares `sql`. If that fails because a table or view does not exist, the error is
  /// the same as for a request for the table alone.
  ///
  /// - Throws: `FetchError` with code `.noSuchTable`; else what `body` throws.
  func namingMissingTable<Result>(
    of sql: String, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as DatabaseError where error.code == .sqlite && .error ~= error.resultCode {
      let sources = (try? NamedSource.all(in: sql)) ?? []
      throw try sources.first(where: isMissing).map { try noSuchTable($0.name) } ?? error
    }
  }

  /// The error for a name that is not a table's or a view's.
  package func noSuchTable(_ name: String) throws -> FetchError {
    let names = try tables().map(\.name)
    return FetchError(
      .noSuchTable, "there is no table or view \(name.quotedIfBlank)",
      nextStep: names.isEmpty ? "The database has no tables" : "The database has: \(names.listed)")
  }

  private func isMissing(_ source: NamedSource) throws -> Bool {
    let isListed = try schemas(with: source.name).contains { schema in
      source.schema.map { $0.sqliteFolded == schema.sqliteFolded } ?? true
    }
    if isListed { return false }
    // A table-valued function is listed only after its first use.
    let name = [source.schema, source.name].compactMap { $0?.quotedIdentifier }
    return (try? prepare("SELECT 1 FROM \(name.joined(separator: "."))" as String)) == nil
  }
}
