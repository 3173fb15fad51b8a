/// The records of a fetched result in order, each read when the caller asks for it.
///
/// ```swift
/// if let tracks = provider.fetchedObjects {
///   for position in tracks.indices { print(try tracks.object(at: position).name) }
/// }
/// ```
///
/// The collection keeps its rows: it does not change when the provider shows others.
///
/// A subscript cannot throw, and neither can `for`, `map` and `first`, which use it. They trap,
/// with the reason, if a record cannot be read (a damaged file) or cannot be decoded (a `NULL` or a
/// value of another type than the property's, which any process may have written). Use them only
/// for a file that nothing else writes. In all other cases use ``object(at:)``.
///
/// Not Sendable: the collection belongs to the owner of the provider.
/// `Array(provider.fetchedObjects)` is a copy that can be sent anywhere.
public struct FetchedObjects<Record: Sendable>: RandomAccessCollection {
  private let content: SnapshotReader<Record>

  init(_ content: SnapshotReader<Record>) { self.content = content }

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of records.
  public var endIndex: Int { content.rowCount }

  /// The record at a position in the whole result.
  ///
  /// Complexity: O(1) amortised for records in sequence, else O(log n).
  ///
  /// - Throws: the same as ``FetchedSnapshot/object(at:)-(Int)``.
  public func object(at position: Int) throws -> Record { try content.object(at: position) }

  /// The record at a position in the whole result, which must be in range. Traps if the record
  /// cannot be read or decoded.
  ///
  /// Complexity: O(1) amortised for records in sequence, else O(log n).
  public subscript(position: Int) -> Record {
    // Not preconditions: optimised programs do not print their messages.
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
