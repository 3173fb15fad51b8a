/// The place and the reason why a text is not JSON, or not an array of records.
///
/// ```swift
/// do {
///   let records = try JSONRecords(bytes)
/// } catch {
///   print(error)  // line 3, column 12: expected ',' or ']' but found '}'
/// }
/// ```
///
/// Sendable: a plain value.
public struct JSONSyntaxError: Error, Hashable, Sendable {
  /// The line, counted from 1.
  public let line: Int
  /// The column in the line, counted from 1 in Unicode scalars.
  public let column: Int
  /// The number of bytes before the error in the whole text.
  public let offset: Int
  /// The problem.
  public let message: String
}

extension JSONSyntaxError: CustomStringConvertible {
  /// The place and the problem.
  public var description: String { "line \(line), column \(column): \(message)" }
}
