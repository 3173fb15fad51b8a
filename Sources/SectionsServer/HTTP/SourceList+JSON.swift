import RowQueries
import SQLiteStorage

/// The tables and views as JSON.
extension SourceList {
  /// The answer of `/api/sources`.
  nonisolated func json(_ sources: [(entry: SourceCatalog.Entry, count: Int?)]) -> [UInt8] {
    let buffer = OutputBuffer()
    buffer.object {
      buffer.member("database", options.databaseName)
      buffer.member("tool", options.toolVersion)
      buffer.member("protocol", ServerOptions.protocolVersion)
      buffer.member("sql", options.allowsSQL)
      if options.indexPath != nil { buffer.member("index", "../") }
      buffer.member("sources")
      buffer.append(array: sources) { entry, count in
        buffer.object { append(entry, count, to: buffer) }
      }
    }
    return buffer.bytes
  }

  private nonisolated func append(
    _ entry: SourceCatalog.Entry, _ count: Int?, to buffer: OutputBuffer
  ) {
    buffer.member("name", entry.name)
    buffer.member("kind", entry.kind)
    if let by = entry.given?.rows.by { buffer.member("by", by) }
    if let sort = entry.given?.rows.sort, !sort.isEmpty { buffer.member("sort", sort) }
    buffer.member("columns")
    buffer.append(array: entry.columns) { column in
      buffer.object {
        buffer.member("name", column.name)
        buffer.member("type", column.type)
        buffer.member("key", column.isKey)
        if let reference = column.reference {
          buffer.member("references")
          buffer.object {
            buffer.member("source", reference.source)
            buffer.member("column", reference.column)
          }
        }
      }
    }
    if !entry.keys.isEmpty {
      buffer.member("keys")
      buffer.append(array: entry.keys) { key in
        buffer.object {
          buffer.member("columns", key.columns)
          buffer.member("source", key.source)
          buffer.member("referred", key.referred)
        }
      }
    }
    if let label = entry.label { buffer.member("label", label) }
    if entry.isIndexed { buffer.member("indexed", true) }
    if let shown = entry.shown { buffer.member("shown", shown) }
    if let count { buffer.member("count", count) } else { buffer.member("count", nil) }
  }
}
