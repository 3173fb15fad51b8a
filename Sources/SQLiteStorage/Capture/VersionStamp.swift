/// What tells one version of a database from all others: of all its files.
struct VersionStamp: Hashable {
  private let main: LogVersion
  /// In the order of the names of their schemas; empty where nothing is attached.
  private let attached: [LogVersion]

  /// Reads the stamp of the newest version, from plain memory.
  ///
  /// - Parameter schemas: the attached databases that count.
  /// - Returns: nil where the connection has not opened the log of each, or a header is being
  ///   written all the time.
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

  /// Those of all files, that of `main` first.
  var logs: [LogVersion] { [main] + attached }

  /// Whether nothing was committed since `earlier`.
  func hasSameContent(as earlier: VersionStamp) -> Bool {
    main.hasSameContent(as: earlier.main) && attached.count == earlier.attached.count
      && zip(attached, earlier.attached).allSatisfy { $0.hasSameContent(as: $1) }
  }

  /// Whether exactly one commit leads here from `earlier`.
  ///
  /// - Parameter frameCounts: the number of frames that it left in each log, that of `main` first;
  ///   nil where it wrote none.
  func isNext(after earlier: VersionStamp, frameCounts: [Int?]) -> Bool {
    guard frameCounts.count == attached.count + 1 else { return false }
    return ([(main, earlier.main)] + zip(attached, earlier.attached)).enumerated()
      .allSatisfy { index, pair in
        guard let frameCount = frameCounts[index] else { return pair.0.hasSameContent(as: pair.1) }
        return pair.0.isNext(after: pair.1, frameCount: frameCount)
      }
  }
}
