internal import CSQLite
/// An SQL function written in Swift.
///
/// Statements may call it. Views, triggers, indexes and generated columns may not, since they are
/// part of the file, which may be from an unknown source.
///
/// ```swift
/// let initial = ScalarFunction("initial", argumentCount: 1) { values in
///   guard case .text(let text) = values[0] else { return .null }
///   return .text(String(text.prefix(1)).uppercased())
/// }
/// var configuration = Database.Configuration()
/// configuration.functions = [initial]
/// ```
///
/// Sendable: every connection of a database calls the same closure, from any thread.
public struct ScalarFunction: Sendable {
  /// The name of the function in SQL.
  public let name: String
  /// The number of arguments; nil for any number.
  public let argumentCount: Int?
  /// Whether equal arguments always return equal results. A fetch request may use only such
  /// functions.
  public let isDeterministic: Bool
  let body: @Sendable ([Value]) throws -> Value

  /// Makes a function.
  ///
  /// - Parameter body: the function. If it throws an error, the statement fails with the
  ///   description of the error.
  public init(
    _ name: String, argumentCount: Int?, isDeterministic: Bool = true,
    _ body: @escaping @Sendable ([Value]) throws -> Value
  ) {
    self.name = name
    self.argumentCount = argumentCount
    self.isDeterministic = isDeterministic
    self.body = body
  }
}

/// The context of a C callback: a retained object with a closure.
final class Context<Content> {
  let content: Content

  init(_ content: Content) { self.content = content }

  /// A retained pointer, to be passed to SQLite together with `release`.
  func retained() -> UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

  static func at(_ pointer: UnsafeMutableRawPointer) -> Content {
    Unmanaged<Context<Content>>.fromOpaque(pointer).takeUnretainedValue().content
  }

  static func release(_ pointer: UnsafeMutableRawPointer) {
    Unmanaged<Context<Content>>.fromOpaque(pointer).release()
  }
}

extension Connection {
  /// Makes `function` callable from SQL on this connection.
  public func register(_ function: ScalarFunction) throws {
    var flags = SQLITE_UTF8 | SQLITE_DIRECTONLY
    if function.isDeterministic { flags |= SQLITE_DETERMINISTIC }
    // If this call fails, SQLite calls the destructor, so the context is released in any case.
    try check(
      sqlite3_create_function_v2(
        handle, function.name, Int32(clamping: function.argumentCount ?? -1), flags,
        Context(function).retained(),
        { context, count, arguments in
          guard let user = sqlite3_user_data(context) else { return }
          let function = Context<ScalarFunction>.at(user)
          let values = (0..<Int(count)).map { Value(argument: arguments?[$0]) }
          do {
            try function.body(values).set(asResultOf: context)
          } catch {
            sqlite3_result_error(context, "\(function.name): \(error)", -1)
          }
        }, nil, nil,
        { pointer in
          if let pointer { Context<ScalarFunction>.release(pointer) }
        }))
  }
}

extension Value {
  /// Copies a value of SQLite.
  init(argument: OpaquePointer?) {
    switch sqlite3_value_type(argument) {
    case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(argument))
    case SQLITE_FLOAT: self = .real(sqlite3_value_double(argument))
    case SQLITE_TEXT:
      let start = sqlite3_value_text(argument)
      let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(argument)))
      self = .text(String(decoding: bytes, as: UTF8.self))
    case SQLITE_BLOB:
      let start = sqlite3_value_blob(argument)
      let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(argument)))
      self = .blob(Array(bytes))
    default: self = .null
    }
  }

  fileprivate func set(asResultOf context: OpaquePointer?) {
    switch self {
    case .null: sqlite3_result_null(context)
    case .integer(let value): sqlite3_result_int64(context, value)
    case .real(let value): sqlite3_result_double(context, value)
    case .text(let text):
      sqlite3_result_text64(
        context, text, UInt64(text.utf8.count), csqlite_transient(), UInt8(SQLITE_UTF8))
    case .blob(let bytes):
      sqlite3_result_blob64(context, bytes, UInt64(bytes.count), csqlite_transient())
    }
  }
}

/// A collation written in Swift.
///
/// ```swift
/// let numeric = CustomCollation("numeric") { lhs, rhs in
///   let (left, right) = (Int(lhs) ?? 0, Int(rhs) ?? 0)
///   return left < right ? -1 : left > right ? 1 : 0
/// }
/// ```
///
/// Sendable: every connection of a database calls the same closure, from any thread.
public struct CustomCollation: Sendable {
  /// The name to use after `COLLATE`.
  public let name: String
  /// Returns a negative number if the first text sorts before the second, 0 if they are equal, and
  /// a positive number if it sorts after. It must be a total order, or SQLite's indexes are wrong.
  public let compare: @Sendable (String, String) -> Int

  /// Makes a collation.
  public init(_ name: String, _ compare: @escaping @Sendable (String, String) -> Int) {
    self.name = name
    self.compare = compare
  }
}

extension Connection {
  /// Makes `collation` usable on this connection.
  public func register(_ collation: CustomCollation) throws {
    let context = Context(collation).retained()
    let status = sqlite3_create_collation_v2(
      handle, collation.name, SQLITE_UTF8, context,
      { pointer, lhsCount, lhs, rhsCount, rhs in
        guard let pointer else { return 0 }
        let lhs = String(
          decoding: UnsafeRawBufferPointer(start: lhs, count: Int(lhsCount)), as: UTF8.self)
        let rhs = String(
          decoding: UnsafeRawBufferPointer(start: rhs, count: Int(rhsCount)), as: UTF8.self)
        return Int32(Context<CustomCollation>.at(pointer).compare(lhs, rhs).signum())
      },
      { pointer in
        if let pointer { Context<CustomCollation>.release(pointer) }
      })
    // Unlike for functions, SQLite does not call the destructor if this call fails.
    if status != SQLITE_OK { Context<CustomCollation>.release(context) }
    try check(status)
    collations[collation.name.sqliteFolded] = collation
  }
}
