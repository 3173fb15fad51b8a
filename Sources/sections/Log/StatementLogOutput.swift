import FetchedResults
import RowQueries
import SQLiteStorage

/// Writes batches as SQL: a transaction that makes a copy of the old version the new one.
actor StatementLogOutput: LogOutput {
  private let output = OutputBuffer.standardOutput()
  /// The folded names of the tables; nil for all.
  private let tables: Set<ExactText>?
  private let except: Set<ExactText>

  /// - Parameters:
  ///   - tables: the tables that are logged; nil for all.
  ///   - except: those that are left out.
  init(tables: [String]?, except: [String]) {
    self.tables = tables.map { Set($0.map(\.sqliteFolded)) }
    self.except = Set(except.map(\.sqliteFolded))
  }

  func begin(tables: [String], omitted: [String], time: String) async throws {
    try output.flush()
  }

  func write(_ batch: LogBatch) async throws -> Bool {
    if let gap = batch.gap, !gap.isBridged {
      throw ToolError("there is a gap, which SQL cannot say: \(gap.reason)", .badData)
    }
    guard let changes = batch.changes else { return false }
    var statements = try BatchStatements(changes) { name in
      let name = name.sqliteFolded
      return tables?.contains(name) != false && !except.contains(name)
    }
    output.append(bytes: try statements.bytes())
    try output.flush()
    return true
  }
}

/// Writes batches as changesets, each after its length: 8 bytes, the highest first.
actor ChangesetLogOutput: LogOutput {
  private let output = OutputBuffer.standardOutput()

  func begin(tables: [String], omitted: [String], time: String) async throws {
    try output.flush()
  }

  func write(_ batch: LogBatch) async throws -> Bool {
    if let gap = batch.gap, !gap.isBridged {
      throw ToolError("there is a gap, which a changeset cannot say: \(gap.reason)", .badData)
    }
    if let change = batch.schemaChanges.first {
      throw ToolError(
        """
        \(change.object.rawValue) \(change.name) was \(change.kind.rawValue), which a changeset \
        cannot say. Use --format ndjson
        """, .badData)
    }
    guard let changeset = try batch.changes?.changeset() else { return false }
    for shift in stride(from: 56, through: 0, by: -8) {
      output.append(UInt8(truncatingIfNeeded: changeset.count >> shift))
    }
    output.append(bytes: changeset)
    try output.flush()
    return true
  }
}
