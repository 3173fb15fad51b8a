import FetchedResults
import Foundation
import RowQueries
import SQLiteStorage

/// What has happened to one row, or to the schema, or why that is not known.
struct ChangeEntry: Sendable {
  /// The members of the JSON object after its number, each after a comma.
  fileprivate let members: [UInt8]

  fileprivate init(_ write: (OutputBuffer) throws -> Void) rethrows {
    let buffer = OutputBuffer()
    buffer.member("time", Int((Date().timeIntervalSince1970 * 1_000).rounded()))
    try write(buffer)
    members = buffer.bytes
  }

  func json(number: Int) -> [UInt8] {
    Array("{\"number\":\(number)".utf8) + members + [UInt8(ascii: "}")]
  }
}

/// Reads changed rows as they are shown.
///
/// A queue of its own, since SQLite waits for the disk.
actor ChangeReader {
  private nonisolated let executor = QueueExecutor("sections.changes")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The number of rows that are read of one batch.
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  /// Opens the file.
  func database(_ opener: DatabaseOpener) throws -> Database { try opener() }

  private struct HasEnough: Error {}

  /// The entries of a batch. The rows above the limit are counted.
  func entries(of changes: DatabaseChanges) throws -> [ChangeEntry] {
    var entries: [ChangeEntry] = []
    if let gap = changes.gap, !gap.isBridged {
      entries.append(ChangeEntry { $0.member("gap", gap.reason) })
    }
    for change in changes.schemaChanges {
      entries.append(
        ChangeEntry { buffer in
          buffer.member("schema", change.kind.rawValue)
          buffer.member("object", change.object.rawValue)
          buffer.member("name", change.name)
        })
    }
    var count = 0
    do {
      try changes.forEachRow { change in
        guard count < limit else { throw HasEnough() }
        count += 1
        entries.append(try ChangeEntry { try append(change, to: $0) })
      }
    } catch is HasEnough {
      entries.append(
        ChangeEntry { buffer in
          buffer.member("more", changes.count - count)
          buffer.member("tables", changes.tableNames)
        })
    }
    return entries
  }

  private func append(_ change: TableRowChange, to buffer: OutputBuffer) throws {
    buffer.member("table", change.table)
    buffer.member("op", change.kind.rawValue)
    if !change.key.values.isEmpty {
      let key = IdentityText.text(RowIdentity(change.key.values))
      if key.utf8.count <= Self.longestKey { buffer.member("key", key) }
    }
    let names = change.changedColumns.prefix(Self.columnsOfEntry)
    buffer.member("columns", Array(names))
    if change.old != nil {
      buffer.member("old")
      try buffer.append(array: names) { try buffer.append(shown: change.oldValue(of: $0)) }
    }
    if change.new != nil {
      buffer.member("new")
      try buffer.append(array: names) { try buffer.append(shown: change.newValue(of: $0)) }
    }
  }

  /// The number of bytes of a key with which a row can be asked for.
  private static let longestKey = 1_000

  /// The number of columns that are shown of a row.
  private static let columnsOfEntry = 12
}
