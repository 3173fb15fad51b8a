/// Random transactions on a ``RandomSchema``.
struct RandomWrites {
  /// The statements of one transaction, of which some may fail.
  struct Transaction {
    var statements: [String]
    /// Whether another connection runs it.
    let isForeign: Bool
  }

  private let schema: RandomSchema

  init(_ schema: RandomSchema) { self.schema = schema }

  func next(_ draw: inout RandomDraw) -> Transaction {
    Transaction(
      statements: (0..<draw.number(1...6)).flatMap { _ in statements(&draw) },
      isForeign: draw.chance(30))
  }

  /// Inserts a row, unless it is not allowed.
  func insert(into table: RandomSchema.Source, or: String = "IGNORE", _ draw: inout RandomDraw)
    -> String
  {
    let columns = draw.some(of: table.columns.filter { !$0.isGenerated }, 90)
    let list = columns.map(\.name).joined(separator: ", ")
    let values = columns.map { column in
      table.columns[0].name == column.name && draw.chance(70)
        ? "\(draw.number(0...25))" : draw.value(for: column.type)
    }.joined(separator: ", ")
    return "INSERT OR \(or) INTO \(table.name)(\(list)) VALUES (\(values))"
  }

  private func statements(_ draw: inout RandomDraw) -> [String] {
    guard draw.chance(7) else { return [statement(&draw)] }
    let inner = (0..<draw.number(1...3)).map { _ in statement(&draw) }
    return ["SAVEPOINT s"] + inner + [draw.one(of: ["ROLLBACK TO s", "RELEASE s"])]
  }

  private func statement(_ draw: inout RandomDraw) -> String {
    let table = draw.one(of: schema.tables)
    let column = draw.one(of: table.columns.filter { !$0.isGenerated })
    let value = draw.value(for: column.type)
    let condition = condition(table, &draw)
    let or = draw.one(of: ["", "", " OR IGNORE", " OR REPLACE", " OR FAIL"])
    switch draw.number(0...21) {
    case 0...6: return insert(into: table, &draw)
    case 7...8: return insert(into: table, or: "REPLACE", &draw)
    case 9:
      let insert = insert(into: table, or: "ABORT", &draw)
      let set = draw.one(of: [
        "NOTHING", "UPDATE SET \(column.name) = \(value)",
        "UPDATE SET \(column.name) = excluded.\(column.name)",
      ])
      return "\(insert) ON CONFLICT DO \(set)"
    case 10...13:
      return "UPDATE\(or) \(table.name) SET \(column.name) = \(value) WHERE \(condition)"
    case 14:
      let key = table.key.first ?? table.columns[0].name
      let type = table.column(key)?.type ?? ""
      return "UPDATE\(or) \(table.name) SET \(key) = \(draw.value(for: type)) WHERE \(condition)"
    case 15:
      return "UPDATE\(or) \(table.name) SET \(column.name) = \(column.name) + 1 WHERE \(condition)"
    case 16:
      guard table.hasRowID else { fallthrough }
      return
        "UPDATE\(or) \(table.name) SET rowid = rowid + \(draw.number(1...3)) WHERE \(condition)"
    case 17:
      let names = table.columns.filter { !$0.isGenerated && !table.key.contains($0.name) }
        .map(\.name).joined(separator: ", ")
      guard !names.isEmpty else { fallthrough }
      return
        "INSERT OR IGNORE INTO \(table.name)(\(names)) SELECT \(names) FROM \(table.name) LIMIT 2"
    case 18:
      return draw.chance(25) ? "DELETE FROM \(table.name)" : insert(into: table, &draw)
    default: return "DELETE FROM \(table.name) WHERE \(condition)"
    }
  }

  private func condition(_ table: RandomSchema.Source, _ draw: inout RandomDraw) -> String {
    let column = draw.one(of: table.columns)
    let value = draw.value(for: column.type)
    return draw.one(of: [
      "\(column.name) IS \(value)", "\(column.name) = \(value)", "\(column.name) > \(value)",
      table.hasRowID ? "rowid % 3 = \(draw.number(0...2))" : "\(column.name) < \(value)",
      table.hasRowID ? "rowid = \(draw.number(1...9))" : "\(column.name) = \(value)",
    ])
  }
}
