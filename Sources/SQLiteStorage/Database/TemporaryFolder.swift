#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A folder of its own, removed with everything in it when the last reference goes.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "FetchedResults-\(UUID().uuidString)")
    do {
      // Only this user may enter: a copy of a database is as private as the database.
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw DatabaseError(
        .sqlite, "no temporary folder could be made at \(folder.path)", resultCode: .inputOutput,
        nextStep: "Check that TMPDIR names a folder that can be written", cause: error)
    }
    path = folder.path
  }

  deinit {
    // Nothing can be done about a file that cannot be removed, and nobody is there to be told.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a file in the folder.
  func file(_ name: String) -> String { path + "/" + name }
}
