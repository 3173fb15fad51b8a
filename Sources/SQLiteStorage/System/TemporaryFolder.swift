internal import CLibrary
internal import Dispatch
internal import SmallFoundation

/// A temporary folder, which is removed with its content when the last reference is released.
///
/// A process that is killed leaves its folders behind. Each folder contains a file that is locked
/// while the process lives. After a process has made its first folder, it removes all folders whose
/// file is not locked. A process identifier would not do: it may be reused, or be from a container
/// with its own identifiers.
final class TemporaryFolder: Sendable {
  let path: String
  /// The descriptor of the locked file; -1 if the file system has no locks.
  private let lock: Int32

  /// - Parameter name: the end of its name, which no other folder has.
  init(_ name: String = UUID().uuidString) throws {
    let parent = FileManager.default.temporaryDirectory.path
    path = "\(parent)/\(TemporaryFolder.prefix)\(name)"
    // The folder gets its final name after the lock, so that no other process removes it before.
    let unnamed = "\(parent)/\(TemporaryFolder.unnamedPrefix)\(name)"
    var lock: Int32 = -1
    do {
      // Only this user may enter: a copy of a database is as private as the database.
      try FileManager.default.createDirectory(
        atPath: unnamed, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      lock = TemporaryFolder.lockedFile(in: unnamed)
      try FileManager.default.moveItem(atPath: unnamed, toPath: path)
    } catch {
      try? FileManager.default.removeItem(atPath: unnamed)
      if lock >= 0 { close(lock) }
      throw DatabaseError(
        .sqlite, "no temporary folder could be made at \(path)", resultCode: .inputOutput,
        nextStep: "Check that TMPDIR names a folder that can be written", cause: error)
    }
    self.lock = lock
    _ = TemporaryFolder.removesAbandoned
  }

  deinit {
    TemporaryFolder.remove(path)
    if lock >= 0 { close(lock) }
  }

  func file(_ name: String) -> String { path + "/" + name }
}

// MARK: - Folders of processes that have ended

extension TemporaryFolder {
  private static let prefix = "FetchedResults-"
  /// Of a folder that is being made.
  private static let unnamedPrefix = "FetchedResults.new-"
  private static let lockName = "lock"
  /// The nanoseconds after which a folder that is being made will not get its name.
  private static let patience: Int64 = 3_600_000_000_000

  /// Makes the lock file and locks it.
  ///
  /// - Returns: its descriptor; -1 if it cannot be locked. A folder without a lock file is never
  ///   removed by another process.
  private static func lockedFile(in folder: String) -> Int32 {
    let path = "\(folder)/\(lockName)"
    let file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0 { return file }
    close(file)
    unlink(path)
    return -1
  }

  /// Where abandoned folders are removed: a log may grow until a version is copied to a new folder, and to remove many
  /// megabytes takes as long as the copy.
  static let removals = DispatchQueue(
    label: "FetchedResults.TemporaryFolder.removals", qos: .utility)

  /// Evaluated once per process.
  private static let removesAbandoned: Bool = {
    let parent = FileManager.default.temporaryDirectory.path
    removals.async { removeAbandoned(in: parent) }
    return true
  }()

  /// Removes a folder. If it cannot be removed, it stays.
  ///
  /// It loses its name first: if the process ends before all of it is removed, it may have no lock file any more.
  private static func remove(_ folder: String) {
    let parent = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
    let unnamed = "\(parent)/\(unnamedPrefix)\(UUID().uuidString)"
    let isUnnamed = (try? FileManager.default.moveItem(atPath: folder, toPath: unnamed)) != nil
    try? FileManager.default.removeItem(atPath: isUnnamed ? unnamed : folder)
  }

  /// Removes the folders of this user whose process has ended, and those that got no name for an hour.
  static func removeAbandoned(in parent: String) {
    // Folders that cannot be listed, locked or removed stay.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    where name.hasPrefix(prefix) || name.hasPrefix(unnamedPrefix) {
      let folder = "\(parent)/\(name)"
      var status = stat()
      guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
        status.st_uid == geteuid()
      else { continue }
      guard name.hasPrefix(prefix) else {
        let age = FileStatus(at: folder)?.age ?? 0
        if age > patience { try? FileManager.default.removeItem(atPath: folder) }
        continue
      }
      let file = open("\(folder)/\(lockName)", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
      guard file >= 0 else { continue }
      if flock(file, LOCK_EX | LOCK_NB) == 0 { remove(folder) }
      close(file)
    }
  }
}
