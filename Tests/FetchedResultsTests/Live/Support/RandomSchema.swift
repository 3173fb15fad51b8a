/// A random file: tables with keys of every kind, columns of every affinity and collation, generated
/// columns, constraints, foreign keys, indexes, triggers, and views over views.
struct RandomSchema {
  struct Column {
    let name: String
    let type: String
    var collation = "BINARY"
    var isGenerated = false
    /// Whether equal values look the same: not if 1 and 1.0, or 'a' and 'A', may be equal.
    var isExact: Bool { collation == "BINARY" && Affinity(type) != .none }
  }

  /// What rows can be read from.
  struct Source {
    let name: String
    let columns: [Column]
    /// The columns that identify a row and are never NULL; empty if there are none.
    var key: [String] = []
    var hasRowID = false

    func column(_ name: String) -> Column? { columns.first { $0.name == name } }

    /// The columns that identify a row, or the rowid; empty if there are none.
    var identity: [Column] {
      key.isEmpty && hasRowID ? [Column(name: "rowid", type: "INTEGER")] : key.compactMap(column)
    }
  }

  private(set) var tables: [Source] = []
  private(set) var views: [Source] = []
  /// The statements that make it.
  private(set) var statements: [String] = []

  /// A primary key, or what there is in its place.
  private enum Key: CaseIterable {
    case rowID, rowID2, rowID3, rowID4, autoincrement, descending, single, single2, composite,
      unique, notNullUnique
    case none
  }

  init(_ draw: inout RandomDraw) {
    let count = draw.number(2...4)
    for number in 0..<count { addTable(number, &draw) }
    for table in tables {
      for column in table.columns where draw.chance(55) {
        statements.append(
          "CREATE INDEX \(table.name)_\(column.name) ON \(table.name)(\(column.name))")
      }
    }
    for number in 0..<draw.number(0...4) { addIndex("i\(number)", &draw) }
    for number in 0..<draw.number(0...2) { addTrigger("tr\(number)", &draw) }
    for number in 0..<draw.number(0...3) { addView("v\(number)", &draw) }
  }

  // MARK: Tables

  private mutating func addTable(_ number: Int, _ draw: inout RandomDraw) {
    let key = draw.one(of: Key.allCases)
    let isStrict = draw.chance(20)
    let types =
      isStrict
      ? ["INTEGER", "INT", "TEXT", "REAL", "BLOB", "ANY"]
      : [
        "INTEGER", "INT", "TEXT", "VARCHAR(9)", "REAL", "DOUBLE", "NUMERIC", "DECIMAL(5,2)", "BLOB",
        "", "BOOLEAN",
      ]
    // Names that several tables have, so that NATURAL and USING find some.
    func name(_ name: String, _ draw: inout RandomDraw) -> String {
      draw.chance(50) ? name : "\(name)\(number)"
    }
    func collation(_ percent: Int, _ draw: inout RandomDraw) -> String {
      draw.chance(percent) ? draw.one(of: ["NOCASE", "RTRIM"]) : "BINARY"
    }
    var columns: [Column] = []
    var definitions: [String] = []
    var constraints: [String] = []
    var keyNames: [String] = []
    var isNotNull = false
    let isComposite = key == .composite
    for base in key == .none ? [] : isComposite ? ["k", "l"] : ["id"] {
      var type = draw.one(of: types)
      if [.rowID, .rowID2, .rowID3, .rowID4, .autoincrement, .descending].contains(key) {
        type = "INTEGER"
      }
      let column = Column(
        name: name(base, &draw), type: type,
        collation: type == "INTEGER" ? "BINARY" : collation(25, &draw))
      columns.append(column)
      keyNames.append(column.name)
      var definition = "\(column.name) \(type)"
      switch key {
      case .rowID, .rowID2, .rowID3, .rowID4: definition += " PRIMARY KEY"
      case .autoincrement: definition += " PRIMARY KEY AUTOINCREMENT"
      // Not the rowid, so it may be NULL.
      case .descending: definition += " PRIMARY KEY DESC"
      case .single, .single2: definition += " PRIMARY KEY"
      case .unique: definition += " UNIQUE"
      case .notNullUnique: definition += " NOT NULL UNIQUE"
      case .composite, .none: break
      }
      definitions.append(definition + Self.collate(column))
    }
    if isComposite { constraints.append("PRIMARY KEY(\(keyNames.joined(separator: ", ")))") }
    let isWithoutRowID =
      [.rowID2, .descending, .single, .single2, .composite].contains(key) && draw.chance(40)
    isNotNull =
      isWithoutRowID
      || [.rowID, .rowID2, .rowID3, .rowID4, .autoincrement, .notNullUnique].contains(key)

    addReference(name("p", &draw), types, &columns, &definitions, keyNames, number, &draw)
    for (base, wanted) in [("g", "TEXT"), ("n", "INT"), ("v", "")] {
      let type = draw.chance(60) && types.contains(wanted) ? wanted : draw.one(of: types)
      let column = Column(
        name: name(base, &draw), type: type, collation: collation(base == "g" ? 45 : 10, &draw))
      let constraint =
        draw.chance(85)
        ? ""
        : draw.one(of: [
          " CHECK (\(column.name) IS NOT 'b')", " CHECK (length(\(column.name)) < 5)",
          " NOT NULL DEFAULT 1", " CHECK (typeof(\(column.name)) <> 'blob')", " DEFAULT 'a'",
        ])
      columns.append(column)
      definitions.append("\(column.name) \(type)\(constraint)\(Self.collate(column))")
    }
    if draw.chance(35) { addGenerated(name("x", &draw), isStrict, &columns, &definitions, &draw) }

    let options = [isStrict ? "STRICT" : nil, isWithoutRowID ? "WITHOUT ROWID" : nil]
      .compactMap(\.self).joined(separator: ", ")
    let content = (definitions + constraints).joined(separator: ", ")
    statements.append("CREATE TABLE t\(number)(\(content))\(options.isEmpty ? "" : " " + options)")
    tables.append(
      Source(
        name: "t\(number)", columns: columns, key: isNotNull ? keyNames : [],
        hasRowID: !isWithoutRowID))
    keys.append(key == .none || isComposite ? nil : keyNames[0])
  }

