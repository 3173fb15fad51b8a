#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A folder of its own, removed with everything in it when the last reference goes.
///
/// A process that is killed leaves its folders behind. In each lies a file that is locked as long as
/// the process lives, so that a later process can tell: it removes those that are not locked when it
/// makes its first folder. A number of a process would not do: another process may have got it, or
/// live in a container that gives numbers of its own.
final class TemporaryFolder: Sendable {
  let path: String
  /// The open file that is locked; -1 where the file system has no locks.
  private let lock: Int32

  init() throws {
    let parent = FileManager.default.temporaryDirectory.path
    _ = TemporaryFolder.hasRemovedAbandoned
    let name = UUID().uuidString
    path = "\(parent)/\(TemporaryFolder.prefix)\(name)"
    // It gets its name when it is locked: nothing in it may be removed before.
    let unnamed = "\(parent)/\(TemporaryFolder.prefix(whileMade: name))"
    do {
      // Only this user may enter: a copy of a database is as private as the database.
      try FileManager.default.createDirectory(
        atPath: unnamed, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      lock = TemporaryFolder.lockedFile(in: unnamed)
      try FileManager.default.moveItem(atPath: unnamed, toPath: path)
    } catch {
      throw DatabaseError(
        .sqlite, "no temporary folder could be made at \(path)", resultCode: .inputOutput,
        nextStep: "Check that TMPDIR names a folder that can be written", cause: error)
    }
  }

  deinit {
    // Nothing can be done about a file that cannot be removed.
    try? FileManager.default.removeItem(atPath: path)
    if lock >= 0 { close(lock) }
  }

  /// The path of a file in the folder.
  func file(_ name: String) -> String { path + "/" + name }
}

// MARK: - Folders of processes that are gone

extension TemporaryFolder {
  private static let prefix = "FetchedResults-"
  private static let lockName = "lock"

  private static func prefix(whileMade name: String) -> String { "FetchedResults.new-\(name)" }

  /// Makes the file and locks it.
  ///
  /// - Returns: the open file; -1 where there can be no lock: a folder without the file stays.
  private static func lockedFile(in folder: String) -> Int32 {
    let path = "\(folder)/\(lockName)"
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0 { return file }
    close(file)
    unlink(path)
    return -1
  }

  /// Done once in a process.
  private static let hasRemovedAbandoned: Bool = {
    removeAbandoned(in: FileManager.default.temporaryDirectory.path)
    return true
  }()

  /// Removes the folders of this user whose process is gone.
  static func removeAbandoned(in parent: String) {
    // What cannot be listed, locked or removed stays.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    where name.hasPrefix(prefix) {
      let folder = "\(parent)/\(name)"
      var status = stat()
      guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
        status.st_uid == geteuid()
      else { continue }
      let file = open("\(folder)/\(lockName)", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
      guard file >= 0 else { continue }
      if flock(file, LOCK_EX | LOCK_NB) == 0 {
        try? FileManager.default.removeItem(atPath: folder)
      }
      close(file)
    }
  }
}
