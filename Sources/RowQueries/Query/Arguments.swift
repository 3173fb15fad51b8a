import SQLiteStorage

// What the tool and the server are asked for by options and parameters.

extension StringProtocol {
  /// The text without white space at its ends.
  package var trimmed: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}

/// The names that lists separated by commas may have. A name may have commas itself.
package struct ListedNames: Sendable {
  private let known: ColumnNames

  package init(_ names: [String]) { known = ColumnNames(names) }

  /// The name that a text stands for, as it is spelled; nil if it is not one of them.
  package func name(_ text: String) -> String? {
    let position = known.position(of: text) ?? known.position(of: text.trimmed)
    return position.map { known.names[$0] }
  }

  /// The names in some lists, as they are spelled. `error` is thrown for a text that is not one of them.
  package func names(in lists: [String], error: (String) throws -> any Error) throws -> [String] {
    try lists.flatMap { try items(of: $0, name, error: error) }
  }

  /// Splits a list at its commas, but not at those inside a name or inside `expression`.
  func items<Item>(
    of list: String, or expression: String? = nil, _ item: (String) -> Item?,
    error: (String) throws -> any Error
  ) throws -> [Item] {
    let names = known.names + [expression ?? ""]
    let longest = (names.map { $0.count { $0 == "," } }.max() ?? 0) + 1
    var rest = list.split(separator: ",", omittingEmptySubsequences: false)[...]
    var items: [Item] = []
    while let first = rest.first {
      let lengths = stride(from: min(longest, rest.count), to: 0, by: -1)
      let found = lengths.lazy.compactMap { length in
        item(rest.prefix(length).joined(separator: ",")).map { (item: $0, length: length) }
      }.first
      guard let found else { throw try error(first.trimmed) }
      items.append(found.item)
      rest = rest.dropFirst(found.length)
    }
    return items
  }
}

/// An option of the command line, or the parameter of a URL with the same name, that is not valid.
package struct ArgumentError: Error, CustomStringConvertible {
  package let option: String
  /// What is wrong, after the name of the option.
  package let message: String
  /// Where the option is, if not on the command line.
  package var place: String?

  package init(option: String, _ message: String) {
    self.option = option
    self.message = message
  }

  package var description: String { (place.map { "\($0): " } ?? "") + "--\(option) \(message)" }
}
