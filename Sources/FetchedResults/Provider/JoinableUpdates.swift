internal import SQLiteStorage

/// A sequence that ``JointUpdates`` can join with others: ``FetchedUpdates`` and ``FetchedValues``.
///
/// Not for types of an app: only this library makes a ``JointSource``.
public protocol JoinableUpdates<Element>: AsyncSequence, Sendable where Element: Sendable {
  /// Where the elements come from.
  var jointSource: JointSource<Element> { get }
}

/// Where the elements of a sequence come from: a result, and how its versions become elements.
///
/// Sendable: a plain value.
public struct JointSource<Element: Sendable>: Sendable {
  let fetch: any VersionLoading
  let database: Database
  /// Makes the element of a version from the element before, which is nil for the first.
  let makeElement: @Sendable (ResultUpdate, Element?) throws -> JointElement<Element>
}

/// An element, and whether it is another one than the element before.
struct JointElement<Element: Sendable>: Sendable {
  let element: Element
  let isNew: Bool
}
