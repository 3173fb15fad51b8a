internal import SQLiteStorage

/// A record that was not imported, and why.
///
/// ```swift
/// try connection.importRecords(records, into: "cover") { refusal in
///   print(refusal)  // record 17: NOT NULL constraint failed: cover.label
/// }
/// ```
///
/// Sendable: a plain value.
public struct ImportRefusal: Error, Sendable {
  /// The record's place in its text, counted from 1.
  public let number: Int
  /// The line that it begins in, counted from 1.
  public let line: Int
  /// Why it was refused.
  public let reason: any Error
}

extension ImportRefusal: CustomStringConvertible {
  /// The place and the reason: `record 17: NOT NULL constraint failed: cover.label`.
  public var description: String { "record \(number): \(reasonDescription)" }

  /// The reason in one line, without SQL, which is not of the caller's making.
  public var reasonDescription: String { (reason as? DatabaseError)?.message ?? "\(reason)" }
}
