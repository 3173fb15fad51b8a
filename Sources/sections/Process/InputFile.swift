#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file that the caller names, or standard input.
struct InputFile {
  /// What errors call it.
  let name: String
  let bytes: [UInt8]

  /// Reads the file at a path, or what `-` stands for.
  init(_ path: String) throws {
    guard path != "-" else {
      name = "standard input"
      bytes = try StandardInput.readBytes()
      return
    }
    name = path
    do {
      bytes = Array(try Data(contentsOf: URL(filePath: path)))
    } catch {
      let files = FileManager.default
      var isFolder = false
      guard files.fileExists(atPath: path, isDirectory: &isFolder) else {
        throw InputError(
          description: "no such file: \(path). Check that the path is right", status: .noDatabase)
      }
      guard !isFolder else {
        throw InputError(
          description: "\(path) is a folder. Name the file in it", status: .noDatabase)
      }
      throw InputError(
        description: "the file must not be read: \(path). Check its permissions",
        status: .noPermission)
    }
  }
}

/// What is wrong with a file that is not the database.
struct InputError: Error, CustomStringConvertible {
  let description: String
  let status: ExitStatus
}