  /// The column of each table that a foreign key can refer to.
  private var keys: [String?] = []

  /// Adds a column with values of a key: of another table or of its own.
  private mutating func addReference(
    _ name: String, _ types: [String], _ columns: inout [Column], _ definitions: inout [String],
    _ key: [String], _ number: Int, _ draw: inout RandomDraw
  ) {
    let target = draw.number(0...max(0, number - 1))
    guard number > 0, let parent = keys[target], let column = tables[target].column(parent) else {
      let type = draw.one(of: types)
      columns.append(Column(name: name, type: type))
      definitions.append("\(name) \(type)")
      return
    }
    let type = types.contains(column.type) && draw.chance(80) ? column.type : draw.one(of: types)
    columns.append(Column(name: name, type: type))
    var definition = "\(name) \(type)"
    if draw.chance(50) {
      definition += " REFERENCES t\(target)(\(parent))"
      definition +=
        " ON DELETE \(draw.one(of: ["CASCADE", "CASCADE", "SET NULL", "NO ACTION", "RESTRICT"]))"
      definition += " ON UPDATE \(draw.one(of: ["CASCADE", "CASCADE", "SET NULL", "NO ACTION"]))"
      if draw.chance(20) { definition += " DEFERRABLE INITIALLY DEFERRED" }
    }
    definitions.append(definition)
  }

  private func addGenerated(
    _ name: String, _ isStrict: Bool, _ columns: inout [Column], _ definitions: inout [String],
    _ draw: inout RandomDraw
  ) {
    let base = draw.one(of: columns).name
    let type = isStrict ? "ANY" : draw.one(of: ["", "TEXT", "INT"])
    let column = Column(
      name: name, type: type, collation: draw.chance(20) ? "NOCASE" : "BINARY", isGenerated: true)
    let expression = draw.one(of: [
      "lower(\(base))", "\(base) || '!'", "length(\(base))", "coalesce(\(base), 0) + 1",
      "CASE WHEN json_valid(\(base)) THEN json_extract(\(base), '$[0]') END", "typeof(\(base))",
    ])
    definitions.append(
      "\(name) \(type) AS (\(expression)) \(draw.one(of: ["STORED", "VIRTUAL"]))"
        + Self.collate(column))
    columns.append(column)
  }

