import SQLiteStorage
import TableDataTesting

@testable import FetchedResults

/// A random store and a random request for it, with the plain SELECT that means the same.
struct RandomCase {
  var generator: SeededGenerator
  let encoding: String
  let kind: Kind
  let terms: [Term]
  let section: Section?
  let filters: [Filter]
  let window: RowWindow
  let batchSize: Int
  /// Whether there is an index that fits the order, if SQLite can have one.
  let hasFittingIndex: Bool
  let chunkPolicy: ChunkPolicy
  let rows: [String]
  /// SQL of the values in the rows: few, so that many are equal.
  let pool: [String]

  /// What the rows come from.
  enum Kind: CaseIterable {
    case integerKey, noKey, columnCalledRowID, textKey, nocaseKey, binaryKeyOfNocaseColumn
    case compositeKey, withoutRowID, descendingKey, viewWithKey, viewWithoutKey, selectWithKey
    case selectWithoutKey, joinWithKey
  }

  struct Term {
    let sql: String
    let isProperty: Bool
    let isDescending: Bool
    let collation: Collation?
    let nulls: SortTerm<Row>.Nulls?
  }

  /// `order` is given where the sections are sorted by something else than they are made of.
  struct Section {
    let term: Term
    let order: Term?
  }

  struct Filter {
    let fragment: SQLFragment<Row>
    let sql: String
  }

  static let lengths = CustomCollation("lengths") { $0.utf8.count - $1.utf8.count }

  init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    encoding = ["UTF-8", "UTF-8", "UTF-16le", "UTF-16be"].randomElement(using: &generator) ?? ""
    kind = Kind.allCases.randomElement(using: &generator) ?? .noKey
    terms = (0..<Int.random(in: 0...3, using: &generator)).map { _ in Term(&generator) }
    section = Bool.random(using: &generator) ? Section(&generator) : nil
    filters = (0..<Int.random(in: 0...2, using: &generator)).map { _ in Filter(&generator) }
    window =
      switch Int.random(in: 0..<6, using: &generator) {
      case 0:
        .first(
          [nil, 0, 1, 5, 30].randomElement(using: &generator) ?? nil,
          offset: Int.random(in: 0...12, using: &generator))
      case 1: .last([0, 1, 5, 30].randomElement(using: &generator) ?? 0, shown: nil)
      default: .all
      }
    batchSize = [1, 2, 64, 1_000].randomElement(using: &generator) ?? 1
    hasFittingIndex = Bool.random(using: &generator)
    chunkPolicy = ChunkPolicy(
      identityLimit: [0, 0, 9, 1_000].randomElement(using: &generator) ?? 0,
      chunkSize: Int.random(in: 1...5, using: &generator))
    let texts = encoding == "UTF-8" ? Self.values + Self.invalidTexts : Self.values
    let rowCount = [0, 1, 2, 15, 60].randomElement(using: &generator) ?? 0
    let pool = (0..<12).compactMap { _ in texts.randomElement(using: &generator) }
    rows = (0..<rowCount).map { _ in
      (0..<6).map { _ in pool.randomElement(using: &generator) ?? "" }.joined(separator: ", ")
    }
    self.pool = pool
    self.generator = generator
  }

  /// SQL of values that are compared in unusual ways.
  private static let values = [
    "NULL", "NULL", "''", "' '", "'  '", "'a'", "'A'", "'a '", "'A  '", "'b'", "'B'", "'ab'", "'_'",
    "'é'", "'e' || char(769)", "'a' || char(0)", "'a' || char(0) || 'b'", "'A' || char(0) || 'c'",
    "'😀'", "char(64256)", "char(65533)", "'1'", "'1.0'", "'10'", "'9'", "x''", "x'00'", "x'61'",
    "x'31'", "0", "1", "1.0", "-1", "2", "10", "9", "-0.0", "0.5", "-1.5", "9007199254740993",
    "9007199254740992.0", "9223372036854775807", "-9223372036854775808", "9223372036854775808.0",
    "9e999", "-9e999", "1e308",
  ]

  private static let invalidTexts = ["FF", "FE", "61FF", "C3", "ED A0 80"].map {
    "CAST(x'\($0.filter { $0 != " " })' AS TEXT)"
  }
}

