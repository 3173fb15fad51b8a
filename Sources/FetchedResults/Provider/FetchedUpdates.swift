public import SQLiteStorage
public import SectionedData

/// The versions of a result as a sequence, for code without a list to update: a server, a command,
/// a test.
///
/// ```swift
/// let updates = FetchedUpdates(
///   database: database, request: Track.all.sorted(by: \.name), sectionedBy: \.genre)
/// for try await update in updates {
///   print(update.changes, update.new.objects.count)
/// }
/// ```
///
/// The first element is the current result, without an old version and without changes. Each later
/// element leads from the previous element to the version that is newest when the consumer asks for
/// it. So a slow consumer gets several transactions as one batch, never a queue of batches. A
/// transaction that does not change the result gives no element. If the task is cancelled, the
/// sequence ends.
///
/// An element keeps its versions of the database readable. While an older element is held, the write-ahead log cannot
/// be reset, even if only other tables are written: release an element before you wait for the next.
///
/// An error ends the iteration, not the sequence: call `next()` again to continue from the last element. It retries
/// after the next commit. If the error may end without a commit, such as a full disk, it also retries after a delay. The
/// same error is thrown once: `next()` waits until an attempt succeeds, or fails for another reason.
///
/// Iterators over equal requests of one database share their versions and the work of each step: a thousand of them
/// cost little more than one. Requests are never treated as equal if their rows have no key, or if its section key is a
/// computed property or is ``SectionKey/titled(_:)``.
///
/// Sendable: each iterator observes separately.
public struct FetchedUpdates<Record: Sendable>: JoinableUpdates {
  /// A version, with the changes that lead to it.
  public typealias Element = FetchedUpdate<Record>

  let fetch: ResultLoader<Record>

  /// Makes the sequence of versions of a request's result.
  public init(
    database: Database, request: FetchRequest<Record>,
    sectionedBy sectionKey: SectionKey<Record>? = nil
  ) {
    fetch = ResultLoader(looping: request, sectionKey: sectionKey, in: database)
  }

  /// Makes the sequence of versions of a request's result, with the sections of a property: a shorter
  /// form of ``SectionKey/property(_:)``.
  public init<Key: ColumnValue>(
    database: Database, request: FetchRequest<Record>,
    sectionedBy keyPath: any KeyPath<Record, Key> & Sendable
  ) { self.init(database: database, request: request, sectionedBy: .property(keyPath)) }

  // swift-format-ignore: NoLeadingUnderscores
  /// Where the elements come from.
  public var _jointSource: _JointSource<Element> {
    _JointSource(fetch: fetch, database: fetch.database) { [fetch] update, last in
      let element = FetchedUpdate(from: last?.new, by: update, of: fetch)
      return JointElement(
        element, isNew: last == nil || !update.changes.isEmpty, keeping: element.asFirst)
    }
  }

  /// Makes an iterator, whose first element is the result at the time of the first `next()`.
  public func makeAsyncIterator() -> VersionIterator<Element> { VersionIterator(_jointSource) }
}

/// A version of a result, with the changes that lead to it: an element of ``FetchedUpdates``.
public struct FetchedUpdate<Record: Sendable>: Sendable {
  /// The previous version; nil for the first element.
  public let old: FetchedSnapshot<Record>?
  /// The new version.
  public let new: FetchedSnapshot<Record>
  /// The changes from the old version to the new one; empty for the first element.
  public let changes: TableChanges
  /// How the changed rows were detected; nil for the first element.
  public let source: ChangeSource?

  /// Whether no changes lead to the new version: it is the first, or all rows must be read again.
  public var isReset: Bool { old == nil || changes.reset != nil }

  /// The new version without the changes that lead to it, for a consumer that does not have the old one.
  public var asFirst: Self { Self(old: nil, new: new, changes: TableChanges(), source: nil) }
}

extension FetchedUpdate {
  init(
    from old: FetchedSnapshot<Record>?, by update: ResultUpdate, of fetch: ResultLoader<Record>
  ) {
    self.init(
      old: old, new: FetchedSnapshot(update.version, of: fetch.request),
      changes: update.changes, source: update.source)
  }
}

extension ResultLoader {
  /// Makes the loader of a loop, whose consumer may read each version until it asks for the next one.
  convenience init(
    looping request: FetchRequest<Record>, sectionKey: SectionKey<Record>?, in database: Database
  ) {
    var request = request
    request.keepsRows = true
    self.init(database: database, request: request, sectionKey: sectionKey)
  }
}
