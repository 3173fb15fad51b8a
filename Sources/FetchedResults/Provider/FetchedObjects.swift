/// The records of a fetched result, in order, each read when it is asked for.
///
/// ```swift
/// if let tracks = provider.fetchedObjects {
///   for position in tracks.indices { print(try tracks.object(at: position).name) }
/// }
/// ```
///
/// It stays what it is when the provider fetches again: it keeps the version it was asked from.
///
/// A subscript cannot throw, nor can `for`, `map` or `first`, which call it. Where a record cannot be
/// read (a damaged file) or decoded (a `NULL` or a value of another type than the property's, which any
/// process may have written), they trap and name the reason. Use them only for a file that nothing else
/// writes, and ``object(at:)`` for all others.
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

  /// The record at a position in the whole result.
  ///
  /// Complexity: O(1) amortised when records are asked for one after the other, else O(log n).
  ///
  /// - Throws: as ``FetchedSnapshot/object(at:)-(Int)``.
  public func object(at position: Int) throws -> Record { try content.object(at: position) }

  /// The record at a position in the whole result, which must be in range. It traps where the record
  /// cannot be read or decoded.
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