extension RandomCase.Term {
  /// The columns, of which one declares a collation and others an affinity.
  private static let columns = ["plain", "folded", "number", "word", "made", "seq"]

  init(_ generator: inout SeededGenerator) {
    isProperty = Int.random(in: 0..<3, using: &generator) > 0
    let column = Self.columns.randomElement(using: &generator) ?? ""
    let expressions = [
      "plain", "upper(substr(word, 1, 1))", "seq % 3", "typeof(plain)", "length(folded) % 4",
      "number > 1", "coalesce(plain, word)", "2", "(SELECT max(n) FROM (SELECT seq % 2 AS n))",
    ]
    sql = isProperty ? column : expressions.randomElement(using: &generator) ?? ""
    isDescending = Bool.random(using: &generator)
    let collations: [Collation?] = [
      nil, nil, .binary, .nocase, .rtrim, .custom("lengths"), .custom("NOCASE"),
    ]
    collation = collations.randomElement(using: &generator) ?? nil
    nulls = [nil, .first, .last].randomElement(using: &generator) ?? nil
  }

  /// The term of a request.
  var term: SortTerm<Row> {
    let name = sql
    let direction: SortTerm<Row>.Direction = isDescending ? .descending : .ascending
    return isProperty
      ? .by(\Row[name], direction, collation: collation, nulls: nulls)
      : .expression(SQLFragment(verbatim: sql), direction, collation: collation, nulls: nulls)
  }

  /// The expression with its collation: that of the column unless another is asked for.
  var collated: String {
    // Parentheses would not keep a number from being a column of the result.
    let expression = "CASE WHEN 1 THEN \(sql) END"
    let declared = isProperty && sql == "folded" ? "NOCASE" : "BINARY"
    return "\(expression) COLLATE \(collation?.name ?? declared)"
  }

  /// The term as it stands in an index; nil where no index can have it.
  var indexed: String? {
    // A number sorts nothing, and an index cannot ask other rows.
    guard sql != "2", !sql.contains("SELECT") else { return nil }
    let collation = collation.map { " COLLATE \($0.name)" } ?? ""
    return (isProperty ? sql : "(\(sql))") + collation + (isDescending ? " DESC" : "")
  }

  var orderBy: String {
    let nulls = nulls.map { $0 == .first ? " NULLS FIRST" : " NULLS LAST" } ?? ""
    return collated + (isDescending ? " DESC" : "") + nulls
  }
}

extension RandomCase.Section {
  init(_ generator: inout SeededGenerator) {
    term = RandomCase.Term(&generator)
    let hasOrder = !term.isProperty && Int.random(in: 0..<3, using: &generator) == 0
    order = hasOrder ? RandomCase.Term(&generator) : nil
  }

  var key: SectionKey<Row> {
    let name = term.sql
    let direction: SortTerm<Row>.Direction = term.isDescending ? .descending : .ascending
    return term.isProperty
      ? .property(\Row[name], direction, collation: term.collation, nulls: term.nulls)
      : .expression(
        SQLFragment(verbatim: name), direction, collation: term.collation, nulls: term.nulls,
        order: order?.term)
  }
}

extension RandomCase.Filter {
  init(_ generator: inout SeededGenerator) {
    let number = Int.random(in: 0..<4, using: &generator)
    switch Int.random(in: 0..<5, using: &generator) {
    case 0:
      fragment = "\(\Row["seq"]) % \(4) <> \(number)"
      sql = "seq % 4 <> \(number)"
    case 1:
      fragment = SQLFragment(
        verbatim: "seq > ? OR plain IS ?", [.integer(Int64(number)), "a"])
      sql = "(seq > \(number) OR plain IS 'a')"
    case 2:
      fragment = "folded IS NOT 'A' -- no )"
      sql = "folded IS NOT 'A'"
    case 3:
      fragment = "typeof(number) <> :type"
      sql = "typeof(number) <> 'text'"
    default:
      fragment = "number IS NULL OR 1"
      sql = "(number IS NULL OR 1)"
    }
  }

  var usesType: Bool { sql.contains("'text'") }
}
