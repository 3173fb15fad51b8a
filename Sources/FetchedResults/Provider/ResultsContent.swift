/// What a provider shows at one time: a version of the result, with the records read so far.
///
/// The key's type is known below this protocol and not above it.
protocol ResultsContent<Record>: AnyObject {
  associatedtype Record: Sendable

  /// How to go to the newest version, nil where this is it. Nothing in it belongs to the provider,
  /// so it can be done elsewhere.
  func advance(by fetch: ResultsFetch<Record>) -> @Sendable () throws -> NextContent<Record>?

  /// How it is kept true.
  var maintenance: MaintenancePlan { get }

  /// The number of rows.
  var count: Int { get }
  /// The number of sections.
  var sectionCount: Int { get }

  /// The section at a number, which must be in range.
  func section(at section: Int) -> SectionEntry
  /// The positions of a section's rows in the result.
  func rows(inSection section: Int) -> Range<Int>
  /// The place of a position, which must be in range.
  func place(of position: Int) -> (section: Int, row: Int)
  /// The position of a row; nil where it is not in the result.
  func position(of identity: RowIdentity) throws -> Int?
  /// The identity at a position, which must be in range.
  func identity(at position: Int) -> RowIdentity
  /// The record at a position, which must be in range.
  func record(at position: Int) throws -> Record
  /// The identity of a record, which need not be in the result.
  func identity(of record: Record) throws -> RowIdentity
}
