internal import SmallFoundation
internal import FetchedResults
internal import SQLiteStorage

/// A table that JSON records are written to.
struct ImportTarget {
  private let table: TableDescription
  private let columns: [ExactText: TableDescription.Column]

  /// Looks up the table.
  init(_ name: String, in connection: Connection) throws {
    guard let table = try connection.table(named: name) else {
      let names = try connection.tables().filter { $0.kind != .view }.map(\.name)
      throw FetchError(
        .noSuchTable, "there is no table \(name)",
        nextStep: names.isEmpty
          ? "The database has no tables"
          : "The database has: \(names.joined(separator: ", "))")
    }
    guard table.kind == .table || table.kind == .virtual else {
      throw FetchError(
        .notWritable,
        "records cannot be written to \(table.name), which is a \(table.kind.rawValue)",
        nextStep: "Name the table behind it")
    }
    self.table = table
    columns = Dictionary(
      table.columns.map { ($0.name.sqliteFolded, $0) }, uniquingKeysWith: { first, _ in first })
  }

  func insert(_ record: JSONRecord, by connection: Connection) throws {
    var names: [String] = []
    var values: [Value] = []
    var seen: Set<ExactText> = []
    for member in try record.members() {
      let column = try column(named: member.name)
      guard seen.insert(column.name.exact).inserted else {
        throw FetchError.invalidRecord("\(column.name) is given twice")
      }
      names.append(column.name.quotedIdentifier)
      values.append(try value(of: member, for: column))
    }
    var sql = "INSERT INTO \(table.schema.quotedIdentifier).\(table.name.quotedIdentifier) "
    if names.isEmpty {
      sql += "DEFAULT VALUES"
    } else {
      let open = Array(repeating: "?", count: names.count).joined(separator: ", ")
      sql += "(\(names.joined(separator: ", "))) VALUES (\(open))"
    }
    try connection.execute(sql, values)
    guard table.kind == .virtual || connection.changeCount > 0 else {
      throw FetchError.invalidRecord("a trigger or a conflict clause ignored the record")
    }
  }

  private func column(named name: String) throws -> TableDescription.Column {
    guard let column = columns[name.sqliteFolded] else {
      throw FetchError(
        .noSuchColumn, "there is no column \(name.isEmpty ? "\"\"" : name) in \(table.name)",
        nextStep: "The columns are: \(table.columns.map(\.name).joined(separator: ", "))")
    }
    guard !column.isGenerated else {
      throw FetchError(
        .notWritable, "the column \(column.name) of \(table.name) is generated",
        nextStep: "Give the columns it is computed from")
    }
    return column
  }

  private func value(
    of member: JSONValue.Member, for column: TableDescription.Column
  ) throws -> Value {
    guard let value = try member.value.columnValue(for: column.name) else {
      throw FetchError.invalidRecord(
        "\(column.name) cannot hold \(member.value.summary)")
    }
    guard value.fits(column.declaredType) else {
      throw FetchError.invalidRecord(
        "\(column.name) must be \(column.declaredType), not \(member.value.summary)")
    }
    return value
  }
}

extension JSONValue {
  /// The value for a column; nil if no column can contain it.
  ///
  /// - Throws: `FetchError` with code `.invalidRecord` for a number that is too large.
  fileprivate func columnValue(for column: String) throws -> Value? {
    switch self {
    case .null: return .null
    case .bool(let value): return .integer(value ? 1 : 0)
    case .string(let text): return .text(text)
    case .number(let text):
      if let integer = Int64(text) { return .integer(integer) }
      guard text.contains(where: { ".eE".contains($0) }), let real = Double(text), real.isFinite
      else { throw FetchError.invalidRecord("\(column) is \(summary), which is too large") }
      return .real(real)
    case .object(let members):
      guard members.count == 1, members[0].name == "base64",
        case .string(let text) = members[0].value, let data = Data(base64Encoded: text)
      else { return nil }
      return .blob(Array(data))
    case .array: return nil
    }
  }
}

extension Value {
  /// Whether a column with this declared type accepts the value. The rules are those of a `STRICT` table, except that
  /// text is never converted to a number, nor a number to text. Columns of other types accept any value: SQLite
  /// enforces no type for `DATE` or `VARCHAR(20)`.
  fileprivate func fits(_ declaredType: String) -> Bool {
    switch (declaredType.sqliteFolded, self) {
    case (_, .null): true
    case ("integer", .real(let real)), ("int", .real(let real)): Int64(exactly: real) != nil
    case ("integer", let value), ("int", let value): value.isNumber
    case ("real", let value): value.isNumber
    case ("text", .text), ("blob", .blob): true
    case ("text", _), ("blob", _): false
    default: true
    }
  }

  private var isNumber: Bool {
    switch self {
    case .integer, .real: true
    default: false
    }
  }
}
