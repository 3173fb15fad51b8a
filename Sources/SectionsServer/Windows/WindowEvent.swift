import RowQueries
import SQLiteStorage

/// The events of a window as server-sent events.
enum WindowEvent {
  /// A comment, which keeps the connection.
  static let comment = Array(":\n\n".utf8)

  /// All lines of a window: `snapshot` or `reset`.
  static func all(_ name: String, _ content: WindowContent, version: String) -> [UInt8] {
    event(name, id: version) { buffer in
      content.append(to: buffer, version: version)
    }
  }

  /// The patch that makes a window from the one of an older version.
  static func changes(
    from old: WindowContent, since: String, to content: WindowContent, version: String,
    marks: [String: RowMark]
  ) -> [UInt8] {
    event("changes", id: version) { buffer in
      buffer.member("version", version)
      buffer.member("since", since)
      content.appendCounts(to: buffer)
      if content.columns.exact != old.columns.exact { buffer.member("columns", content.columns) }
      buffer.member("patch")
      content.append(patchFrom: old, marks: marks, to: buffer)
      content.append(marks, to: buffer)
    }
  }

  /// An error that prevents a newer version.
  static func error(_ message: String) -> [UInt8] {
    event("error", id: nil) { $0.member("message", message) }
  }

  private static func event(
    _ name: String, id: String?, _ members: (OutputBuffer) -> Void
  ) -> [UInt8] {
    let buffer = OutputBuffer()
    if let id {
      buffer.append("id: ")
      buffer.append(text: id)
      buffer.append("\n")
    }
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
