internal import CLibrary
internal import CSQLite
internal import SmallFoundation

extension PageSource {
  /// Writes a version into a new file, which has no log, page by page.
  ///
  /// SQLite's backup API does the same through the cache of both connections, and takes four times as long. A version in the
  /// way of a long log is copied while writers make the log longer.
  ///
  /// - Parameters:
  ///   - connection: is in a transaction that sees the version.
  ///   - version: the header of the log that the version has.
  /// - Returns: false if the pages cannot be read, as those that an extension encrypts. Then there is no file.
  /// - Throws: `DatabaseError` if the pages cannot be written.
  /// - Complexity: O(size of the database).
  static func write(
    _ connection: Connection, at version: WALHeader, to path: String
  ) throws -> Bool {
    // Again if the log was reset meanwhile, or a writer was stopped while it changed the header.
    for attempt in 0..<8 {
      if attempt > 0 { sqlite3_sleep(1) }
      do {
        let source = try PageSource(of: connection, at: version)
        // Encryption and checksums need reserved bytes in each page.
        guard source.header.usableSize == source.header.pageSize else { return false }
        try source.write(to: path)
        return true
      } catch is PageDiffError {
        unlink(path)
      }
    }
    return false
  }

  private func write(to path: String) throws {
    var file = try NewFile(path)
    for first in stride(from: 0, to: pageCount, by: blockCount) {
      var block = try block(from: first, count: min(blockCount, pageCount - first))
      if first == 0 { makeFile(of: &block) }
      try file.append(block)
    }
    try file.finish()
  }

  /// Makes the first page that of a file in rollback-journal mode, with the number of its pages.
  private func makeFile(of page: inout [UInt8]) {
    (page[18], page[19]) = (1, 1)
    page.replaceSubrange(
      28..<32, with: withUnsafeBytes(of: UInt32(pageCount).bigEndian, Array.init))
    // The number of pages counts if these two are equal.
    page.replaceSubrange(92..<96, with: page[24..<28])
  }
}

/// A file that is being written.
private struct NewFile: ~Copyable {
  private let path: String
  private let descriptor: Int32
  private var isOpen = true

  init(_ path: String) throws {
    self.path = path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw NewFile.error(path) }
  }

  deinit { if isOpen { close(descriptor) } }

  func append(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { CLibrary.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw NewFile.error(path) }
      rest.removeFirst(count)
    }
  }

  /// Closes the file: some file systems tell only then that there is no space for it.
  mutating func finish() throws {
    isOpen = false
    guard close(descriptor) == 0 else { throw NewFile.error(path) }
  }

  /// The error of the last call of the system.
  private static func error(_ path: String) -> DatabaseError {
    let code = errno
    return DatabaseError(
      .sqlite, "a private copy of the database cannot be written: \(path)",
      resultCode: code == ENOSPC ? .full : .inputOutput,
      nextStep: "Check that TMPDIR names a folder with space for it",
      cause: POSIXErrorCode(rawValue: code).map { POSIXError($0) })
  }
}
