import ArgumentParser
import FetchedResults
import SQLiteStorage

/// `sections schema`: prints the tables and views that can be queried.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the tables and views of a database, or the columns of one.")

  @OptionGroup var file: DatabaseOptions

  @Argument(help: "A table or view.")
  var table: String?

  @OptionGroup var format: FormatOptions

  func run() throws {
    let listing = try file.openForReading().read { connection in
      guard let name = table else { return SchemaListing(of: try connection.tables()) }
      guard let table = try connection.table(named: name) else {
        throw FetchError.noSuchTable(name, in: try connection.tables())
      }
      return SchemaListing(of: table)
    }
    try listing.print(to: format.makeWriter())
  }
}
