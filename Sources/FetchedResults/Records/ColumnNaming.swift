internal import Basics

/// How the columns of a `Codable` record are named after its coding keys.
///
/// ```swift
/// static let recordDescription = RecordDescription(
///   table: "cover", key: \Cover.id, columnNames: .snakeCase)
/// ```
///
/// Column names are compared as SQLite does: the case of ASCII letters is ignored.
///
/// Sendable: a plain value.
public struct ColumnNaming: Sendable {
  private let name: @Sendable (String) -> String

  /// The coding key itself.
  public static let codingKeys = ColumnNaming { $0 }

  /// The coding key in lowercase, with underscores between the words: `releaseYear` becomes `release_year`, `imageURL`
  /// `image_url`, and `urlOfHTTPServer` `url_of_http_server`, as by Foundation's `convertToSnakeCase`.
  public static let snakeCase = ColumnNaming { $0.inSnakeCase }

  private init(_ name: @escaping @Sendable (String) -> String) { self.name = name }

  /// Names columns by a function of the coding key.
  public static func custom(_ name: @escaping @Sendable (String) -> String) -> ColumnNaming {
    ColumnNaming(name)
  }

  func callAsFunction(_ key: String) -> String { name(key) }
}
