/// How SQLite runs a statement: the tree of steps that `EXPLAIN QUERY PLAN` returns.
///
/// ```swift
/// let plan = try connection.explainedPlan(of: "SELECT * FROM track WHERE id = ?")
/// print(plan.steps[0].operation)  // search by the rowid
/// ```
///
/// SQLite writes the steps for people, and other versions of SQLite may write them differently. A
/// step that is not known here is ``Operation/other``, so treat it as the slowest step that it may
/// be.
///
/// Sendable: it is a value.
///
/// Source: [EXPLAIN QUERY PLAN](https://sqlite.org/eqp.html), and `sqlite3WhereExplainOneScan` in
/// SQLite's `wherecode.c`.
package struct ExplainedPlan: Hashable, Sendable {
  package struct Step: Hashable, Sendable {
    /// The number of the step, which is unique in its plan.
    package let id: Int64
    /// The number of the step that this one is a part of; 0 for a step at the top of the tree.
    package let parent: Int64
    package let detail: String
    package let operation: Operation
  }

  /// The steps in the order of SQLite's output: each step is before its parts.
  package let steps: [Step]

  /// The parts of a step; the steps at the top of the tree if `parent` is nil.
  ///
  /// Complexity: O(steps).
  package func parts(of parent: Step?) -> [Step] {
    steps.filter { $0.parent == parent?.id ?? 0 }
  }
}

extension ExplainedPlan {
  /// What a step does.
  package enum Operation: Hashable, Sendable {
    /// `SCAN`: reads all rows of a table, an index or a subquery.
    case scan(Access)
    /// `SEARCH`: reads some of the rows, which an index or the rowid finds.
    case search(Access)
    /// `CO-ROUTINE` or `MATERIALIZE`: makes the rows of a subquery, one by one or in a temporary table.
    case subquery(name: String)
    /// Only reads or sorts rows that other steps find, or divides a statement into its parts.
    case cheap
    /// Another step: one that is not known, or that of a recursive query, a RIGHT JOIN or a Bloom filter.
    case other
  }

  /// How a step reads a source.
  package struct Access: Hashable, Sendable {
    /// The name of the source in the query: the alias, or the name as it is written after `FROM`.
    /// A subquery without a name has one such as `(subquery-2)`.
    package let source: String
    /// What is read in place of the table or beside it; nil if the table alone is read.
    package let index: Index?
    /// The conditions by which rows are found, such as `year=? AND name>?`; empty if all are read.
    package let conditions: String

    /// Whether rows are found by a value that they equal, without an index that is made for this
    /// statement.
    package var isLookUp: Bool { conditions.contains("=?") && index != .automatic }
  }

  /// What finds or sorts rows.
  package enum Index: Hashable, Sendable {
    /// The rowid of the table, or the primary key of a `WITHOUT ROWID` table.
    case key
    case named(String)
    /// An index that SQLite makes for this statement from all rows of the table.
    case automatic
    /// The way in which a virtual table finds rows, by its own number and name.
    case virtual(String)
  }
}

// MARK: - Reading

extension ExplainedPlan.Operation {
  /// Reads the text of a step.
  init(_ detail: String) {
    func operand(of word: String) -> String? { detail[...].operand(of: word) }
    if Self.cheapSteps.contains(detail) || Self.cheapEnds.contains(where: detail.hasSuffix)
      || Self.cheapWords.contains(where: { operand(of: $0) != nil })
    {
      self = .cheap
    } else if let text = operand(of: "SCAN") {
      self = detail.hasSuffix(" CONSTANT ROWS") ? .cheap : .scan(ExplainedPlan.Access(text))
    } else if let text = operand(of: "SEARCH") {
      self = .search(ExplainedPlan.Access(text))
    } else if let name = operand(of: "CO-ROUTINE") ?? operand(of: "MATERIALIZE") {
      self = .subquery(name: name)
    } else {
      self = .other
    }
  }

  private static let cheapSteps: Set = [
    "SCAN CONSTANT ROW", "MULTI-INDEX OR", "COMPOUND QUERY", "LEFT-MOST SUBQUERY", "LEFT", "RIGHT",
    "UNION ALL",
  ]
  private static let cheapEnds = [" USING TEMP B-TREE", " FOR IN-OPERATOR"]
  /// The words before the operand of a cheap step.
  private static let cheapWords = [
    "INDEX", "MERGE", "USE TEMP B-TREE FOR", "SCALAR SUBQUERY", "CORRELATED SCALAR SUBQUERY",
    "LIST SUBQUERY", "CORRELATED LIST SUBQUERY",
  ]
}

