import Foundation
import RowQueries
import SQLiteStorage
import SectionsServer

/// What the arguments of `sections serve` mean.
extension ServeCommand {
  /// Whether a file exists that is a database: a table may have the name of another file.
  static func isDatabase(_ path: String) -> Bool {
    // What cannot be read is taken for a source, and reported as one.
    guard let file = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? file.close() }
    // A database has no content before its first table is created.
    guard let start = try? file.read(upToCount: 16), !start.isEmpty else {
      return URL(fileURLWithPath: path).pathExtension != ""
    }
    return start == Data("SQLite format 3\0".utf8)
  }

  /// Whether a text is a scheme, a host and perhaps a port, as browsers send them.
  static func isOrigin(_ text: String) -> Bool {
    guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty else {
      return false
    }
    return ["http", "https"].contains(parts.scheme?.lowercased()) && parts.path.isEmpty
      && parts.query == nil && parts.fragment == nil && parts.user == nil
  }

  static let tokenRule = "must have 16 or more letters, digits, - . _ and ~"

  static func isToken(_ text: String) -> Bool {
    text.utf8.count >= 16 && text.utf8.allSatisfy(\.isUnreserved)
  }

  /// The token of the options or of the environment.
  func secret() throws -> String? {
    let variable = "SECTIONS_TOKEN"
    let given: (text: String, place: String)? =
      if let tokenFile {
        (String(decoding: try InputFile(tokenFile).bytes, as: UTF8.self), tokenFile)
      } else {
        ProcessInfo.processInfo.environment[variable].map { ($0, variable) }
      }
    guard token == nil, let given else { return token }
    let text = given.text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard ServeCommand.isToken(text) else {
      throw ToolError(
        "the token \(ServeCommand.tokenRule): see \(given.place)")
    }
    return text
  }

  static func name(of file: DatabaseOptions) -> String {
    URL(fileURLWithPath: file.database).lastPathComponent
  }

  /// The source of the arguments.
  func given(
    _ source: String, select: String?, in connection: Connection
  ) throws -> GivenSource {
    let table = try ServeCommand.table(source, select: select, in: connection)
    return GivenSource(
      table: table, select: table == nil ? select ?? source : nil,
      condition: RowOptions.all(conditions), by: by, sort: sort, totals: total)
  }

  /// A list of the configuration.
  func given(_ list: NamedList, in connection: Connection) throws -> GivenSource {
    let (source, rows) = (list.options.source.source, list.options.source.rows)
    guard rows.limit == nil, rows.offset == 0 else {
      throw ToolError("\(list.name): limit and offset cannot be served. Remove them")
    }
    let table = try ServeCommand.table(source, select: nil, in: connection)
    return GivenSource(
      list: list.name, table: table, select: table == nil ? source : nil,
      condition: rows.condition, by: rows.by, sort: rows.sort, totals: rows.total,
      columns: rows.columns,
      parameters: Dictionary(
        uniqueKeysWithValues: rows.parameter.map { ($0.name.exact, $0.value) }),
      key: list.options.key.key)
  }

  /// The name of the table or view that a source is, as the schema spells it; nil for a SELECT.
  private static func table(
    _ source: String, select: String?, in connection: Connection
  ) throws -> String? {
    guard select == nil else { return nil }
    if let table = try connection.table(named: source) { return table.name }
    // A name that does not exist, which is reported.
    return source.isStatement ? nil : source
  }

  /// Opens a page with the program that the user has chosen for pages.
  ///
  /// - Parameter page: leads to the address, which must not be in the list of processes; nil if it may be there.
  static func openBrowser(at address: String, by page: RedirectPage?) {
    #if os(macOS)
      let program = "/usr/bin/open"
    #else
      let program = "/usr/bin/xdg-open"
    #endif
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do {
      process.arguments = [try page?.write(leadingTo: address) ?? address]
    } catch {
      return Console.report("\(error). Open the address yourself")
    }
    do {
      try process.run()
    } catch {
      Console.report("cannot start a browser (\(program)). Open the address yourself")
    }
  }
}
