import FetchedResults
import RowQueries
import SQLiteStorage

/// The list that a URL names. Equal parameters are one list, which all of its clients share.
struct ListParameters: Sendable {
  /// The name of a table, a view, or the source of the command line; nil for the first one.
  var source: String?
  /// The SELECT that is the source, if the client has typed one.
  var sql: String?
  var by: String?
  var sort: [String]
  /// All of these must be true, and of each at least one alternative.
  var conditions: [[Condition]]
  var columns: [String]
  /// The totals, each a function and a column.
  var totals: [[String]]

  init(_ items: QueryItems) throws {
    source = items.value("source")
    sql = items.value("sql")
    guard sql == nil || source == nil else {
      throw RequestError(
        400, "there are a source and sql", nextStep: "Give one of the parameters source and sql")
    }
    by = items.value("by").flatMap { $0.isEmpty ? nil : $0 }
    sort = items.values("sort").filter { !$0.isEmpty }
    columns = items.values("columns").filter { !$0.isEmpty }
    totals = try items.values("total").map(Self.total)
    conditions = []
    for (name, text) in items.items {
      switch name {
      case "where": conditions.append([try Condition(text)])
      case "or":
        guard !conditions.isEmpty else {
          throw RequestError(
            400, "there is an or before the first where", nextStep: "Begin with where")
        }
        conditions[conditions.count - 1].append(try Condition(text))
      default: break
      }
    }
    guard sort.count <= 16, totals.count <= 16, conditions.joined().count <= 32 else {
      throw RequestError(
        400, "there are more than 16 sort terms or totals, or 32 conditions",
        nextStep: "Use fewer of them")
    }
    guard Set(totals.map { $0.map { Array($0.utf8) } }).count == totals.count else {
      throw RequestError(400, "a total is named twice", nextStep: "Name each total once")
    }
    guard Set(columns.map { Array($0.utf8) }).count == columns.count else {
      throw RequestError(400, "a column is named twice", nextStep: "Name each column once")
    }
  }
}

extension ListParameters {
  /// Reads `FUNCTION:COLUMN`.
  private static func total(_ text: String) throws -> [String] {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2, TotalOption(parts[0], ofColumn: parts[1]) != nil else {
      throw RequestError(
        400, "the total \(String(text.prefix(80)).quotedIfBlank) is not FUNCTION:COLUMN",
        nextStep: "The functions are sum, avg, min, max and count")
    }
    return parts
  }
}

// SQLite distinguishes texts that are equal as Swift's strings, so their bytes are compared.
extension ListParameters: Hashable {
  private var bytes: [[[UInt8]]] {
    let conditions = conditions.map { $0.flatMap(\.texts) }
    return
      ([source, sql, by].map { text in text.map { [$0] } ?? [] }
      + [sort, columns, totals.flatMap(\.self)] + conditions)
      .map { texts in texts.map { Array($0.utf8) } }
  }

  static func == (one: Self, other: Self) -> Bool { one.bytes == other.bytes }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}
