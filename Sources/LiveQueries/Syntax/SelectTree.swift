/// The syntax tree of a SELECT: cores that are combined by `UNION` and its like, in an order, with
/// a limit.
///
/// Source: [SELECT](https://www.sqlite.org/lang_select.html).
struct SelectTree: Hashable, Sendable {
  /// What combines a core with those before it.
  enum Operator: String, Sendable {
    case union = "UNION"
    case unionAll = "UNION ALL"
    case except = "EXCEPT"
    case intersect = "INTERSECT"
  }

  /// A core, and what combines it with those before it; nil for the first.
  struct Arm: Hashable, Sendable {
    var combination: Operator?
    var core: SelectCore
  }

  var with: [CommonTable] = []
  var arms: [Arm]
  var orderBy: [OrderingTerm] = []
  var limit: Expression?
  var offset: Expression?

  /// The tree with each of its cores replaced.
  func mapCores(_ transform: (SelectCore) -> SelectCore) -> SelectTree {
    var tree = self
    for index in tree.arms.indices { tree.arms[index].core = transform(tree.arms[index].core) }
    return tree
  }
}

struct CommonTable: Hashable, Sendable {
  let name: String
  /// The names of its columns; empty if those of the SELECT are its names.
  let columns: [String]
  var select: SelectTree
}

/// One SELECT without the parts that a compound has once, or `VALUES`.
struct SelectCore: Hashable, Sendable {
  /// The rows of `VALUES`; nil for a SELECT.
  var values: [[Expression]]?
  var isDistinct = false
  var columns: [ResultColumn] = []
  var from: [FromItem] = []
  var condition: Expression?
  var groupBy: [Expression] = []
  var having: Expression?
  var windows: [NamedWindow] = []
}

/// A term between SELECT and FROM.
enum ResultColumn: Hashable, Sendable {
  /// `*`, or `table.*`.
  case all(of: String?)
  /// - Parameter text: the expression as it is written, which names a column without an alias.
  case expression(Expression, alias: String?, text: String)

  /// The expression; nil for `*`.
  var value: Expression? { if case .expression(let value, _, _) = self { value } else { nil } }
}

/// A term of FROM, with what joins it to the terms before it.
struct FromItem: Hashable, Sendable {
  enum Join: String, Sendable {
    case comma = ","
    case inner = "JOIN"
    case cross = "CROSS JOIN"
    case left = "LEFT JOIN"
    case right = "RIGHT JOIN"
    case full = "FULL JOIN"
  }

  indirect enum Source: Hashable, Sendable {
    /// A table, a view or a common table; with arguments, a table-valued function.
    case table(schema: String?, name: String, arguments: [Expression]?)
    case select(SelectTree)
    /// A join in parentheses.
    case group([FromItem])
  }

  var join: Join
  var isNatural = false
  var source: Source
  var alias: String?
  var on: Expression?
  /// The columns of `USING`; nil if there is none.
  var using: [String]?
  /// The number of the item once names are resolved.
  var number = FromItem.unnumbered

  /// The number of an item whose names are not resolved, and of a SELECT that another one is put around.
  static let unnumbered = -1

  /// The arguments of a table-valued function; none of another source.
  var arguments: [Expression] {
    if case .table(_, _, let arguments?) = source { arguments } else { [] }
  }
}

struct OrderingTerm: Hashable, Sendable {
  var expression: Expression
  /// `ASC`, `DESC`, `NULLS FIRST`, `NULLS LAST`, as they are written.
  var suffix: String
}

struct NamedWindow: Hashable, Sendable {
  let name: String
  var window: Window
}

/// What stands in the parentheses after OVER.
struct Window: Hashable, Sendable {
  /// A piece of the frame: words, or an expression.
  enum FramePiece: Hashable, Sendable {
    case words(String)
    case expression(Expression)
  }

  var base: String?
  var partitionBy: [Expression] = []
  var orderBy: [OrderingTerm] = []
  var frame: [FramePiece] = []
}

/// A SELECT that SQLite may compute otherwise when it is in the FROM of another.
package enum FragileSelect {
  /// Whether a SELECT is a `UNION ALL` without a limit, in which something is joined by RIGHT or FULL JOIN.
  ///
  /// In the FROM of another SELECT, SQLite 3.39 to 3.42 loses the conditions of the other SELECTs in it:
  /// `SELECT * FROM (SELECT x FROM a WHERE x = 1 UNION ALL SELECT x FROM b RIGHT JOIN a)` returns all rows of a. With a limit
  /// it is computed as it is written. False if the SELECT is not understood.
  package static func losesConditions(_ sql: String) -> Bool {
    guard let tree = try? TreeParser.parse(sql), tree.arms.count > 1, tree.limit == nil else {
      return false
    }
    return tree.arms.dropFirst().allSatisfy { $0.combination == .unionAll }
      && tree.arms.contains { $0.core.from.contains(where: \.hasOptionalLeftSide) }
  }
}

extension FromItem {
  /// Whether what is before it may have no row beside it, also in parentheses.
  var hasOptionalLeftSide: Bool {
    if join == .right || join == .full { return true }
    guard case .group(let items) = source else { return false }
    return items.contains(where: \.hasOptionalLeftSide)
  }
}
