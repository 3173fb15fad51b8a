internal import SQLiteStorage

/// A node of the syntax tree of an expression.
///
/// Source: [SQL language expressions](https://www.sqlite.org/lang_expr.html).
package struct Expression: Hashable, Sendable {
  indirect enum Kind: Hashable, Sendable {
    /// A number, string, blob, NULL, or CURRENT_TIME and its like.
    case literal(ExactText)
    case parameter(ExactText)
    /// A value of the key for which a query is run, by its position.
    case key(Int)
    case name(Name)
    /// A column, once names are resolved.
    case column(ColumnReference)
    /// `-`, `+`, `~` or `NOT` before an expression.
    case prefix(String, Expression)
    /// `ISNULL` or `NOTNULL`.
    case postfix(Expression, String)
    /// A comparison.
    case binary(Expression, String, Expression)
    /// Operands and operators of one precedence, combined from the left. A chain is one node, since its
    /// length has no limit.
    case chain(Expression, [Link])
    /// Terms between ANDs, or between ORs. There are at least two.
    case and([Expression])
    case or([Expression])
    case between(Expression, isNegated: Bool, Expression, Expression)
    /// LIKE, GLOB, REGEXP or MATCH.
    case like(Expression, isNegated: Bool, String, Expression, escape: Expression?)
    case inList(Expression, isNegated: Bool, [Expression])
    case inSelect(Expression, isNegated: Bool, SelectTree)
    case inTable(
      Expression, isNegated: Bool, schema: String?, name: String, arguments: [Expression]?)
    case exists(SelectTree)
    case select(SelectTree)
    case call(FunctionCall)
    case cast(Expression, type: String)
    case collate(Expression, ExactText)
    case choice(base: Expression?, branches: [Branch], otherwise: Expression?)
    case row([Expression])
  }

  /// A column as it is written.
  struct Name: Hashable, Sendable {
    var schema: String?
    var table: String?
    let column: String
    /// Whether the column is in double quotes, so that SQLite takes it for a string if there is no
    /// such column.
    var isInDoubleQuotes = false
    var isQuoted = false
  }

  /// A column of a numbered item of FROM.
  struct ColumnReference: Hashable, Sendable {
    let item: Int
    let column: Column
  }

  enum Column: Hashable, Sendable {
    /// Of a table or a table-valued function, as it spells the name.
    case named(ExactText)
    /// Of a SELECT, by its position.
    case output(Int)
    /// Of `VALUES`, by its position.
    case value(Int)

    /// The name in SQL.
    var name: String {
      switch self {
      case .named(let name): name.text
      case .output(let position): "c\(position)"
      case .value(let position): "column\(position + 1)"
      }
    }
  }

  /// An operator other than a comparison, and what is after it.
  struct Link: Hashable, Sendable {
    let sign: String
    var operand: Expression
  }

  struct Branch: Hashable, Sendable {
    var condition: Expression
    var value: Expression
  }

  struct FunctionCall: Hashable, Sendable {
    @ExactText var name: String
    var isDistinct = false
    /// Whether `*` is in the place of arguments.
    var isStar = false
    var arguments: [Expression] = []
    var orderBy: [OrderingTerm] = []
    var filter: Expression?
    /// The name after OVER.
    var windowName: String?
    /// The window after OVER.
    var window: Window?

    var isWindowed: Bool { windowName != nil || window != nil }
  }

  var kind: Kind
  /// The length of the longest way down in the tree, without those in subqueries.
  var height = 1

  init(_ kind: Kind) { self.kind = kind }

  package static func == (left: Expression, right: Expression) -> Bool { left.kind == right.kind }

  package func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}

/// The parameters for the values of a key, in all queries of a plan.
package enum KeyParameter {
  static let prefix = ":key$"

  /// The name of the parameter for a value of a key.
  package static func name(_ position: Int) -> String { "\(prefix)\(position)" }

  /// The number of the value in a key that a parameter stands for; nil for any other parameter.
  ///
  /// - Parameter name: the name without the colon.
  package static func position(ofParameter name: String) -> Int? {
    name.hasPrefix("key$") ? Int(name.dropFirst(4)) : nil
  }
}

extension Expression {
  /// Expressions that are all required: nil if there are none.
  static func all(_ terms: [Expression]) -> Expression? {
    terms.count > 1 ? Expression(.and(terms)) : terms.first
  }

  /// The expressions that it requires: those between its ANDs.
  var terms: [Expression] {
    if case .and(let terms) = kind { terms.flatMap(\.terms) } else { [self] }
  }

  static func binary(_ left: Expression, _ sign: String, _ right: Expression) -> Expression {
    Expression(.binary(left, sign, right))
  }

  static func column(_ item: Int, _ column: Column) -> Expression {
    Expression(.column(ColumnReference(item: item, column: column)))
  }

  func isIn(_ select: SelectTree) -> Expression {
    Expression(.inSelect(self, isNegated: false, select))
  }
}
