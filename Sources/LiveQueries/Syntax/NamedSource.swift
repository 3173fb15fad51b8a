internal import SQLiteStorage

/// A table, view or table-valued function that a SELECT names.
package struct NamedSource: Hashable, Sendable {
  /// The schema, if it is named too.
  package let schema: String?
  package let name: String

  /// What a SELECT and the SELECTs in it name, in order, without the tables of their WITH clauses.
  ///
  /// - Throws: ``SelectRefusal`` if the SELECT is not understood.
  package static func all(in sql: String) throws(SelectRefusal) -> [NamedSource] {
    var sources: [NamedSource] = []
    try TreeParser.parse(sql).addSources(to: &sources, hidden: [])
    return sources
  }
}

extension SelectTree {
  /// - Parameter hidden: the folded names of common tables.
  fileprivate func addSources(to sources: inout [NamedSource], hidden: Set<ExactText>) {
    let hidden = hidden.union(with.map(\.name.sqliteFolded))
    for table in with { table.select.addSources(to: &sources, hidden: hidden) }
    for arm in arms {
      for item in arm.core.from { item.addSources(to: &sources, hidden: hidden) }
      for clause in arm.core.clauses { clause.addSources(to: &sources, hidden: hidden) }
    }
    for clause in orderBy.map(\.expression) + [limit, offset].compactMap(\.self) {
      clause.addSources(to: &sources, hidden: hidden)
    }
  }
}

extension FromItem {
  fileprivate func addSources(to sources: inout [NamedSource], hidden: Set<ExactText>) {
    switch source {
    case .table(let schema, let name, _):
      sources.add(name, in: schema, hidden: hidden)
    case .select(let select): select.addSources(to: &sources, hidden: hidden)
    case .group(let items): for item in items { item.addSources(to: &sources, hidden: hidden) }
    }
    for expression in expressions { expression.addSources(to: &sources, hidden: hidden) }
  }
}

extension Expression {
  fileprivate func addSources(to sources: inout [NamedSource], hidden: Set<ExactText>) {
    forEach { part in
      if case .inTable(_, _, let schema, let name, _) = part.kind {
        sources.add(name, in: schema, hidden: hidden)
      }
    }
    for select in selects { select.addSources(to: &sources, hidden: hidden) }
  }
}

extension [NamedSource] {
  fileprivate mutating func add(_ name: String, in schema: String?, hidden: Set<ExactText>) {
    guard schema != nil || !hidden.contains(name.sqliteFolded) else { return }
    append(NamedSource(schema: schema, name: name))
  }
}
