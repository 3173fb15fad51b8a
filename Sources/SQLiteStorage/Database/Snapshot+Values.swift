extension Snapshot {
  /// What somebody has asked for by a row's key.
  struct Question: Hashable {
    let query: String
    let rowID: Int64
  }

  /// One value of one row, which is read when somebody asks for it first: the many lists of one table ask
  /// for the same.
  ///
  /// - Parameter query: gives at most one row of one column; its parameter is the rowid.
  /// - Returns: nil where there is no such row.
  /// - Throws: as ``read(_:)``.
  package func value(of query: String, rowID: Int64) throws -> Value? {
    let question = Question(query: query, rowID: rowID)
    if let answer = answers.withLock({ $0[question] }) { return answer }
    let answer = try read { connection -> Value? in
      let statement = try connection.cachedStatement(query)
      statement.reset()
      defer { statement.reset() }
      try statement.bind(rowID, at: 1)
      // Not nil, which for a value is NULL.
      guard try statement.step() else { return .none }
      return statement.currentRow.value(at: 0)
    }
    answers.withLock { answers in
      if answers.count >= Snapshot.answerLimit { answers = [:] }
      answers[question] = .some(answer)
    }
    return answer
  }

  /// Lists that follow a version ask for the few rows that led to it and to the next.
  private static var answerLimit: Int { 64 }
}
