import FetchedResults
import FetchedResultsExplaining
import RowQueries
import SQLiteStorage

/// Answers what is asked about a list, also if its rows cannot be read in the time that a query may take: the file is
/// opened for each answer.
///
/// A queue of its own, since SQLite waits for the disk.
actor ListInspector {
  private nonisolated let executor = QueueExecutor("sections.inspector")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let parameters: ListParameters
  private let context: ServedList.Context

  init(_ parameters: ListParameters, _ context: ServedList.Context) {
    self.parameters = parameters
    self.context = context
  }

  /// How the list is kept up to date, and the columns that its source has, as JSON.
  func explanation() throws -> [UInt8] {
    try read { database in
      let (query, columns) = try database.read { [context, parameters] connection in
        (
          try context.catalog.query(parameters, in: connection),
          try context.catalog.columns(parameters, in: connection)
        )
      }
      let explanation = try query.reading {
        try query.request.explained(in: database, sectionedBy: query.sectionKey)
      }
      let buffer = OutputBuffer()
      buffer.append(explanation) { buffer.member("columns", columns) }
      return buffer.bytes
    }
  }

  /// Reads the newest version.
  func reading<Result>(_ body: (SourceCatalog, Connection) throws -> Result) throws -> Result {
    try read { database in try database.read { [context] in try body(context.catalog, $0) } }
  }

  private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
    let database = try context.opener(for: parameters)
    let limit = TimeLimit(context.limits.queryTime, database)
    defer { limit.end() }
    return try body(database)
  }
}
