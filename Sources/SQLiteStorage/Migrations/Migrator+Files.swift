#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Migrator {
  /// Reads the migrations of a folder.
  ///
  /// They are the files `NNNN_snake_name.sql`, each with the way back beside it in
  /// `NNNN_snake_name.down.sql` where there is one. Files whose names do not end in `.sql`, hidden
  /// files and folders inside it are left alone.
  ///
  /// - Parameters:
  ///   - folder: its path.
  ///   - clock: measures how long each migration takes.
  ///   - now: the time that the ledger calls `applied_at`.
  /// - Throws: `DatabaseError` of code `.migration`, naming the file, where there is no such folder,
  ///   a `.sql` file is named otherwise, a way back has no file to take back, a file cannot be read
  ///   or is not UTF-8; and as ``init(_:clock:now:)``.
  public init(
    folder: String, clock: any Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    let names = try Migrator.fileNames(in: folder)
    let migrations = try names.filter { $0.direction == .up }.map { name in
      let down = Migration.FileName(version: name.version, name: name.name, direction: .down)
      return Migration(
        version: name.version, name: name.name, up: try Migrator.text(of: name, in: folder),
        down: names.contains(down) ? try Migrator.text(of: down, in: folder) : nil)
    }
    try self.init(migrations, clock: clock, now: now)
  }

  /// Creates the next migration: an empty file for the way up and one for the way down.
  ///
  /// ```swift
  /// let files = try Migrator.createFiles(named: "add_rating", in: "Migrations")
  /// print(files.up)  // Migrations/0005_add_rating.sql
  /// ```
  ///
  /// They are refused by ``up(_:to:dryRun:didRun:)`` until something is in them. Remove the second
  /// where there is no way back.
  ///
  /// - Parameters:
  ///   - name: the name, in snake_case.
  ///   - folder: the folder's path; it is created where there is none.
  /// - Returns: the paths of the two files.
  /// - Throws: `DatabaseError` of code `.migration` where the name is not in snake_case, the folder
  ///   holds a `.sql` file that is no migration, or a file cannot be written.
  public static func createFiles(
    named name: String, in folder: String
  ) throws -> (up: String, down: String) {
    guard Migration.FileName.isSnakeCase(name) else {
      throw DatabaseError(
        .migration, "\(name) is no name of a migration",
        nextStep: "Use lower-case letters and digits, in words joined by _, such as add_rating")
    }
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw DatabaseError(
        .migration, "the folder \(folder) cannot be created",
        nextStep: "Check the path and its permissions", cause: error)
    }
    let newest = try fileNames(in: folder).map(\.version).max() ?? 0
    let up = Migration.FileName(version: newest + 1, name: name)
    guard up.isValid else {
      throw DatabaseError(
        .migration, "there is no number after \(newest)", nextStep: namingRule)
    }
    let down = Migration.FileName(version: newest + 1, name: name, direction: .down)
    return (up: try create(up, in: folder), down: try create(down, in: folder))
  }

  private static func fileNames(in folder: String) throws -> Set<Migration.FileName> {
    let entries: [String]
    do {
      entries = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw DatabaseError(
        .migration, "the folder \(folder) cannot be read", resultCode: .cannotOpen,
        nextStep: "Check the path and its permissions", cause: error)
    }
    var names: Set<Migration.FileName> = []
    for entry in entries.sorted() where !entry.hasPrefix(".") {
      guard entry.sqliteFolded.hasSuffix(".sql") else { continue }
      guard let name = Migration.FileName(entry) else {
        throw DatabaseError(
          .migration, "\(entry) is no name of a migration: \(folder)",
          nextStep: namingRule + ", and end in .sql or .down.sql")
      }
      names.insert(name)
    }
    for name in names.sorted(by: { $0.version < $1.version }) where name.direction == .down {
      let up = Migration.FileName(version: name.version, name: name.name)
      guard names.contains(up) else {
        throw DatabaseError(
          .migration, "\(name) takes back \(up), which is not there: \(folder)",
          nextStep: "Bring \(up) back, or remove the file")
      }
    }
    return names
  }

  private static func text(of name: Migration.FileName, in folder: String) throws -> String {
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: folder).appending(path: name.description))
    } catch {
      throw DatabaseError(
        .migration, "\(name) cannot be read: \(folder)", resultCode: .cannotOpen,
        nextStep: "Check its permissions", cause: error)
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw DatabaseError(
        .migration, "\(name) is not text in UTF-8", nextStep: "Save the file as UTF-8")
    }
    return text
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
