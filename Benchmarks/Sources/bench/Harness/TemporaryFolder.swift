import Foundation

/// A folder for the databases of a run.
struct TemporaryFolder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("fetched-results-bench-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  func remove() {
    // What cannot be removed is left to whoever cleans the temporary folder.
    try? FileManager.default.removeItem(atPath: path)
  }
}
