/// What can be told of the newest version of a database without reading it.
struct VersionMark: Equatable {
  /// The stamp of the files that are in WAL mode; nil where none is, or it could not be read.
  let stamp: VersionStamp?
  /// The `data_version` of each file that is not, as the connection sees it that asks.
  ///
  /// Source: [PRAGMA data_version](https://www.sqlite.org/pragma.html#pragma_data_version).
  let counters: [Int64]
  /// Whether the files are not where they were opened any more: they were removed, renamed or
  /// replaced, and what is committed there now is not seen.
  var hasMoved = false

  /// Whether nothing was committed since `earlier`.
  func hasSameContent(as earlier: VersionMark) -> Bool {
    guard counters == earlier.counters, hasMoved == earlier.hasMoved else { return false }
    guard let stamp, let other = earlier.stamp else { return earlier.stamp == stamp }
    return stamp.hasSameContent(as: other)
  }
}
