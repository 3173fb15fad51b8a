internal import SQLiteStorage

/// Says in words what the queries of a way find.
///
/// The queries are read as SQL. Their tables have the numbers that the tables of the SELECT have, so
/// the terms of its GROUP BY and PARTITION BY are recognised in them.
struct WayWords {
  private var groups: Set<[String]> = []
  private var partitions: Set<[String]> = []

  /// - Parameter sql: the SELECT of a ``LivePlan``.
  init(_ sql: String, _ schema: SelectSchema) throws(SelectRefusal) {
    var resolver = NameResolver(schema)
    let resolved = try resolver.resolve(try TreeParser.parse(sql))
    let finder = WayFinder(
      tables: resolver.tables, aggregates: schema.aggregates, hasCollations: true)
    collect(try finder.prepared(resolved.tree), finder)
  }

  private mutating func collect(_ tree: SelectTree, _ finder: WayFinder) {
    for core in tree.arms.map(\.core) {
      if !core.groupBy.isEmpty { groups.insert(core.groupBy.map(\.sql.withoutQuotes)) }
      for partition in finder.partitions(core) {
        partitions.insert(partition.map(\.sql.withoutQuotes))
      }
      for select in core.allSelects { collect(select, finder) }
    }
  }

  /// What follows from a touched row.
  func summary(of way: LivePlan.Way) -> String {
    switch way {
    case .queries(let queries): words(for: queries).joined(separator: "; then ")
    case .value: "one value for all rows; if it differs, the versions are compared"
    case .alarm: "whether there is a NULL in a list; if there is, the versions are compared"
    case .none: "the versions are compared"
    }
  }

  /// What each of several queries finds, of which one is asked with the rows of the one before.
  func words(for queries: [String]) -> [String] {
    var before: String?
    return queries.map { query in
      let (words, kind) = words(for: query, after: before)
      before = kind
      return words
    }
  }

  /// - Parameter before: what the query before it finds; nil for the first query.
  private func words(for query: String, after before: String?) -> (words: String, kind: String) {
    guard let tree = try? TreeParser.parse(query) else { return ("values", "values") }
    let (core, values) = tree.arms[0].core.source
    let outputs = values.map(\.sql.withoutQuotes)
    let numbers = Set(values.flatMap(\.itemNumbers))
    if outputs == ["1"] { return ("whether there is a NULL", "rows") }
    let names = names(in: core)
    let shown = values.map { WayWords.text(of: $0.sql, numbers.count == 1 ? [:] : names) }
      .joined(separator: ", ")
    switch before {
    case "groups"?: return ("what is made of these groups: \(shown)", "rows")
    case "partitions"?: return ("the rows in these partitions: \(shown)", "rows")
    case nil: break
    default: return ("what is made of these rows: \(shown)", "rows")
    }
    guard !numbers.isEmpty else { return ("the only row", "rows") }
    let isOfRow = numbers.isSubset(of: core.boundNumbers)
    for (terms, kind) in [(groups, "group"), (partitions, "partition")]
    where terms.contains(outputs) {
      let whose = isOfRow ? "the \(kind) of the row" : "the \(kind)s of the rows that it meets"
      return ("\(whose): \(shown)", "\(kind)s")
    }
    let owners = Set(numbers.compactMap { names[$0] }).sorted().joined(separator: " and ")
    let rows = owners.isEmpty ? "the rows" : "the rows of \(owners)"
    return (isOfRow ? "its \(shown)" : "\(rows) that it meets: \(shown)", "rows")
  }

  /// What the items of a core are called.
  private func names(in core: SelectCore) -> [Int: String] {
    var names: [Int: String] = [:]
    for item in core.from {
      guard let number = item.alias?.itemNumber, case .table(_, let name, _, _) = item.source else {
        continue
      }
      names[number] = name
    }
    return names
  }

  /// An expression as people write it: without the aliases of items.
  ///
  /// - Parameter names: what replaces them; empty if columns are not qualified.
  static func text(of sql: String, _ names: [Int: String] = [:]) -> String {
    let lexer = SQLLexer(sql)
    var text = ""
    var tokens = Array(lexer)[...]
    while let token = tokens.popFirst() {
      let piece = lexer.text(token)
      guard let number = piece.withoutQuotes.itemNumber, tokens.first.map(lexer.text) == "." else {
        text += token.kind == .quotedName ? piece.plainName : piece
        continue
      }
      tokens = tokens.dropFirst()
      if let name = names[number] { text += "\(name)." }
    }
    return text
  }
}

extension SelectCore {
  /// The SELECTs in it, but not those in them.
  var allSelects: [SelectTree] {
    from.flatMap(\.allSelects) + clauses.flatMap(\.selects)
  }
}

extension SelectCore {
  /// The core in which its columns are computed, which may be in FROM, and the columns there.
  fileprivate var source: (core: SelectCore, values: [Expression]) {
    let values = outputs
    guard from.count == 1, case .select(let select) = from[0].source,
      let inner = select.arms.first?.core, inner.values == nil
    else { return (self, values) }
    let positions = values.map { value -> Int? in
      guard case .name(let name) = value.kind, let number = Int(name.column.dropFirst()),
        inner.outputs.indices.contains(number)
      else { return nil }
      return number
    }
    guard !positions.contains(nil) else { return (self, values) }
    var narrowed = inner
    narrowed.columns = positions.compactMap { $0.map { inner.columns[$0] } }
    return narrowed.source
  }

  /// The numbers of the items whose columns are equal to parameters.
  fileprivate var boundNumbers: Set<Int> {
    (condition?.terms ?? []).reduce(into: []) { numbers, term in
      guard case .binary(let left, "=", let right) = term.kind, case .parameter = right.kind else {
        return
      }
      numbers.formUnion(left.itemNumbers)
    }
  }
}

extension FromItem {
  fileprivate var allSelects: [SelectTree] {
    let inSource: [SelectTree] =
      switch source {
      case .table(_, _, let arguments, _): (arguments ?? []).flatMap(\.selects)
      case .select(let select): [select]
      case .group(let items): items.flatMap(\.allSelects)
      }
    return inSource + (on?.selects ?? [])
  }
}

extension Expression {
  /// The numbers of the items whose columns are in an expression that is not resolved.
  fileprivate var itemNumbers: Set<Int> {
    var numbers: Set<Int> = []
    forEach { part in
      if case .name(let name) = part.kind, let number = name.table?.itemNumber {
        numbers.insert(number)
      }
    }
    return numbers
  }
}

extension String {
  fileprivate var withoutQuotes: String { filter { $0 != "\"" } }

  /// The number of an item whose alias it is.
  fileprivate var itemNumber: Int? {
    guard hasPrefix("t"), let number = Int(dropFirst()) else { return nil }
    return FromItem.alias(number) == self ? number : nil
  }

  /// A quoted name without its quotes, if it is a plain one.
  fileprivate var plainName: String {
    let name = withoutQuotes
    let isPlain = !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    return isPlain ? name : self
  }
}
