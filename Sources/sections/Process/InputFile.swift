import CLibrary

/// A file or pipe that the caller names, or standard input. It is read once, from start to end.
struct InputFile {
  /// The name of the file in errors.
  let name: String
  let bytes: [UInt8]

  /// Reads the file at a path; standard input for `-`.
  init(_ path: String) throws {
    name = path == "-" ? "standard input" : path
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ToolError(name, code: errno) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    bytes = try InputFile.bytes(of: descriptor, name)
  }

  /// Reads the SELECT from standard input if a source is `-`; nil for any other.
  ///
  /// Call it before a database is opened: typing may take long, and a lock would block other processes.
  static func select(_ source: String?) throws -> String? {
    source == "-" ? String(decoding: try InputFile("-").bytes, as: UTF8.self) : nil
  }

  /// All bytes up to the end, also those that are not valid text.
  private static func bytes(of descriptor: Int32, _ name: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count > 0 {
        bytes += piece[..<count]
      } else if count == 0 {
        return bytes
      } else if errno != EINTR {
        throw ToolError(name, code: errno)
      }
    }
  }
}

extension ToolError {
  /// The error for a file that the system does not open or read.
  ///
  /// - Parameter code: the `errno`.
  fileprivate init(_ name: String, code: Int32) {
    switch code {
    case ENOENT, ENOTDIR:
      self.init("there is no such file: \(name). Check the path", .noDatabase)
    case EISDIR:
      self.init("it is a folder, not a file: \(name). Name a file in it", .noDatabase)
    case EACCES, EPERM:
      self.init(
        "permission denied: \(name). Check the permissions of the file and of its folder",
        .noPermission)
    default:
      let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
      self.init("\(name) cannot be read: \(reason)", .inputOutput)
    }
  }
}