extension ExplainedPlan.Access {
  /// Reads what follows `SCAN` or `SEARCH`: `track USING INDEX byYear (year=?) LEFT-JOIN`.
  fileprivate init(_ text: String) {
    let leftJoin = " LEFT-JOIN"
    let text = text.hasSuffix(leftJoin) ? text.dropLast(leftJoin.utf8.count) : text[...]
    if let (source, index) = text.parts(around: " VIRTUAL TABLE INDEX ") {
      self.init(source: String(source), index: .virtual(String(index)), conditions: "")
      return
    }
    let (source, use) = text.parts(around: " USING ") ?? (text, "")
    let (words, found) = use.parts(around: " (") ?? (use, "")
    guard let index = ExplainedPlan.Index(words) else {
      // Nothing is used, and ` USING ` is part of a name.
      self.init(source: String(text), index: nil, conditions: "")
      return
    }
    self.init(source: String(source), index: index, conditions: String(found.dropLast()))
  }
}

extension ExplainedPlan.Index {
  /// Reads what follows `USING`, without the conditions.
  fileprivate init?(_ words: Substring) {
    if words == "INTEGER PRIMARY KEY" || words == "PRIMARY KEY" {
      self = .key
    } else if words.operand(of: "AUTOMATIC") != nil {
      self = .automatic
    } else if let name = words.operand(of: "COVERING INDEX") ?? words.operand(of: "INDEX") {
      self = .named(name)
    } else {
      return nil
    }
  }
}

extension Substring {
  /// What follows a word and a space; nil if the text begins otherwise.
  fileprivate func operand(of word: String) -> String? {
    hasPrefix(word + " ") ? String(dropFirst(word.utf8.count + 1)) : nil
  }

  /// What is before and after the first occurrence of `separator`; nil without one. The text is short:
  /// `firstRange(of:)` would build a table for each search.
  fileprivate func parts(around separator: String) -> (before: Substring, after: Substring)? {
    utf8.indices.first { utf8[$0...].starts(with: separator.utf8) }.map {
      (self[..<$0], self[utf8.index($0, offsetBy: separator.utf8.count)...])
    }
  }
}

extension Connection {
  /// Returns how SQLite would run a statement. The statement is prepared, but does not run.
  package func explainedPlan(of sql: String) throws -> ExplainedPlan {
    var steps: [ExplainedPlan.Step] = []
    try prepare(SQL(verbatim: "EXPLAIN QUERY PLAN \(sql)")).forEachRow { row in
      let detail = row.string(at: 3)
      steps.append(
        ExplainedPlan.Step(
          id: row.int64(at: 0), parent: row.int64(at: 1), detail: detail,
          operation: ExplainedPlan.Operation(detail)))
    }
    return ExplainedPlan(steps: steps)
  }

  /// Returns the instructions of a statement, which is prepared, but does not run.
  ///
  /// Source: [EXPLAIN](https://sqlite.org/lang_explain.html).
  func explainedInstructions(of sql: String) throws -> [ExplainedInstruction] {
    var instructions: [ExplainedInstruction] = []
    try prepare(SQL(verbatim: "EXPLAIN \(sql)")).forEachRow {
      instructions.append(ExplainedInstruction($0))
    }
    return instructions
  }
}

/// An instruction of a prepared statement, as `EXPLAIN` returns it.
///
/// Source: [The SQLite Bytecode Engine](https://www.sqlite.org/opcode.html).
struct ExplainedInstruction {
  let name: String
  let registers: (Int64, Int64, Int64)
  let operand: String?

  fileprivate init(_ row: borrowing RowView) {
    name = row.string(at: 1)
    registers = (row.int64(at: 2), row.int64(at: 3), row.int64(at: 4))
    operand = row.storageClass(at: 5) == .null ? nil : row.string(at: 5)
  }

  static let comparisons: Set<String> = ["Lt", "Le", "Gt", "Ge", "Eq", "Ne"]
  /// The number of bytes of a collation's name that are shown.
  static let shownLength = 18
}
