import RowQueries
import SQLiteStorage

/// The events of a window as server-sent events, without the line of its client.
enum WindowEvent {
  /// A comment, which keeps the connection.
  static let comment = Array(":\n\n".utf8)

  /// All lines of a window.
  static func all(_ content: WindowContent, version: String) -> [UInt8] {
    event("window") { content.append(to: $0, version: version) }
  }

  /// The patch that makes a window from an older one, or from one of another part of the list.
  ///
  /// - Parameter since: the version of the older one.
  static func changes(
    from old: WindowContent, since: Int, to content: WindowContent, version: String
  ) -> [UInt8] {
    event("changes") { buffer in
      buffer.member("version", version)
      content.appendCounts(to: buffer)
      if content.columns.exact != old.columns.exact { buffer.member("columns", content.columns) }
      buffer.member("patch")
      content.append(patchFrom: old, since: since, to: buffer)
      content.append(changedSince: since, to: buffer)
    }
  }

  /// An error that prevents a newer version.
  static func error(_ message: String) -> [UInt8] {
    event("error") { $0.member("message", message) }
  }

  /// What has changed in all tables.
  static func log(_ members: (OutputBuffer) -> Void) -> [UInt8] { event("log", members) }

  /// That the file has changed.
  ///
  /// - Parameter sources: the answer of `/api/sources`; nil if the client has it.
  static func file(version: String, schema: Int, sources: [UInt8]?) -> [UInt8] {
    event("file") { buffer in
      buffer.member("version", version)
      buffer.member("schema", schema)
      if let sources {
        buffer.member("sources")
        buffer.append(bytes: sources)
      }
    }
  }

  /// The line before an event that names the window of a client, and the last move that the event includes.
  static func id(_ window: String, move: Int) -> [UInt8] { Array("id: \(window) \(move)\n".utf8) }

  private static func event(_ name: String, _ members: (OutputBuffer) -> Void) -> [UInt8] {
    let buffer = OutputBuffer()
    buffer.append("event: ")
    buffer.append(text: name)
    buffer.append("\ndata: ")
    buffer.object {
      buffer.member("event", name)
      members(buffer)
    }
    buffer.append("\n\n")
    return buffer.bytes
  }
}
