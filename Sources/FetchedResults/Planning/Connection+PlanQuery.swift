internal import LiveQueries
package import SQLiteStorage

extension Connection {
  /// Runs a query of a plan once for each of some tuples, until `body` returns false.
  ///
  /// - Parameters:
  ///   - tuples: the values of the query's key parameters.
  ///   - parameters: the values of its other parameters.
  /// - Returns: whether `body` returned true for all rows.
  package func forEachRow(
    of query: String, with tuples: some Sequence<KeyTuple>, _ parameters: [ExactText: Value],
    _ body: (borrowing RowView) throws -> Bool
  ) throws -> Bool {
    let statement = try cachedStatement(query)
    statement.reset()
    defer { statement.reset() }
    var indices: [[Int]] = []
    for index in 1..<(statement.parameterCount + 1) {
      let name = statement.parameterName(at: index) ?? ""
      guard let column = KeyParameter.position(ofParameter: name) else {
        try statement.bind(parameters[name.exact] ?? .null, at: index)
        continue
      }
      while indices.count <= column { indices.append([]) }
      indices[column].append(index)
    }
    let row = statement.currentRow
    for tuple in tuples {
      statement.reset()
      try tuple.bind(to: statement, at: indices)
      while try statement.step() {
        guard try body(row) else { return false }
      }
    }
    return true
  }
}
