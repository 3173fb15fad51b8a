package import FetchedResults
import SQLiteStorage

/// A total of the command line: `count`, or a function of a column or an SQL expression.
package struct TotalOption: Sendable {
  /// The total as it was written. It is printed as the name of the value.
  package let name: String
  private let function: Function
  /// The column or the expression; nil for the number of rows.
  private let argument: String?

  private enum Function: String, Sendable {
    case count, sum, avg, min, max
  }

  /// The function with a name (`sum`, `avg`, `min`, `max` or `count`) of a column.
  ///
  /// - Parameter column: the column as the source spells it. Another text would be an expression.
  package init?(_ function: String, ofColumn column: String) {
    guard let function = Function(rawValue: function) else { return nil }
    self.function = function
    argument = column
    name = "\(function.rawValue)(\(column))"
  }

  package init?(argument text: String) {
    name = text.trimmed
    let parts = name.split(separator: "(", maxSplits: 1)
    guard let word = parts.first, let function = Function(rawValue: word.trimmed.lowercased())
    else { return nil }
    self.function = function
    guard parts.count == 2 else {
      guard function == .count, !name.contains("(") else { return nil }
      argument = nil
      return
    }
    let inside = parts[1].dropLast().trimmed
    guard parts[1].last == ")", !inside.isEmpty else { return nil }
    argument = function == .count && inside == "*" ? nil : inside
  }

  /// The total of a request.
  ///
  /// - Parameter column: returns the column with a name; nil if there is none.
  package func total(column: (String) -> String?) -> SectionTotal<Row> {
    guard let argument else { return .count }
    if let column = column(argument) {
      let property: any PartialKeyPath<Row> & Sendable = \Row[column]
      return switch function {
      case .count: .count(property)
      case .sum: .sum(property)
      case .avg: .average(property)
      case .min: .min(property)
      case .max: .max(property)
      }
    }
    let expression = SQLFragment<Row>(verbatim: argument)
    return switch function {
    case .count: .count(expression)
    case .sum: .sum(expression)
    case .avg: .average(expression)
    case .min: .min(expression)
    case .max: .max(expression)
    }
  }
}
