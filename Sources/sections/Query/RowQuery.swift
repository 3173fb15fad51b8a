import FetchedResults
import SQLiteStorage

/// What the arguments ask for, as a request to the library.
struct RowQuery {
  /// The rows, with the columns to print.
  let request: FetchRequest<Row>
  let sectionKey: SectionKey<Row>?
  /// The names of the columns to print.
  let columns: [String]

  /// Looks the source up in `database`.
  ///
  /// - Parameter standardInput: reads the SELECT where the source is `-`.
  /// - Throws: `UsageError` for a sort term that is none, `DatabaseError` and `FetchError`.
  init(
    _ options: SourceOptions, in database: Database, standardInput: () throws -> String
  ) throws {
    let source = try Source(options.source, in: database, standardInput: standardInput)
    columns = options.columns.map { source.names(in: $0) } ?? source.columns
    var request = source.request
      .sorted(by: try options.sort.flatMap { try source.sortTerms(in: $0) })
      .with(
        parameters: Dictionary(uniqueKeysWithValues: options.parameter.map { ($0.name, $0.value) })
      )
      .limited(to: options.limit, offset: options.offset)
    if options.columns != nil { request = request.columns(columns) }
    if let condition = options.condition { request = request.filter(SQLFragment(sql: condition)) }
    self.request = request
    sectionKey = options.by.map(source.sectionKey)
  }
}

extension RowQuery {
  /// Where the rows come from, and the columns they have.
  private struct Source {
    let request: FetchRequest<Row>
    let columns: [String]

    init(
      _ argument: String, in database: Database, standardInput: () throws -> String
    ) throws {
      let table = try database.read { try $0.table(named: argument) }
      if let table {
        columns = table.columns.map(\.name)
        request = FetchRequest(table: argument)
      } else if argument == "-" || argument.contains(where: \.isWhitespace) {
        let sql = argument == "-" ? try standardInput() : argument
        columns = try database.read { connection in
          _ = try connection.readRegion(of: sql)
          return try connection.prepare(sql).columnNames.names
        }
        request = FetchRequest(select: sql)
      } else {
        // The library says what there is instead.
        columns = []
        request = FetchRequest(table: argument)
      }
    }

    private func hasColumn(_ name: String) -> Bool {
      columns.contains { $0.sqliteFolded == name.sqliteFolded }
    }

    /// The names in a list separated by commas, unless it is one name with a comma in it.
    func names(in list: String) -> [String] {
      hasColumn(list) ? [list] : list.split(separator: ",").map { $0.trimmed }
    }

    /// What makes the sections: a column where the text can be one, else an expression.
    func sectionKey(_ text: String) -> SectionKey<Row> {
      let isName = text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
      if isName || hasColumn(text) { return .property(\Row[text]) }
      return .expression(SQLFragment(sql: text))
    }

    /// The terms of a list separated by commas.
    func sortTerms(in list: String) throws -> [SortTerm<Row>] {
      if hasColumn(list) { return [.by(\Row[list])] }
      return try list.split(separator: ",").map { try sortTerm($0.trimmed) }
    }

    private func sortTerm(_ text: String) throws -> SortTerm<Row> {
      var direction = SortTerm<Row>.Direction.ascending
      var collation: Collation?
      var nulls: SortTerm<Row>.Nulls?
      var name = text
      // From the end, since a column's name may have colons itself.
      while !hasColumn(name), let colon = name.lastIndex(of: ":") {
        switch name[name.index(after: colon)...].lowercased() {
        case "asc": direction = .ascending
        case "desc": direction = .descending
        case "nocase": collation = .nocase
        case "rtrim": collation = .rtrim
        case "nullsfirst": nulls = .first
        case "nullslast": nulls = .last
        case let option:
          throw UsageError(
            description: "--sort \(text): \(option) is none of asc, desc, nocase, rtrim, "
              + "nullsfirst and nullslast")
        }
        name = String(name[..<colon])
      }
      let column = name
      return .by(\Row[column], direction, collation: collation, nulls: nulls)
    }
  }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
