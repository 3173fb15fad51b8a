/// The SQL of a statement that is run often, with its hash: a connection looks up the statement by it each time.
///
/// It is compared by its bytes, since two equal `String`s may be different SQL.
package struct StatementText: Hashable, Sendable {
  package let sql: String
  private let hash: Int

  package init(_ sql: String) {
    self.sql = sql
    hash = sql.exact.hashValue
  }

  package static func == (lhs: StatementText, rhs: StatementText) -> Bool {
    lhs.hash == rhs.hash && lhs.sql.hasBytes(of: rhs.sql)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
