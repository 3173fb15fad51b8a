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

  /// A list of the configuration.
  static func given(_ list: NamedList, in connection: Connection) throws -> GivenSource {
    guard list.options.source.limits.isEmpty else {
      throw ToolError("\(list.name): limit and offset cannot be served. Remove them")
    }
    return try given(list.options.arguments, list: list.name, in: connection)
  }

  /// The source of the arguments, or of a list of the configuration.
  static func given(
    _ rows: RowArguments, list: String? = nil, in connection: Connection
  ) throws -> GivenSource {
    var rows = rows
    if rows.select == nil {
      if let table = try connection.table(named: rows.source) {
        rows.source = table.name
      } else if rows.source.isStatement {
        rows.select = rows.source
      }
      // Else it is a name that does not exist, which is reported.
    }
    return GivenSource(rows, list: list)
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
