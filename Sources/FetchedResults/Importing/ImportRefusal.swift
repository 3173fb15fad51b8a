internal import SQLiteStorage

/// A record that was not imported, with the reason.
///
/// ```swift
/// try connection.importRecords(records, into: "cover") { refusal in
///   print(refusal)  // record 17: NOT NULL constraint failed: cover.label
/// }
/// ```
///
/// Sendable: a plain value.
public struct ImportRefusal: Error, Sendable {
  /// The number of the record in its text, counted from 1.
  public let number: Int
  /// The line where the record begins, counted from 1.
  public let line: Int
  /// The error for which the record was refused.
  public let reason: any Error
}

extension ImportRefusal: CustomStringConvertible {
  /// The number and the reason: `record 17: NOT NULL constraint failed: cover.label`.
  public var description: String { "record \(number): \(reasonDescription)" }

  /// The reason in one line, without the SQL, which the caller did not write.
  public var reasonDescription: String { (reason as? DatabaseError)?.message ?? "\(reason)" }
}
