/// A mark of the newest version of a database, which is found without reading its content.
struct VersionMark: Equatable {
  /// The stamp of the files in WAL mode; nil if there are none, or it could not be read.
  let stamp: VersionStamp?
  /// The `data_version` of each file not in WAL mode, as the reading connection sees it.
  ///
  /// Source: [PRAGMA data_version](https://www.sqlite.org/pragma.html#pragma_data_version).
  let counters: [Int64]
  /// Whether a file is no longer at its path: it was removed, renamed or replaced, and commits to
  /// the new file are not seen.
  var hasMoved = false

  /// Whether nothing was committed since `earlier`.
  func hasSameContent(as earlier: VersionMark) -> Bool {
    guard counters == earlier.counters, hasMoved == earlier.hasMoved else { return false }
    guard let stamp, let other = earlier.stamp else { return earlier.stamp == stamp }
    return stamp.hasSameContent(as: other)
  }
}
