internal import SQLiteStorage
internal import SectionedData

/// The versions of several results of one database, which move together: for a server or a screen whose lists must agree.
///
/// ```swift
/// let tracks = FetchedUpdates(database: database, request: Track.all, sectionedBy: \.genre)
/// let albums = FetchedUpdates(database: database, request: Album.all)
/// for try await (tracks, albums) in JointUpdates(tracks, albums) {
///   print(tracks.changes, albums.changes, tracks.new.databaseSnapshot === albums.new.databaseSnapshot)
/// }
/// ```
///
/// All updates of an element lead to one version of the database, from which anything else can be read:
/// ``FetchedSnapshot/databaseSnapshot``. The first element has the current results. A later one has the changes since the
/// element before; those of a result that has not changed are empty. A transaction that changes none of the results
/// gives no element. A ``FetchedValues`` can be one of the results: its part of an element is the value. Otherwise it is
/// as ``FetchedUpdates``.
///
/// If one result cannot follow, its error ends the iteration, and no result has moved: call `next()` again to continue from
/// the last element. The same error is thrown once.
///
/// Sendable: each iterator observes separately.
public struct JointUpdates<Element: Sendable>: AsyncSequence, Sendable {
  private let fetches: [any VersionLoading]
  private let database: Database
  private let makeElement: VersionIterator<Element>.MakeElement

  /// Joins sequences of one database. An element is a tuple with an element of each of them.
  ///
  /// The sequence is generic over the tuple, and not over the records: Swift 6.3 cannot take apart a tuple of a
  /// parameter pack in a `for` loop.
  public init<each Updates: JoinableUpdates>(
    _ lists: repeat each Updates
  ) where Element == (repeat (each Updates).Element) {
    let sources = (repeat (each lists)._jointSource)
    var fetches: [any VersionLoading] = []
    var databases: [Database] = []
    for source in repeat each sources {
      fetches.append(source.fetch)
      databases.append(source.database)
    }
    precondition(
      !databases.isEmpty && databases.allSatisfy { $0 === databases[0] },
      "JointUpdates needs lists of one Database")
    (self.fetches, database) = (fetches, databases[0])
    makeElement = { updates, last in
      var parts = Parts(updates: updates[...])
      let next: (repeat JointElement<(each Updates).Element>)
      if let last {
        next = (repeat try parts.next(of: each sources, after: each last))
      } else {
        next = (repeat try parts.next(of: each sources, after: nil))
      }
      return JointElement(
        (repeat (each next).element), isNew: last == nil || parts.isNew,
        keeping: (repeat (each next).kept))
    }
  }

  /// Makes an iterator, whose first element has the results at the time of the first `next()`.
  public func makeAsyncIterator() -> VersionIterator<Element> {
    VersionIterator(fetches, of: database, .allStay, makeElement)
  }
}

/// The parts of an element, made one after the other.
private struct Parts {
  var updates: ArraySlice<Result<ResultUpdate, any Error>>
  var isNew = false

  mutating func next<Element>(
    of source: _JointSource<Element>, after last: Element?
  ) throws -> JointElement<Element> {
    let part = try source.makeElement(updates.removeFirst().get(), last)
    if part.isNew { isNew = true }
    return part
  }
}
