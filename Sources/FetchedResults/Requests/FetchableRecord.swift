/// A type whose values are rows of a database.
///
/// ```swift
/// let request = Track.all.filter("milliseconds > ?", 60_000).sorted(by: \.name)
/// ```
public protocol FetchableRecord: Sendable {
  /// The source of the records, and the column of each property.
  static var recordDescription: RecordDescription<Self> { get }
}

extension FetchableRecord {
  /// The request for all records, in the order of their key.
  public static var all: FetchRequest<Self> { FetchRequest(recordDescription) }
}
