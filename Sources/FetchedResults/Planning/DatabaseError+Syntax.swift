internal import LiveQueries
package import SQLiteStorage

extension DatabaseError {
  /// Whether the SQL may have an error of syntax: it is neither a SELECT nor an expression that is understood.
  package var mayBeAboutSyntax: Bool {
    guard code == .sqlite, let sql else { return false }
    return (try? NamedSource.all(in: sql)) == nil
      && (try? NamedSource.all(in: "SELECT (\(sql)\n)")) == nil
  }
}
