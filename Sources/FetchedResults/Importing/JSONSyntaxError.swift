/// Where a text is not JSON, or no array of records, and what is wrong there.
///
/// ```swift
/// do {
///   let records = try JSONRecords(bytes)
/// } catch {
///   print(error)  // line 3, byte 57: expected , or ] and found }
/// }
/// ```
///
/// Sendable: a plain value.
public struct JSONSyntaxError: Error, Hashable, Sendable {
  /// The line, counted from 1.
  public let line: Int
  /// The number of bytes before the place, in the whole text.
  public let offset: Int
  /// What is wrong.
  public let message: String
}

extension JSONSyntaxError: CustomStringConvertible {
  /// The place and what is wrong.
  public var description: String { "line \(line), byte \(offset): \(message)" }
}
