internal import SQLiteStorage

// What the property wrappers of SwiftUI keep while a view exists. SwiftUI keeps the first object that a view makes, and asks
// before each body, with the database that the view has then.

/// Runs a change, so that it can be animated.
typealias ChangeAnimation = (() -> Void) -> Void

/// A list with the task that observes it.
@MainActor final class ObservedList<Record: Sendable> {
  /// The list; another one when the view gets another database.
  private(set) var list: FetchedList<Record>
  private var task: Task<Void, Never>?

  init(_ list: FetchedList<Record>) { self.list = list }

  deinit { task?.cancel() }

  /// Begins to observe, and begins anew if the database is another one than before.
  ///
  /// - Parameter database: nil for a view without one, which is the error then.
  func observe(_ database: Database?, _ animate: @escaping ChangeAnimation) {
    if task == nil {
      list.database = database
    } else if list.database !== database {
      task?.cancel()
      task = nil
      list = list.anew(in: database)
    }
    list.animate = animate
    if task == nil { task = Task { [list] in await list.observe() } }
  }
}

/// A value with the task that observes it.
@MainActor final class ObservedValue<Value: Sendable> {
  /// What is observed.
  struct Source {
    /// Another value is observed if it differs.
    let id: AnyHashable
    /// What is shown until the value has been read.
    let first: Value
    let values: (Database) -> FetchedValues<Value>
  }

  private(set) var latest: LatestValue<Value>
  /// What is observed now; nil before the first time.
  private var observed: (id: AnyHashable, database: Database?)?
  private var task: Task<Void, Never>?

  init(_ first: Value) { latest = LatestValue(first) }

  deinit { task?.cancel() }

  /// Begins to observe, and begins anew if the source or the database is another one than before.
  ///
  /// - Parameter database: nil for a view without one, which is the error then.
  func observe(
    _ database: Database?, _ source: Source, _ animate: @escaping ChangeAnimation
  ) {
    if observed?.id != source.id || observed?.database !== database {
      task?.cancel()
      if observed != nil { latest = LatestValue(source.first) }
      observed = (source.id, database)
      let values = source.values
      task = Task { [latest] in await latest.observe(database, values) }
    }
    latest.animate = animate
  }
}
