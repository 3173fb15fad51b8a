/// The index of a version of a result: its rows in order, and their sections.
///
/// Copying costs O(1), and copies share their storage.
struct ResultsIndex<Key: RowKey>: Sendable {
  /// The rows. With a limit or offset these are the rows of the whole order, up to the last one
  /// needed.
  let rows: RowOrder<Key>
  /// The sections, and the window of the order that is the result.
  let layout: ResultsLayout
  /// Whether the rows are the whole order, so that the index can be advanced to another version.
  var isWhole = true
}
