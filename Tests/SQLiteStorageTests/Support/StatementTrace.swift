import Testing

@testable import SQLiteStorage

/// Calls a function at the end of each run of a statement, before the caller goes on: SQLite's own
/// trace, which the library does not offer.
final class StatementTrace {
  private typealias Callback =
    @convention(c) (UInt32, UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutableRawPointer?) ->
    Int32
  private typealias Trace =
    @convention(c) (OpaquePointer, UInt32, Callback?, UnsafeMutableRawPointer?) -> Int32
  private typealias Text = @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?

  private unowned let connection: Connection
  private let text: Text
  private let body: (String) -> Void

  /// - Parameter body: called with the SQL of the statement.
  init(of connection: Connection, _ body: @escaping (String) -> Void) throws {
    self.connection = connection
    self.body = body
    text = try #require(OptionalSymbol<Text>("sqlite3_sql").value)
    try set { _, context, statement, _ in
      guard let context else { return 0 }
      let trace = Unmanaged<StatementTrace>.fromOpaque(context).takeUnretainedValue()
      trace.text(statement).map { trace.body(String(cString: $0)) }
      return 0
    }
  }

  /// Must be called before it is let go of, where the connection is used any longer.
  func stop() { try? set(nil) }

  private func set(_ callback: Callback?) throws {
    let trace = try #require(OptionalSymbol<Trace>("sqlite3_trace_v2").value)
    _ = trace(connection.handle, 0x02, callback, Unmanaged.passUnretained(self).toOpaque())
  }
}
