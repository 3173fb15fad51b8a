internal import CLibrary
public import SmallFoundation

extension Migrator {
  /// Reads the migrations of a folder.
  ///
  /// The files are named `NNNN_snake_name.sql`. `NNNN_snake_name.down.sql` in the same folder
  /// reverts a migration, if there is such a file. Files whose names do not end in `.sql`, hidden
  /// files and subfolders are ignored.
  ///
  /// - Parameters:
  ///   - folder: the path of the folder.
  ///   - clock: measures how long each migration takes.
  ///   - now: returns the time to store as `applied_at` in the ledger.
  /// - Throws: `DatabaseError` with code `.migration`, with the file, if the folder does not exist, a
  ///   `.sql` file has another name, a `.down.sql` file has no migration to revert, a file cannot
  ///   be read or is not UTF-8; and as ``init(_:clock:now:)``.
  public init(
    folder: String, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    let names = try Migrator.fileNames(in: folder)
    let migrations = try names.filter { $0.direction == .up }.map { name in
      let down = Migration.FileName(version: name.version, name: name.name, direction: .down)
      return Migration(
        name.version, name.name, up: try Migrator.text(of: name, in: folder),
        down: names.contains(down) ? try Migrator.text(of: down, in: folder) : nil)
    }
    try self.init(migrations, clock: clock, now: now)
  }

  /// Creates the next migration: an empty file for the change and one for reverting it.
  ///
  /// ```swift
  /// let files = try Migrator.createFiles(named: "add_rating", in: "Migrations")
  /// print(files.up)  // Migrations/0005_add_rating.sql
  /// ```
  ///
  /// ``up(_:to:dryRun:didRun:)`` rejects the files while they are empty. Remove the second file if
  /// the change cannot be reverted.
  ///
  /// - Parameters:
  ///   - name: the name, in snake_case.
  ///   - folder: the path of the folder, which is created if it does not exist.
  /// - Returns: the paths of the two files.
  /// - Throws: `DatabaseError` with code `.migration` if the name is not in snake_case, the folder
  ///   contains a `.sql` file that is not a migration, or a file cannot be written.
  public static func createFiles(
    named name: String, in folder: String
  ) throws -> (up: String, down: String) {
    guard Migration.FileName.isSnakeCase(name) else {
      throw DatabaseError(
        .migration, "\(name) is not a valid migration name",
        nextStep: "Use lower-case letters and digits, in words joined by _, such as add_rating")
    }
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw DatabaseError(
        .migration, "the folder \(folder) cannot be created", resultCode: .cannotOpen,
        nextStep: "Check the path, and the permissions of the folder it is in", cause: error)
    }
    let newest = try fileNames(in: folder).map(\.version).max() ?? 0
    let up = Migration.FileName(version: newest + 1, name: name)
    guard up.isValid else {
      throw DatabaseError(
        .migration, "no number is left for a new migration after \(newest)",
        nextStep: "Put older migrations together, to make room")
    }
    let down = Migration.FileName(version: newest + 1, name: name, direction: .down)
    return (up: try create(up, in: folder), down: try create(down, in: folder))
  }

  private static func fileNames(in folder: String) throws -> Set<Migration.FileName> {
    let entries: [String]
    do {
      entries = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw failure(
        "the folder \(folder) with the migrations cannot be read", folder, error,
        nextStep: "Check that there is such a folder")
    }
    var names: Set<Migration.FileName> = []
    for entry in entries.sorted() where !entry.hasPrefix(".") {
      guard entry.sqliteFolded.hasSuffix(".sql") else { continue }
      guard let name = Migration.FileName(entry) else {
        throw DatabaseError(
          .migration, "\(entry) in \(folder) is not a valid migration name",
          nextStep: namingRule + ", ending in .sql or .down.sql")
      }
      names.insert(name)
    }
    for name in names.sorted(by: { $0.version < $1.version }) where name.direction == .down {
      let up = Migration.FileName(version: name.version, name: name.name)
      guard names.contains(up) else {
        throw DatabaseError(
          .migration, "\(name) reverts \(up), which is not in the folder: \(folder)",
          nextStep: "Restore \(up), or remove \(name)")
      }
    }
    return names
  }

  private static func text(of name: Migration.FileName, in folder: String) throws -> String {
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: folder).appending(path: name.description))
    } catch {
      throw failure(
        "\(name) cannot be read: \(folder)", "\(folder)/\(name)", error,
        nextStep: "Check that the file exists and can be read")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw DatabaseError(
        .migration, "\(name) is not UTF-8 text", nextStep: "Save the file as UTF-8")
    }
    return text
  }

  /// The error for a file or folder that could not be read. Common causes have a message of their
  /// own.
  private static func failure(
    _ message: String, _ path: String, _ cause: any Error, nextStep: String
  ) -> DatabaseError {
    switch ((cause as? CocoaError)?.underlying as? POSIXError)?.code {
    case .EACCES?, .EPERM?:
      DatabaseError(
        .migration, "permission denied: \(path)", resultCode: .permission,
        nextStep: "Check the permissions of the file and of its folder", cause: cause)
    case .EMFILE?, .ENFILE?:
      DatabaseError(
        .migration, "too many files are open to read \(path)", resultCode: .inputOutput,
        nextStep: "Close some, or raise the limit (ulimit -n)", cause: cause)
    default:
      DatabaseError(
        .migration, message, resultCode: .cannotOpen, nextStep: nextStep, cause: cause)
    }
  }

  private static func create(_ name: Migration.FileName, in folder: String) throws -> String {
    let file = URL(filePath: folder).appending(path: name.description)
    do {
      try Data().write(to: file, options: .withoutOverwriting)
    } catch {
      throw DatabaseError(
        .migration, "\(name) cannot be written: \(folder)", resultCode: .cannotOpen,
        nextStep: "Check the permissions of the folder", cause: error)
    }
    return (folder.hasSuffix("/") ? folder : folder + "/") + name.description
  }
}
