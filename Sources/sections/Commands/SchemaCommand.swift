import ArgumentParser
import FetchedResults
import RowQueries
import SQLiteStorage

/// `sections schema`: prints the tables and views that can be queried.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the tables and views of a database, or the columns of one.",
    discussion: """
      The key of a column is its position in the primary key. not null and generated are 1 for yes \
      and 0 for no.
      """)

  @OptionGroup var file: DatabaseOptions

  @Argument(help: "A table or view.")
  var table: String?

  @OptionGroup var format: FormatOption
  @OptionGroup var style: StyleOptions

  func run() throws {
    let listing = try file.openForReading().read { connection in
      guard let name = table else { return SchemaListing(of: try connection.tables()) }
      guard let table = try connection.table(named: name) else {
        throw try connection.noSuchTable(name)
      }
      return SchemaListing(of: table)
    }
    try listing.print(to: format.makeWriter(style))
  }
}

/// A schema as rows, so that it prints in every format.
struct SchemaListing {
  private let columns: [String]
  private let sections: [(header: SectionHeader, rows: [[Value]])]

  /// The tables, by kind.
  init(of tables: [TableDescription]) {
    columns = ["name", "key", "columns"]
    sections = [("Tables", .table), ("Views", .view), ("Virtual tables", .virtual)].compactMap {
      (title: String, kind: TableDescription.Kind) in
      let rows = tables.filter { $0.kind == kind }.map { table in
        [
          Value.text(table.name), .text(table.key.joined(separator: ", ")),
          .text(table.columns.map(\.name).joined(separator: ", ")),
        ]
      }
      guard !rows.isEmpty else { return nil }
      let header = SectionHeader(
        section: .text(title), title: title, indexTitle: String(title.prefix(1)), count: rows.count)
      return (header, rows)
    }
  }

  /// The columns of a table.
  init(of table: TableDescription) {
    columns = ["column", "type", "key", "not null", "generated"]
    let rows = table.columns.map { column in
      [
        Value.text(column.name), .text(column.declaredType),
        column.primaryKeyPosition > 0 ? .integer(Int64(column.primaryKeyPosition)) : .null,
        .integer(column.isNotNull ? 1 : 0), .integer(column.isGenerated ? 1 : 0),
      ]
    }
    let header = SectionHeader(
      section: .text(table.name), title: table.name, indexTitle: nil, count: rows.count)
    sections = [(header, rows)]
  }

  func print(to writer: FormatWriter) throws {
    switch writer {
    case .machine(let writer): try print(to: writer) { $0 }
    case .human(let writer): try print(to: writer, cell: DisplayCell.init)
    }
  }

  private func print<Cell>(
    to writer: any ResultWriter<Cell>, cell: (Value) -> Cell
  ) throws {
    try writer.begin(columns: columns, isSectioned: true)
    for (header, rows) in sections {
      try writer.beginSection(header)
      for row in rows { try writer.row(row.map(cell)) }
      try writer.endSection()
    }
    try writer.end()
  }
}
