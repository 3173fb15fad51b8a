/// A version of a result: its rows in order, and the sections they form.
///
/// Copying costs O(1), and copies share what they have in common.
struct ResultsIndex<Key: RowKey>: Sendable {
  /// The rows. With a limit or offset these are the whole order, up to where it is needed.
  let rows: RowOrder<Key>
  /// The sections, and the window of the order that is the result.
  let layout: ResultsLayout
  /// Whether the rows are the whole order, so that the index can be carried to another version.
  var isWhole = true
}
