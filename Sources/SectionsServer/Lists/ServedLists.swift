import SQLiteStorage

/// The lists that are followed.
actor ServedLists {
  private let context: ServedList.Context
  private var lists: [ListParameters: ServedList] = [:]
  private var isEnded = false

  init(_ context: ServedList.Context) { self.context = context }

  /// Answers a request from the list with these parameters, which is followed from now on and does not end
  /// meanwhile.
  ///
  /// - Throws: `RequestError` of status 503 if too many lists have clients; otherwise what `body` throws.
  func using<Result: Sendable>(
    _ parameters: ListParameters, _ body: @Sendable (ServedList) async throws -> Result
  ) async throws -> Result {
    let list = try await list(parameters)
    defer { list.usage.endRequest() }
    return try await body(list)
  }

  /// The list with these parameters, after the beginning of a request: another request could end it before the
  /// caller continues.
  ///
  /// Other requests may make lists, this one too, during each await. So each turn looks again.
  private func list(_ parameters: ListParameters) async throws -> ServedList {
    while true {
      if isEnded {
        throw RequestError.serverEnds
      } else if let list = lists[parameters] {
        list.usage.beginRequest()
        guard await list.hasFailed else { return list }
        list.usage.endRequest()
        remove(list)
      } else if lists.count < context.limits.lists {
        let list = ServedList(parameters, context)
        list.usage.beginRequest()
        lists[parameters] = list
        await list.start()
        return list
      } else if let (list, _) = leastRecentlyUsed {
        await end(list)
      } else {
        throw RequestError.full(
          "\(lists.count) different lists are shown", nextStep: "Close some pages", retryAfter: 5)
      }
    }
  }

  /// The list that has been idle for the longest time; nil if all lists are in use.
  private var leastRecentlyUsed: (list: ServedList, since: SuspendingClock.Instant)? {
    lists.values.compactMap { list in list.usage.idleSince.map { (list, $0) } }
      .min { $0.1 < $1.1 }
  }

  private func end(_ list: ServedList) async {
    remove(list)
    await list.end()
  }

  /// Removes a list, but not one that took its place during an await.
  private func remove(_ list: ServedList) {
    if lists[list.parameters] === list { lists[list.parameters] = nil }
  }

  /// Releases what is no longer needed, until the task is cancelled.
  func keepUp() async {
    while (try? await Task.sleep(for: .milliseconds(500), clock: .suspending)) != nil {
      while let (list, since) = leastRecentlyUsed,
        since.duration(to: .now) >= context.limits.idleTime
      { await end(list) }
      for list in lists.values { await list.removeUnusedWindows() }
    }
  }

  /// Ends all lists and the connections of their clients.
  func end() async {
    isEnded = true
    let all = lists.values
    lists = [:]
    for list in all { await list.end() }
  }
}
