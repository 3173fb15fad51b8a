internal import SQLiteStorage

/// The SELECT of a record, with a name for each of its values: it becomes part of several statements, in which a `?` would
/// have other numbers.
///
/// Sendable: a plain value.
struct NamedSelect: Sendable {
  let parameters: [ExactText: Value]
  private let text: Result<String, any Error>

  init(_ select: SQL) {
    let named = Result { () throws -> (sql: String, values: [ExactText: Value]) in
      let values = try select.values(or: [])
      let named = SQL(verbatim: select.text, values).named("select")
      guard named.values.count == values.count else {
        throw DatabaseError(
          .invalidArguments,
          "\(values.count - named.values.count) values have no ? to stand for", sql: select.text,
          nextStep: "Write a ? for each value")
      }
      return named
    }
    text = named.map(\.sql)
    parameters = (try? named.get().values) ?? [:]
  }

  /// Whether another SELECT has the same text, with other values.
  func hasText(of other: NamedSelect) -> Bool {
    guard case .success(let text) = text, case .success(let other) = other.text else {
      return false
    }
    return text.exact == other.exact
  }

  /// The text.
  ///
  /// - Throws: the error of an interpolated name, or `DatabaseError` if there are more values than `?`.
  func sql() throws -> String { try text.get() }
}
