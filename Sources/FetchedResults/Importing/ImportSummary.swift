/// The result of an import.
///
/// ```swift
/// let summary = try connection.importRecords(records, into: "cover")
/// print("imported \(summary.importedCount), refused \(summary.refusedCount)")
/// ```
///
/// Sendable: a plain value.
public struct ImportSummary: Hashable, Sendable {
  /// The number of records that were written.
  public internal(set) var importedCount = 0
  /// The number of records that were refused.
  public internal(set) var refusedCount = 0
}
