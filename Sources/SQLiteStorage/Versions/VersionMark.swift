/// A mark of the newest version of a database, which is found without reading its content.
struct VersionMark: Equatable {
  enum Content: Equatable {
    /// The header of the WAL-index of a file whose versions are pinned.
    case log(WALHeader)
    /// Numbers from the status of files whose versions are not pinned. They change with each write.
    case status([Int64])
  }

  let content: Content
  /// What readers see of the logs of files whose versions are not pinned. Nil if it was not looked up, since that takes
  /// a connection, or if no file has a log.
  var visible: VisibleLogs?
  /// Whether a file is no longer at its path: it was removed, renamed or replaced, and commits to
  /// the new file are not seen.
  var hasMoved = false

  init(_ content: Content) { self.content = content }

  /// The header that identifies a version of a pinned file; nil for other files.
  var stamp: WALHeader? { if case .log(let header) = content { header } else { nil } }

  /// Whether nothing was committed since `earlier`.
  func hasSameContent(as earlier: VersionMark) -> Bool {
    guard hasSameFiles(as: earlier) else { return false }
    // What was in the log before may be visible only now.
    switch (earlier.visible, visible) {
    case (let seen?, let visible?): return visible.hasSameFrames(as: seen)
    case (let seen?, nil): return seen.isComplete
    case (nil, let visible?): return !visible.isComplete
    case (nil, nil): return true
    }
  }

  /// Whether nothing was written to files whose versions are not pinned since `earlier`, so that readers see the same
  /// unless a commit was in the log already. For others, whether nothing was committed.
  func hasSameFiles(as earlier: VersionMark) -> Bool {
    guard hasMoved == earlier.hasMoved else { return false }
    guard case .log(let header) = content, case .log(let other) = earlier.content else {
      return content == earlier.content
    }
    return header.hasSameContent(as: other)
  }
}
