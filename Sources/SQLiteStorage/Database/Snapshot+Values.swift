extension Snapshot {
  /// A query for one value, and the rowid to bind to it.
  struct Question: Hashable {
    let query: StatementText
    let rowID: Int64
  }

  /// One value of one row, which is read on the first call and cached, since the lists of one table
  /// read the same values.
  ///
  /// - Parameter query: returns at most one row of one column; its parameter is the rowid.
  /// - Returns: nil if the query returns no row.
  package func value(of query: StatementText, rowID: Int64) throws -> Value? {
    let question = Question(query: query, rowID: rowID)
    if let answer = state.withLock({ $0.answers[question] }) { return answer }
    let answer = try read { connection -> Value? in
      let statement = try connection.cachedStatement(query)
      statement.reset()
      defer { statement.reset() }
      try statement.bind(rowID, at: 1)
      // `.none`, not nil: a nil `Value` would be NULL.
      guard try statement.step() else { return .none }
      return statement.currentRow.value(at: 0)
    }
    state.withLock { state in
      if state.answers.count >= Snapshot.answerLimit { state.answers = [:] }
      state.answers[question] = .some(answer)
    }
    return answer
  }

  /// The maximum number of cached values. Lists that follow a version read the few rows that differ
  /// from the versions before and after it.
  private static var answerLimit: Int { 64 }
}
