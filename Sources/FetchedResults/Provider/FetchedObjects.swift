/// The records of a fetched result, in order, each read when it is asked for.
///
/// ```swift
/// if let tracks = provider.fetchedObjects, let longest = tracks.last { print(longest.name) }
/// ```
///
/// It stays what it is when the provider fetches again: it keeps the version it was asked from.
///
/// A subscript cannot throw. Where a record cannot be read (a damaged file) or decoded (a value of
/// another type than the property's), it traps and names the reason; use
/// ``FetchedResultsProvider/object(at:)`` to handle that.
///
/// Not Sendable: it belongs to whoever owns the provider. `Array(provider.fetchedObjects)` is a copy
/// that may go anywhere.
public struct FetchedObjects<Record: Sendable>: RandomAccessCollection {
  private let content: any ResultsContent<Record>

  init(_ content: any ResultsContent<Record>) { self.content = content }

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of records.
  public var endIndex: Int { content.count }

  /// The record at a position in the whole result, which must be in range.
  ///
  /// Complexity: O(1) amortised when records are asked for one after the other, else O(log n).
  public subscript(position: Int) -> Record {
    // Not preconditions: in an optimised program those keep their message to themselves.
    guard indices.contains(position) else {
      fatalError("there is no record \(position): the result has \(count)")
    }
    do {
      return try content.record(at: position)
    } catch {
      fatalError("record \(position) cannot be read: \(error)")
    }
  }
}
