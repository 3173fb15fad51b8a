internal import FetchedResults

/// A line of an explanation, as people read it.
package struct ExplanationLine: Hashable, Sendable {
  package enum Kind: Sendable {
    case verdict
    case label
    case sql
    case step
    case obstacle
    /// A statement to be copied, which must be on one line.
    case index
  }

  /// What is drawn of the tree before the text.
  package let prefix: String
  /// The same before the rest of the text, if that is on further lines.
  package let continuation: String
  package let text: String
  package let kind: Kind
}

extension MaintenanceExplanation: CustomStringConvertible {
  /// The explanation as a tree, in several lines.
  public var description: String {
    lines.map { $0.prefix + $0.text }.joined(separator: "\n")
  }

  /// The lines of ``description``.
  package var lines: [ExplanationLine] {
    var roots = derivations.map(\.node)
    if let row {
      let whose = derivations.contains { $0.effect == .held } ? "each group" : "each key"
      roots.append(Node("\(whose): \(row.finds)", parts: row.nodes))
    }
    let isOnlyRow = key.isEmpty && !isPacked && derivations.contains { $0.effect == .held }
    let identified =
      isOnlyRow
      ? "its only row"
      : key.isEmpty ? "rows without a key" : "rows by \(key.joined(separator: ", "))"
    let packed = isPacked ? ", packed in memory" : ""
    var lines = [
      ExplanationLine(prefix: "", continuation: "", text: verdict, kind: .verdict),
      ExplanationLine(
        prefix: "", continuation: "", text: "\(source ?? "The SELECT"), \(identified)\(packed)",
        kind: .label),
    ]
    lines += roots.lines(after: "")
    if let better = maintenanceWithIndexes {
      let would =
        better == .touchedRows
        ? "a changed row would cost look-ups only" : "the versions would be compared less often"
      let these = indexes.count == 1 ? "this index" : "these indexes"
      lines.append(
        ExplanationLine(prefix: "", continuation: "", text: "With \(these) \(would):", kind: .label)
      )
      lines += indexes.map {
        ExplanationLine(prefix: "", continuation: "", text: $0.sql, kind: .index)
      }
    }
    return lines
  }
}

/// A node of the tree that is drawn.
private struct Node {
  let text: String
  let kind: ExplanationLine.Kind
  let parts: [Node]

  init(_ text: String, _ kind: ExplanationLine.Kind = .label, parts: [Node] = []) {
    self.text = text
    self.kind = kind
    self.parts = parts
  }
}

extension [Node] {
  fileprivate func lines(after indent: String) -> [ExplanationLine] {
    enumerated().flatMap { number, node -> [ExplanationLine] in
      let isLast = number == count - 1
      let inner = indent + (isLast ? "   " : "│  ")
      let line = ExplanationLine(
        prefix: indent + (isLast ? "└─ " : "├─ "),
        continuation: inner + (node.parts.isEmpty ? "   " : "│  "), text: node.text,
        kind: node.kind)
      return [line] + node.parts.lines(after: inner)
    }
  }
}

extension MaintenanceExplanation.Derivation {
  fileprivate var node: Node {
    let name = schema == "main" ? table : "\(schema).\(table)"
    var parts: [Node] = []
    if let reason, queries.allSatisfy({ $0.obstacle == nil }) {
      parts.append(Node("compared: \(reason)", .obstacle))
    }
    parts += queries.flatMap(\.nodes)
    if let cost { parts.append(Node("measured: \(cost.words(for: effect))")) }
    return Node("\(name): \(summary)", parts: parts)
  }
}

extension MaintenanceExplanation.Query {
  /// The query with its steps below it.
  fileprivate var nodes: [Node] {
    var parts = steps.map(\.node)
    if let obstacle { parts.append(Node("too expensive: \(obstacle)", .obstacle)) }
    return [Node(sql, .sql, parts: parts)]
  }
}

extension MaintenanceExplanation.Step {
  fileprivate var node: Node {
    Node(detail, isObstacle ? .obstacle : .step, parts: parts.map(\.node))
  }
}

extension MaintenanceExplanation.Cost {
  fileprivate func words(for effect: MaintenanceExplanation.Derivation.Effect) -> String {
    switch effect {
    case .value: return "the value takes \(time)"
    case .invalidation, .held: return "row \(row) takes \(time)"
    case .key, .rows, .comparison:
      let keys = "\(hasMore ? "more than " : "")\(keyCount) \(keyCount == 1 ? "key" : "keys")"
      return "row \(row) leads to \(keys) of the result, which takes \(time)"
    }
  }

  /// The time with two digits or three.
  private var time: String {
    let microseconds = seconds * 1_000_000
    for (unit, size) in [("µs", 1.0), ("ms", 1_000)] where microseconds < 1_000 * size {
      let value = microseconds / size
      return value < 10
        ? "\((value * 10).rounded() / 10) \(unit)" : "\(Int(value.rounded())) \(unit)"
    }
    return "\((seconds * 10).rounded() / 10) s"
  }
}