  private static func collate(_ column: Column) -> String {
    column.collation == "BINARY" ? "" : " COLLATE \(column.collation)"
  }

  // MARK: Indexes, triggers, views

  private mutating func addIndex(_ name: String, _ draw: inout RandomDraw) {
    let table = draw.one(of: tables)
    let terms = (0..<draw.number(1...2)).map { _ in
      let column = draw.one(of: table.columns).name
      return draw.one(of: [
        column, column, column, column, "\(column) DESC", "\(column) COLLATE NOCASE",
        "lower(\(column))",
        "\(column) COLLATE BINARY",
      ])
    }
    let column = draw.one(of: table.columns).name
    let condition =
      draw.chance(75)
      ? ""
      : " WHERE " + draw.one(of: ["\(column) IS NOT NULL", "\(column) = 1", "\(column) > 'a'"])
    let unique = draw.chance(10) ? "UNIQUE " : ""
    statements.append(
      "CREATE \(unique)INDEX \(name) ON \(table.name)(\(terms.joined(separator: ", ")))\(condition)"
    )
  }

  private mutating func addTrigger(_ name: String, _ draw: inout RandomDraw) {
    let table = draw.one(of: tables)
    let other = draw.one(of: tables)
    let event = draw.one(of: ["INSERT", "UPDATE", "DELETE"])
    let row = event == "INSERT" ? "new" : event == "DELETE" ? "old" : draw.one(of: ["new", "old"])
    let value = "\(row).\(draw.one(of: table.columns).name)"
    let match = "\(draw.one(of: other.columns).name) = \(row).\(draw.one(of: table.columns).name)"
    let written = draw.one(of: other.columns.filter { !$0.isGenerated }).name
    let action = draw.one(of: [
      "UPDATE OR IGNORE \(other.name) SET \(written) = \(value) WHERE \(match)",
      "UPDATE OR IGNORE \(other.name) SET \(written) = \(value) WHERE \(match)",
      "INSERT OR IGNORE INTO \(other.name)(\(written)) VALUES (\(value))",
      "DELETE FROM \(other.name) WHERE \(match)",
    ])
    let condition = draw.chance(30) ? " WHEN \(value) IS NOT NULL" : ""
    let moment = draw.chance(85) ? "AFTER" : "BEFORE"
    statements.append(
      "CREATE TRIGGER \(name) \(moment) \(event) ON \(table.name)\(condition) BEGIN \(action); END")
  }

  private mutating func addView(_ name: String, _ draw: inout RandomDraw) {
    let source = draw.one(of: tables + views + views)
    var columns = draw.some(of: source.columns, 75)
    columns += source.columns.filter { column in
      source.key.contains(column.name) && !columns.contains { $0.name == column.name }
    }
    var key: [String] = []
    let sql: String
    switch draw.number(0...3) {
    case 0:
      let other = draw.one(of: tables)
      let more = other.columns.filter { column in !columns.contains { $0.name == column.name } }
      let list =
        columns.map { "a.\($0.name)" } + more.map { "b.\($0.name)" }
      columns += more
      let match = "a.\(draw.one(of: source.columns).name) = b.\(draw.one(of: other.columns).name)"
      sql = """
        SELECT \(list.joined(separator: ", ")) FROM \(source.name) a \
        \(draw.one(of: ["JOIN", "LEFT JOIN"])) \(other.name) b ON \(match)
        """
    case 1:
      guard let column = draw.one(of: source.columns, where: \.isExact) else { fallthrough }
      sql = """
        SELECT \(column.name), count(*) AS m FROM \(source.name) GROUP BY \(column.name)
        """
      columns = [column, Column(name: "m", type: "INT")]
    default:
      let list = columns.map(\.name).joined(separator: ", ")
      key = source.key
      let condition =
        draw.chance(50) ? "" : " WHERE \(draw.one(of: source.columns).name) IS NOT NULL"
      sql = "SELECT \(list) FROM \(source.name)\(condition)"
    }
    statements.append("CREATE VIEW \(name) AS \(sql)")
    views.append(Source(name: name, columns: columns, key: key))
  }
}
