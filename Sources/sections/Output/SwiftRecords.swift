import SQLiteStorage

/// The Swift source of records for tables: a struct for each, with the list of its columns.
struct SwiftRecords {
  private let tables: [TableDescription]

  init(of tables: [TableDescription]) { self.tables = tables }

  /// The file, which ends with a line break. Equal schemas give equal files.
  var source: String {
    var used = SwiftName.usedTypes
    let records = tables.map { table in
      var name = SwiftName.type(table.name)
      if SwiftName.usedTypes.contains(name) { name += "Record" }
      while !used.insert(name).inserted { name += "2" }
      return SwiftRecord(table, name: name)
    }
    let types = Set(records.flatMap(\.properties).map(\.type))
    var imports = ["FetchedResults"]
    if !types.isDisjoint(with: ["Date", "Decimal", "UUID"]) { imports.append("Foundation") }
    if types.contains("Value") { imports.append("SQLiteStorage") }
    let head =
      ["// Written by `sections generate`. Write it again when the schema has changed."]
      + imports.map { "import \($0)" }
    return ([head.joined(separator: "\n")] + records.map(\.source)).joined(separator: "\n\n") + "\n"
  }
}

private struct SwiftRecord {
  struct Property {
    let name: String
    let column: String
    let type: String
    let isOptional: Bool
  }

  let name: String
  let table: TableDescription
  let properties: [Property]

  init(_ table: TableDescription, name: String) {
    self.table = table
    self.name = name
    var used: Set<String> = []
    // The key may be a rowid that is no column.
    let columns = table.columns.map { column in
      let isKeyRowID = table.isKeyRowID && table.key.exact == [column.name.exact]
      let isNeverNull =
        column.isNotNull || table.isWithoutRowID && column.primaryKeyPosition > 0
      return (
        column.name, isKeyRowID ? "Int64" : SwiftName.columnType(column.declaredType),
        // Without a value the table makes a rowid.
        isKeyRowID || !isNeverNull
      )
    }
    let hidden = table.key.filter { key in !table.columns.contains { $0.name.exact == key.exact } }
    properties = (hidden.map { ($0, "Int64", true) } + columns).map { column, type, isOptional in
      var name = SwiftName.property(column)
      while !used.insert(name).inserted { name += "2" }
      return Property(name: name, column: column, type: type, isOptional: isOptional)
    }
  }

  var source: String {
    let isIdentifiable = properties.contains {
      $0.name == "id" && table.key.exact == [$0.column.exact]
    }
    var lines = ["struct \(name): FetchableRecord\(isIdentifiable ? ", Identifiable" : "") {"]
    lines += properties.map { "  var \($0.name): \($0.type)\($0.isOptional ? "?" : "")" }
    let key = table.key.compactMap { column in
      properties.first { $0.column.exact == column.exact }?.name
    }
    let keys = key.isEmpty ? "" : " key: " + key.map { "\\.\($0)," }.joined(separator: " ")
    lines += [
      "", "  static let recordDescription = RecordDescription(",
      "    table: \(SwiftName.literal(table.name)),\(keys) making: \(name).init,",
    ]
    lines += properties.enumerated().map { index, property in
      "    Column(\(SwiftName.literal(property.column)), \\.\(property.name))"
        + (index + 1 == properties.count ? ")" : ",")
    }
    return (lines + ["}"]).joined(separator: "\n")
  }
}

private enum SwiftName {
  /// The type of a column: by the words in its declared type, as SQLite finds the affinity, and a few
  /// more that say what is stored. `Value` for any other.
  static func columnType(_ declared: String) -> String {
    let declared = declared.uppercased()
    let types: [(words: [String], type: String)] = [
      (["BOOL"], "Bool"), (["DATE", "TIME"], "Date"), (["UUID"], "UUID"), (["INT"], "Int"),
      (["CHAR", "CLOB", "TEXT"], "String"), (["BLOB"], "[UInt8]"),
      (["REAL", "FLOA", "DOUB"], "Double"), (["DECIMAL", "NUMERIC"], "Decimal"),
    ]
    return types.first { $0.words.contains { declared.contains($0) } }?.type ?? "Value"
  }

  static func type(_ name: String) -> String {
    let words = words(of: name).map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return identifier(words.joined(), orAfter: "Table")
  }

  static func property(_ name: String) -> String {
    let words = words(of: name)
    guard let first = words.first else { return "column" }
    // `URL` and `ID` become `url` and `id`, `TrackId` becomes `trackId`.
    let head =
      first == first.uppercased()
      ? first.lowercased() : first.prefix(1).lowercased() + first.dropFirst()
    let tail = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return identifier(head + tail.joined(), orAfter: "column")
  }

  static func literal(_ text: String) -> String {
    var literal = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", "\"": literal += "\\\(scalar)"
      case _ where scalar.properties.generalCategory == .control:
        literal += "\\u{\(String(scalar.value, radix: 16))}"
      default: literal.unicodeScalars.append(scalar)
      }
    }
    return "\"\(literal)\""
  }

  /// The parts of a name between characters that an identifier cannot have.
  private static func words(of name: String) -> [String] {
    name.split { !$0.isLetter && !$0.isNumber }.map { String($0) }
  }

  /// The name, or a word and the name if it cannot begin an identifier.
  private static func identifier(_ name: String, orAfter word: String) -> String {
    if name.first?.isLetter != true { return word + name }
    return keywords.contains(name) ? "`\(name)`" : name
  }

  /// The types that the records are written with. A record of the same name would hide them.
  static let usedTypes: Set<String> = [
    "Bool", "Column", "Date", "Decimal", "Double", "FetchableRecord", "Identifiable", "Int",
    "Int64", "RecordDescription", "String", "UInt8", "UUID", "Value",
  ]

  private static let keywords: Set<String> = [
    "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
    "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
    "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
    "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return",
    "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try",
    "typealias", "var", "where", "while", "Any", "Self", "Type", "Protocol",
  ]
}
