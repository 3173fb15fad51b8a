internal import SQLiteStorage
internal import SectionedData

/// A version of a result with keys of either kind: integers if possible, else tuples.
///
/// A new kind of key is a new case here. All other code is written once for every `RowKey`.
enum AnyResultsVersion: Sendable {
  case integer(ResultsVersion<Int64>)
  case tuple(ResultsVersion<KeyTuple>)

  /// The identity of the version, different for each fetch and each step.
  var id: ObjectIdentifier {
    switch self {
    case .integer(let version): ObjectIdentifier(version)
    case .tuple(let version): ObjectIdentifier(version)
    }
  }

  /// Where the rows are read from.
  var source: ResultSource {
    switch self {
    case .integer(let version): version.source
    case .tuple(let version): version.source
    }
  }

  /// The version of the database.
  var origin: Snapshot { source.origin }

  /// The sections, and the number of rows.
  var layout: ResultsLayout {
    switch self {
    case .integer(let version): version.index.layout
    case .tuple(let version): version.index.layout
    }
  }

  /// The name of a section, which must be in range: its key as text, or as the request makes it.
  func name(ofSection section: Int) -> String? {
    let entry = layout.section(at: section)
    return entry.value.flatMap { source.plan.parts.sectionTitle?($0) } ?? entry.name
  }

  /// The numbers that identify rows without a key; nil if there is a key.
  var numbers: RowNumbers? {
    switch self {
    case .integer(let version): version.numbers
    case .tuple(let version): version.numbers
    }
  }

  /// The identities of the rows at some positions in the result, as
  /// ``ResultsVersion/identities(at:)`` returns them.
  func identities(at positions: Range<Int>) throws -> [RowIdentity] {
    switch self {
    case .integer(let version): try version.identities(at: positions)
    case .tuple(let version): try version.identities(at: positions)
    }
  }

  /// The position of a row in the result, as ``ResultsVersion/position(of:)`` returns it.
  func position(of identity: RowIdentity) throws -> Int? {
    switch self {
    case .integer(let version): try version.position(of: identity)
    case .tuple(let version): try version.position(of: identity)
    }
  }

  /// Checks the index, as ``ResultsVersion/checkInvariants()`` does.
  func checkInvariants() throws {
    switch self {
    case .integer(let version): try version.checkInvariants()
    case .tuple(let version): try version.checkInvariants()
    }
  }

  /// Passes the rows at some positions to `body`, as ``ResultsVersion/read(_:_:)`` does.
  func read(_ positions: Range<Int>, _ body: (borrowing RowView) throws -> Void) throws {
    switch self {
    case .integer(let version): try version.read(positions, body)
    case .tuple(let version): try version.read(positions, body)
    }
  }
}
