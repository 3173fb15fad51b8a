import ArgumentParser

/// The options of one list in a configuration: those of the command line.
struct ListOptions: ParsableArguments {
  @OptionGroup var source: SourceOptions
  @OptionGroup var key: KeyOption
}

/// A list with its name.
struct NamedList: Sendable {
  let name: String
  let options: ListOptions
}

/// A file with several lists: a table for each, whose name is the list's, and whose keys are the options
/// of the command line.
///
/// ```toml
/// [orders]
/// source = "orders"
/// by = "status"
/// sort = ["placed_at:desc"]
/// total = ["count", "sum(amount)"]
/// ```
enum ListConfiguration {
  /// The options that a list may have.
  private static let keys = [
    "source", "by", "sort", "where", "parameter", "columns", "total", "limit", "offset", "key",
  ]

  /// Reads the lists of a file, in its order.
  ///
  /// - Throws: `ToolError`, with the name of the file and the line.
  static func lists(in file: InputFile) throws -> [NamedList] {
    guard let text = String(validating: file.bytes, as: UTF8.self) else {
      throw ToolError("\(file.name) is not text in UTF-8", .badData)
    }
    do {
      let tables = try ConfigurationFile(text).tables
      guard !tables.isEmpty else {
        throw ConfigurationFile.Error(
          line: 1, "there is no list. Begin each with its name, such as [orders]")
      }
      return try tables.map(list)
    } catch let error as ConfigurationFile.Error {
      throw ToolError("\(file.name), line \(error.line): \(error.message)", .badData)
    }
  }

  private static func list(_ table: ConfigurationFile.Table) throws -> NamedList {
    var arguments: [String] = []
    var source: String?
    for entry in table.entries {
      guard keys.contains(entry.key) else {
        throw ConfigurationFile.Error(
          line: entry.line,
          "there is no option \(entry.key). The options are: \(keys.joined(separator: ", "))")
      }
      switch entry.key {
      case "source":
        guard entry.values.count == 1, entry.values[0] != "-" else {
          throw ConfigurationFile.Error(
            line: entry.line, "source must be a table, a view or a SELECT")
        }
        source = entry.values[0]
      case "by", "limit", "offset":
        guard entry.values.count == 1 else {
          throw ConfigurationFile.Error(
            line: entry.line, "\(entry.key) must be one value, not a list")
        }
        arguments.append("--\(entry.key)=\(entry.values[0])")
      // Lists that the command line separates by commas.
      case "columns", "key":
        arguments.append("--\(entry.key)=\(entry.values.joined(separator: ","))")
      default: arguments += entry.values.map { "--\(entry.key)=\($0)" }
      }
    }
    guard let source else {
      throw ConfigurationFile.Error(
        line: table.line, "[\(table.name)] has no source. Add one, such as source = \"orders\"")
    }
    do {
      return NamedList(
        name: table.name, options: try ListOptions.parse(arguments + ["--", source]))
    } catch {
      throw ConfigurationFile.Error(
        line: table.line, "[\(table.name)]: \(ListOptions.message(for: error))")
    }
  }
}
