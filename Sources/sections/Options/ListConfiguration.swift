import ArgumentParser
import RowQueries
import SQLiteStorage
import Yams

/// The options of one list in a configuration: those of the command line.
struct ListOptions: ParsableArguments {
  @OptionGroup var source: SourceOptions
  @OptionGroup var key: KeyOption

  var arguments: RowArguments { source.arguments(key) }
}

struct NamedList: Sendable {
  let name: String
  let options: ListOptions
}

/// A YAML file with several lists. Each has a name, and its options are those of the command line.
///
/// ```yaml
/// orders:
///   source: orders
///   by: status
///   sort: [placed_at:desc]
///   total: [count, sum(amount)]
/// ```
enum ListConfiguration {
  /// The options that a list may have.
  private static let keys = [
    "source", "by", "sort", "where", "parameter", "columns", "total", "limit", "offset", "key",
  ]

  /// What is wrong in a file, and in which line, from 1.
  private struct Problem: Error {
    let line: Int
    let message: String

    init(_ node: Node, _ message: String) { self.init(line: node.mark?.line ?? 1, message) }

    init(line: Int, _ message: String) { (self.line, self.message) = (line, message) }

    init(_ error: YamlError) {
      switch error {
      case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
        .composer(_, let problem, let mark, _):
        self.init(line: mark.line, "\(problem). \(Self.form)")
      case .duplicatedKeysInMapping(let names, let context):
        let names = names.map(\.yamlDecoded).joined(separator: ", ")
        self.init(line: context.mark.line, "\(names) is given twice")
      default: self.init(line: 1, "\(error)")
      }
    }

    static let form =
      "The file is YAML, with a name before each list, such as orders: {source: orders}"
  }

  /// Reads the lists of a file, in its order.
  ///
  /// - Throws: `ToolError`, with the name of the file and the line.
  static func lists(in file: InputFile) throws -> [NamedList] {
    guard let text = String(validating: file.bytes, as: UTF8.self) else {
      throw ToolError("\(file.name) is not text in UTF-8", .badData)
    }
    return try lists(text, of: file.name)
  }

  static func lists(_ text: String, of fileName: String) throws -> [NamedList] {
    do {
      guard let lists = try root(text)?.mapping, !lists.isEmpty else {
        throw Problem(line: 1, "there is no list. \(Problem.form)")
      }
      var names: Set<ExactText> = []
      return try lists.map {
        let list = try list($0.key, $0.value)
        guard names.insert(list.name.exact).inserted else {
          throw Problem($0.key, "\(list.name) is given twice")
        }
        return list
      }
    } catch let error as Problem {
      throw ToolError("\(fileName), line \(error.line): \(error.message)", .badData)
    }
  }

  private static func root(_ text: String) throws -> Node? {
    do {
      return try compose(yaml: text.yamlEncoded)
    } catch let error as YamlError {
      throw Problem(error)
    }
  }

  private static func list(_ nameNode: Node, _ content: Node) throws -> NamedList {
    let name = try values(of: nameNode, "the name of a list")[0]
    guard let options = content.mapping else {
      throw Problem(content, "\(name) is not a list of options. \(Problem.form)")
    }
    var arguments: [String] = []
    var source: String?
    for (keyNode, value) in options {
      let key = try values(of: keyNode, "an option of \(name)")[0]
      guard keys.contains(key) else {
        throw Problem(
          keyNode, "there is no option \(key). The options are: \(keys.joined(separator: ", "))")
      }
      let values = try values(of: value, key)
      switch key {
      case "source":
        guard values.count == 1, values[0] != "-" else {
          throw Problem(value, "source must be a table, a view or a SELECT")
        }
        source = values[0]
      case "by", "limit", "offset":
        guard values.count == 1 else {
          throw Problem(value, "\(key) must be one value, not a list")
        }
        arguments.append("--\(key)=\(values[0])")
      // A list that the command line separates by commas.
      case "key": arguments.append("--\(key)=\(values.joined(separator: ","))")
      default: arguments += values.map { "--\(key)=\($0)" }
      }
    }
    guard let source else {
      throw Problem(nameNode, "\(name) has no source. Add one, such as source: orders")
    }
    do {
      return NamedList(name: name, options: try ListOptions.parse(arguments + ["--", source]))
    } catch {
      throw Problem(nameNode, "\(name): \(ListOptions.message(for: error))")
    }
  }

  /// The text of a scalar, or those of a list of scalars; `no` and `10` are text like any other.
  private static func values(of node: Node, _ name: String) throws -> [String] {
    let nodes = node.sequence.map(Array.init) ?? [node]
    return try nodes.map { node in
      guard let text = node.scalar?.string.yamlDecoded, !text.isEmpty else {
        throw Problem(node, "\(name) must be a value or a list of values")
      }
      return text
    }
  }
}

extension String {
  /// The text with private characters in place of the bytes of all others than ASCII. The YAML library compares names
  /// as strings, for which two names with other bytes may be equal.
  fileprivate var yamlEncoded: String {
    var encoded = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      // What YAML takes for the end of a line, or for the order of the bytes, stays.
      if scalar.isASCII || ["\u{85}", "\u{2028}", "\u{2029}", "\u{FEFF}"].contains(scalar) {
        encoded.append(scalar)
      } else {
        encoded += String(scalar).utf8.compactMap {
          Unicode.Scalar(Self.yamlBytes.lowerBound + UInt32($0))
        }
      }
    }
    return String(encoded)
  }

  /// The text of which this is ``yamlEncoded``.
  fileprivate var yamlDecoded: String {
    String(
      decoding: unicodeScalars.flatMap { scalar -> [UInt8] in
        guard Self.yamlBytes ~= scalar.value else { return Array(String(scalar).utf8) }
        return [UInt8(scalar.value - Self.yamlBytes.lowerBound)]
      }, as: UTF8.self)
  }

  /// The characters for bytes, in a private area of Unicode.
  fileprivate static let yamlBytes: ClosedRange<UInt32> = 0xF0000...0xF00FF
}
