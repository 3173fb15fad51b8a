internal import SQLiteStorage

/// A sequence that ``JointUpdates`` can join with others: ``FetchedUpdates`` and ``FetchedValues``.
///
/// Only these two can conform to it: its requirement is not public API.
public protocol JoinableUpdates<Element>: AsyncSequence, Sendable where Element: Sendable {
  // A requirement is as public as its protocol: the underscore says that it is not meant for apps.
  // swift-format-ignore: NoLeadingUnderscores
  /// Where the elements come from.
  var _jointSource: _JointSource<Element> { get }
}

// swift-format-ignore: NoLeadingUnderscores
/// Where the elements of a sequence come from: a result, and how its versions become elements.
///
/// Not public API: only ``JoinableUpdates`` needs it. Sendable: a plain value.
public struct _JointSource<Element: Sendable>: Sendable {
  let fetch: any VersionLoading
  let database: Database
  /// Makes the element of a version from the element before, which is nil for the first.
  let makeElement: @Sendable (ResultUpdate, Element?) throws -> JointElement<Element>
}

/// An element, and whether it is another one than the element before.
struct JointElement<Element: Sendable>: Sendable {
  let element: Element
  let isNew: Bool
  /// What the next element is made from: the element without the version before it, which must not stay readable for that.
  let kept: Element

  init(_ element: Element, isNew: Bool, keeping kept: Element? = nil) {
    (self.element, self.isNew, self.kept) = (element, isNew, kept ?? element)
  }
}

/// Iterates over the versions of one or more results, which move together.
///
/// Not Sendable: it belongs to the task that iterates.
public struct VersionIterator<Element: Sendable>: AsyncIteratorProtocol {
  /// Makes an element of the updates of all results, and what was kept of the element before; nil for the first.
  typealias MakeElement =
    @Sendable ([Result<ResultUpdate, any Error>], Element?) throws -> JointElement<Element>

  private var steps: VersionSteps
  private let makeElement: MakeElement
  /// What was kept of the last element; nil before the first.
  private var last: Element?
  /// Whether a version with the same content as the last element is an element too, without changes; false at first. Of
  /// ``IndependentUpdates`` each version is an element.
  ///
  /// A consumer that keeps the last element needs it, to keep the newest version and no older one: as long as an old one can
  /// be read, SQLite's log only grows.
  public var yieldsUnchangedVersions = false
  /// How long it may take to reach a version; nil, as at first, for no limit.
  ///
  /// Then all statements of the database are interrupted, and ``next()`` throws an error of the code `.interrupted`. So it is
  /// for a database that nothing else reads, as that of a server whose clients type SQL.
  public var timeLimit: Duration? {
    get { steps.timeLimit }
    set { steps.timeLimit = newValue }
  }

  init(
    _ fetches: [any VersionLoading], of database: Database, _ policy: VersionSteps.FailurePolicy,
    _ makeElement: @escaping MakeElement
  ) {
    steps = VersionSteps(fetches, of: database, policy)
    self.makeElement = makeElement
  }

  init(_ source: _JointSource<Element>) {
    self.init([source.fetch], of: source.database, .allStay) {
      try source.makeElement($0[0].get(), $1)
    }
  }

  /// The next element; nil if the task was cancelled.
  ///
  /// - Throws: `FetchError` and `DatabaseError`.
  public mutating func next() async throws -> Element? {
    while true {
      let (makeElement, last) = (makeElement, last)
      guard let next = try await steps.next({ try makeElement($0, last) }) else { return nil }
      self.last = next.kept
      if next.isNew || yieldsUnchangedVersions { return next.element }
    }
  }
}
