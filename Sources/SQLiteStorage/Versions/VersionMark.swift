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

/// A stamp that identifies one version of a database, over all its files.
struct VersionStamp: Hashable {
  private let main: WALHeader
  /// In the order of the names of their schemas; empty if no file is attached.
  private let attached: [WALHeader]

  /// Reads the stamp of the newest version from memory.
  ///
  /// - Parameter schemas: the attached databases to include.
  /// - Returns: nil if the connection has not opened the log of each file, or a header was being
  ///   written during each attempt.
  init?(of handle: OpaquePointer, attached schemas: [String]) {
    guard let main = WALIndexHeader(handle: handle, schema: "main") else { return nil }
    self.main = main.version
    guard !schemas.isEmpty else {
      attached = []
      return
    }
    attached = schemas.compactMap { WALIndexHeader(handle: handle, schema: $0)?.version }
    guard attached.count == schemas.count else { return nil }
  }

  /// The log versions of all files, `main` first.
  var logs: [WALHeader] { [main] + attached }

  /// Whether nothing was committed since `earlier`.
  func hasSameContent(as earlier: VersionStamp) -> Bool {
    main.hasSameContent(as: earlier.main) && attached.count == earlier.attached.count
      && zip(attached, earlier.attached).allSatisfy { $0.hasSameContent(as: $1) }
  }

  /// Whether exactly one commit leads from `earlier` to this version.
  ///
  /// - Parameter frameCounts: the number of frames that the commit left in each log, `main` first;
  ///   nil for a log that it did not write.
  func isNext(after earlier: VersionStamp, frameCounts: [Int?]) -> Bool {
    guard frameCounts.count == attached.count + 1 else { return false }
    return ([(main, earlier.main)] + zip(attached, earlier.attached)).enumerated()
      .allSatisfy { index, pair in
        guard let frameCount = frameCounts[index] else { return pair.0.hasSameContent(as: pair.1) }
        return pair.0.isNext(after: pair.1, frameCount: frameCount)
      }
  }
}
