import Foundation

/// A file of one test, removed at the end.
final class TemporaryFile {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "DocumentationTests-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var path: String { folder.appending(path: "library.sqlite").path }
}
