public import SmallFoundation

/// An error with one line that says what is wrong, and the next step: the form of all errors of these libraries.
public protocol DescribedError: LocalizedError, CustomStringConvertible {
  /// What is wrong, with the names and values involved.
  var message: String { get }
  /// What to do next; nil if the message says all of it.
  var nextStep: String? { get }
}

extension DescribedError {
  /// The message and the next step.
  public var description: String { nextStep.map { "\(message). \($0)" } ?? message }
  /// The message.
  public var errorDescription: String? { message }
  /// The next step.
  public var recoverySuggestion: String? { nextStep }
  // Also here, so that a file that declares an error need not import Foundation.
  /// Nil: the message has the reason.
  public var failureReason: String? { nil }
  /// Nil.
  public var helpAnchor: String? { nil }
}
